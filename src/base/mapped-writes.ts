/**
 * Writing what the system has in memory of a file straight to a socket: the file is mapped, and `writev` copies from
 * the mapping, through koffi. Reading into a buffer and writing that copies twice.
 * Invariant: this process itself never touches a mapping, only the system does within a call, so a file that has become
 * shorter, or cannot be read, fails the call (EFAULT) instead of ending the process (SIGBUS). All of it is done when a
 * call returns: whoever owns a file may let go of its mappings at any time between calls.
 */
import { loadNativeLibrary, type NativeFunction } from './native-library';

/** A mapping covers so much of a file, and what a stretch that begins near its end may need beyond. */
const WINDOW_BYTES = 16 * 1024 * 1024;
/** The longest stretch. */
export const MOST_MAPPED_BYTES = 1024 * 1024;
/** Mappings at once: they take only address space, but letting go of one takes longer the more of it was used. */
const MOST_MAPPINGS = 16;
/**
 * Where more readers than mappings come by in turn, each would take another's away and pay more than a copy costs. So a
 * mapping makes room for another when it was not used among so many calls, or for so many bytes that went out of
 * mappings that were there.
 */
const IDLE_USES = 256;
const EXCHANGE_BYTES = 8 * 1024 * 1024;
const MOST_EARNED_BYTES = 8 * EXCHANGE_BYTES;

/** No segment has bytes there. */
const NOWHERE = 2 ** 40;

/** The longest texts before and after a stretch. */
const BEFORE_BYTES = 8192;
const AFTER_BYTES = 8192;
const PARTS_BYTES = 64;
/** Where in the room shared with the system a call's parts lie, what is before and after, and `mincore`'s answer. */
const BEFORE_AT = PARTS_BYTES;
const AFTER_AT = BEFORE_AT + BEFORE_BYTES;
const PAGES_AT = AFTER_AT + AFTER_BYTES;
const SMALLEST_PAGE_BYTES = 4096;
const ROOM_BYTES = PAGES_AT + MOST_MAPPED_BYTES / SMALLEST_PAGE_BYTES + 1;

/** Of <sys/mman.h> and <unistd.h> of Linux. */
const [PROT_READ, PROT_WRITE, MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS] = [1, 2, 1, 2, 0x20];
const SC_PAGESIZE = 30;
const ARCHITECTURES: ReadonlySet<string> = new Set(['x64', 'arm64']);

interface Calls {
  readonly mmap: NativeFunction;
  readonly munmap: NativeFunction;
  readonly mincore: NativeFunction;
  readonly writev: NativeFunction;
  readonly pageBytes: number;
  /** The room by its address and as memory of ours. */
  readonly roomAt: number;
  readonly room: Buffer;
}

interface Mapping {
  readonly owner: object;
  readonly index: number;
  readonly address: number;
  usedAt: number;
  usedAtLook: number;
}

export interface MappedFile {
  /** Who lets go of the mappings by `unmapAll`; one for each open descriptor. */
  readonly owner: object;
  readonly descriptor: number;
}

export interface Around {
  readonly before: readonly Buffer[];
  readonly after: readonly Buffer[];
}

/** Undefined where nobody has looked, null where there are none. */
let calls: Calls | null | undefined;
const mappings: Mapping[] = [];
let uses = 0;
/** Of `unmapIdle`, counted. */
let look = 0;
let earnedBytes = 0;

function load(): Calls | null {
  if (process.platform !== 'linux' || !ARCHITECTURES.has(process.arch)) return null;
  const library = loadNativeLibrary();
  if (typeof library === 'string') return null;
  // Addresses are plain numbers: those of a process need fewer than 53 bits.
  const mmap = library.func(
    'int64_t mmap(int64_t address, size_t length, int protection, int flags, int fd, int64_t at)',
  );
  const roomAt = Number(mmap(0, ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (roomAt <= 0) return null;
  return {
    mmap,
    munmap: library.func('int munmap(int64_t address, size_t length)'),
    mincore: library.func('int mincore(int64_t address, size_t length, int64_t pages)'),
    writev: library.func('int64_t writev(int fd, int64_t parts, int count)'),
    pageBytes: Number(library.func('long sysconf(int name)')(SC_PAGESIZE)),
    roomAt,
    room: library.view(roomAt, ROOM_BYTES),
  };
}

/**
 * Writes `around.before`, as much of the stretch (at most MOST_MAPPED_BYTES) as is in memory, and if that is all of it
 * `around.after`, as far as the socket takes them at once; the socket must not block. Returns how many bytes it took: 0
 * also where nothing of the kind can be done, which says nothing of socket or file.
 */
export function writeMapped(
  socket: number,
  file: MappedFile,
  stretch: { readonly position: number; readonly count: number; readonly around: Around },
): number {
  if (calls === undefined) calls = load();
  const native = calls;
  if (native === null) return 0;
  const { before, after } = stretch.around;
  const [beforeBytes, afterBytes] = [bytesOf(before), bytesOf(after)];
  if (beforeBytes > BEFORE_BYTES || afterBytes > AFTER_BYTES) return 0;
  const wanted = Math.min(stretch.count, MOST_MAPPED_BYTES);
  const index = Math.floor(stretch.position / WINDOW_BYTES);
  const mapping = mappingOf(native, file, { index, count: wanted });
  if (mapping === undefined) return 0;
  const address = mapping.address + stretch.position - index * WINDOW_BYTES;
  const count = residentBytes(native, address, wanted);
  if (count === 0) return 0;
  copyAll(native.room, before, BEFORE_AT);
  copyAll(native.room, after, AFTER_AT);
  setPart(native.room, 0, { address: native.roomAt + BEFORE_AT, bytes: beforeBytes });
  setPart(native.room, 1, { address, bytes: count });
  setPart(native.room, 2, { address: native.roomAt + AFTER_AT, bytes: count === stretch.count ? afterBytes : 0 });
  return Math.max(0, Number(native.writev(socket, native.roomAt, 3)));
}

/**
 * For calls at intervals: lets go of one mapping, since it takes a fraction of a millisecond, that was not used in the
 * last `looks` of them. Returns whether there are any left.
 */
export function unmapIdle(looks: number): boolean {
  look++;
  const at = mappings.findIndex((mapping) => look - mapping.usedAtLook > looks);
  if (at >= 0) unmap(mappings.splice(at, 1)[0]!);
  return mappings.length > 0;
}

/** Before `owner` closes its descriptor. */
export function unmapAll(owner: object): void {
  for (let at = mappings.length - 1; at >= 0; at--) {
    if (mappings[at]!.owner === owner) unmap(mappings.splice(at, 1)[0]!);
  }
}

function bytesOf(parts: readonly Buffer[]): number {
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  return bytes;
}

function copyAll(room: Buffer, parts: readonly Buffer[], start: number): void {
  let at = start;
  for (const part of parts) at += part.copy(room, at);
}

function mappingOf(
  native: Calls,
  { owner, descriptor }: MappedFile,
  { index, count }: { index: number; count: number },
): Mapping | undefined {
  uses++;
  let oldest = 0;
  for (const [at, mapping] of mappings.entries()) {
    if (mapping.owner === owner && mapping.index === index) {
      mapping.usedAt = uses;
      mapping.usedAtLook = look;
      earnedBytes = Math.min(earnedBytes + count, MOST_EARNED_BYTES);
      return mapping;
    }
    if (mapping.usedAt < mappings[oldest]!.usedAt) oldest = at;
  }
  const isFull = mappings.length === MOST_MAPPINGS;
  const mustEarn = isFull && uses - mappings[oldest]!.usedAt <= IDLE_USES;
  if (mustEarn && earnedBytes < EXCHANGE_BYTES) return undefined;
  if (!tellsTruth(native, descriptor)) return undefined;
  if (mustEarn) earnedBytes -= EXCHANGE_BYTES;
  if (isFull) unmap(mappings.splice(oldest, 1)[0]!);
  const length = WINDOW_BYTES + MOST_MAPPED_BYTES;
  const address = Number(native.mmap(0, length, PROT_READ, MAP_SHARED, descriptor, index * WINDOW_BYTES));
  if (address <= 0) return undefined;
  const mapping = { owner, index, address, usedAt: uses, usedAtLook: look };
  mappings.push(mapping);
  return mapping;
}

/**
 * Of a file that the process neither owns nor may write, `mincore` says that all is in memory, and some systems say so
 * of any: writing would wait for the disk.
 */
function tellsTruth({ mmap, munmap, mincore, pageBytes, room, roomAt }: Calls, descriptor: number): boolean {
  const address = Number(mmap(0, pageBytes, PROT_READ, MAP_SHARED, descriptor, NOWHERE));
  if (address <= 0) return false;
  const isThere = Number(mincore(address, pageBytes, roomAt + PAGES_AT)) !== 0 || room[PAGES_AT] !== 0;
  munmap(address, pageBytes);
  return !isThere;
}

function unmap({ address }: Mapping): void {
  calls?.munmap(address, WINDOW_BYTES + MOST_MAPPED_BYTES);
}

/** How many of `count` bytes from `address` on are in memory, so that nobody waits for a disk. */
function residentBytes({ mincore, pageBytes, room, roomAt }: Calls, address: number, count: number): number {
  const before = address % pageBytes;
  const length = before + count;
  if (Number(mincore(address - before, length, roomAt + PAGES_AT)) !== 0) return 0;
  const pages = Math.ceil(length / pageBytes);
  const missing = room.indexOf(0, PAGES_AT) - PAGES_AT;
  if (missing < 0 || missing >= pages) return count;
  return Math.max(0, missing * pageBytes - before);
}

/** A `struct iovec`, on a machine that puts the lower bytes first. */
function setPart(room: Buffer, number: number, { address, bytes }: { address: number; bytes: number }): void {
  const at = number * 16;
  room.writeUInt32LE(address % 2 ** 32, at);
  room.writeUInt32LE(Math.floor(address / 2 ** 32), at + 4);
  room.writeUInt32LE(bytes, at + 8);
  room.writeUInt32LE(0, at + 12);
}

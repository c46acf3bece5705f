/**
 * A disk for tests: behaves well in memory, fails on request, and can lose what was not synced.
 * It knows which bytes and names are durable: bytes after `sync` of their file, names after any `syncDirectory`
 * (metadata is journaled in order). `crash` gives the disk that a machine finds after a power cut. A failed `sync` is
 * as bad as on a real one: what it should have made durable never will be, though it can be read until the power cut.
 */
import { dirname } from 'node:path';
import type { Clock } from '../base/clock';
import type { Random } from '../base/random';
import {
  type DirectoryEntry,
  type FileHandle,
  type FileStatus,
  type FileSystem,
  FileSystemError,
  type OpenMode,
} from '../log/file-system';
import { MemoryFileSystem } from '../log/memory-file-system';

export type FaultyOperation =
  | 'open'
  /** An opening that makes a file; comes before `open`. */
  | 'create'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'rename'
  | 'remove'
  | 'list'
  | 'create-directory'
  | 'sync-directory';

export interface Fault {
  readonly on: FaultyOperation;
  /** ENOSPC, EIO, ... */
  readonly code: string;
  /** Which files; all when left out. */
  readonly path?: RegExp;
  /** So many calls still succeed before; none when left out. */
  readonly after?: number;
  /** How often; without end when left out. */
  readonly times?: number;
  /** For writes: bytes that still reach the file. */
  readonly partialBytes?: number;
}

/** What a crash leaves of that which was not synced. */
export type CrashMode = 'synced-only' | 'some-unsynced' | 'all-unsynced';

type ContentChange = { readonly position: number; readonly data: Buffer } | { readonly size: number };

interface FileState {
  durable: Buffer;
  pending: ContentChange[];
}

type NameChange =
  | { readonly kind: 'link'; readonly path: string; readonly file: FileState | null }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string };

type Names = Map<string, FileState | null>;

function applyContent(content: Buffer, change: ContentChange): Buffer {
  if ('size' in change) {
    const resized = Buffer.alloc(change.size);
    content.copy(resized);
    return resized;
  }
  const grown = Buffer.alloc(Math.max(content.length, change.position + change.data.length));
  content.copy(grown);
  change.data.copy(grown, change.position);
  return grown;
}

function applyName(names: Names, change: NameChange): void {
  if (change.kind === 'link') {
    names.set(change.path, change.file);
    return;
  }
  const path = change.kind === 'rename' ? change.from : change.path;
  for (const [name, file] of [...names]) {
    if (name !== path && !name.startsWith(`${path}/`)) continue;
    names.delete(name);
    if (change.kind === 'rename') names.set(change.to + name.slice(path.length), file);
  }
}

/** Part of a change that reached the platter: a first part of the bytes, or their space without them. */
function torn(change: ContentChange, random: Random): ContentChange {
  if ('size' in change || change.data.length === 0) return change;
  const kept = random.integer(change.data.length + 1);
  if (random.integer(3) > 0) return { position: change.position, data: change.data.subarray(0, kept) };
  const data = Buffer.alloc(change.data.length);
  change.data.copy(data, 0, 0, kept);
  return { position: change.position, data };
}

class FaultyHandle implements FileHandle {
  constructor(
    private readonly disk: FaultyFileSystem,
    private readonly inner: FileHandle,
    private readonly file: FileState,
  ) {}

  get path(): string {
    return this.inner.path;
  }

  size(): number {
    return this.inner.size();
  }

  read(target: Buffer, position: number): number {
    this.disk.check('read', this.path);
    return this.inner.read(target, position);
  }

  async readAsync(target: Buffer, position: number): Promise<number> {
    await Promise.resolve();
    return this.read(target, position);
  }

  write(data: Buffer, position: number): void {
    const fault = this.disk.faultOf('write', this.path) ?? this.disk.fullAfter(position + data.length - this.size());
    const kept = fault ? data.subarray(0, fault.partialBytes ?? 0) : data;
    if (kept.length > 0 || !fault) {
      this.inner.write(kept, position);
      this.file.pending.push({ position, data: Buffer.from(kept) });
    }
    if (fault) throw new FileSystemError(fault.code, this.path, `${fault.code}: injected`);
  }

  async writeAsync(parts: readonly Buffer[], position: number): Promise<void> {
    await Promise.resolve();
    this.write(Buffer.concat(parts), position);
  }

  truncate(size: number): void {
    this.disk.check('truncate', this.path);
    this.inner.truncate(size);
    this.file.pending.push({ size });
  }

  async sync(): Promise<void> {
    const covered = this.file.pending.length;
    await Promise.resolve();
    const changes = this.file.pending.splice(0, covered);
    this.disk.check('sync', this.path);
    for (const change of changes) this.file.durable = applyContent(this.file.durable, change);
  }

  close(): void {
    this.inner.close();
  }
}

export class FaultyFileSystem implements FileSystem {
  readonly #clock: Clock;
  readonly #live: MemoryFileSystem;
  readonly #names: Names = new Map();
  readonly #durableNames: Names = new Map();
  readonly #pendingNames: NameChange[] = [];
  #faults: { fault: Fault; after: number; left: number }[] = [];
  readonly #looks: { on: FaultyOperation; path: RegExp; look: () => void }[] = [];
  /** Calls so far that a fault could have hit. */
  readonly calls = new Map<FaultyOperation, number>();
  /** Calls that a fault did hit. */
  hits = 0;
  /** Bytes that may still be added, as on a disk that runs full. */
  freeBytes = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#live = new MemoryFileSystem(clock);
  }

  /** Makes matching operations fail until lifted or used up. */
  inject(fault: Fault): { lift(): void } {
    const entry = { fault, after: fault.after ?? 0, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.#faults.push(entry);
    return {
      lift: () => {
        this.#faults = this.#faults.filter((other) => other !== entry);
      },
    };
  }

  /** Runs `look` once, before the next matching operation: a test sees the disk in the middle of what is done to it. */
  before(on: FaultyOperation, path: RegExp, look: () => void): void {
    this.#looks.push({ on, path, look });
  }

  /** Goes on failing as another disk was about to, and counts on. */
  takeFaultsFrom(other: FaultyFileSystem): void {
    this.#faults = other.#faults;
    this.hits = other.hits;
    for (const [operation, count] of other.calls) this.calls.set(operation, count);
  }

  /** Fails no more. */
  takeNoFaults(): void {
    this.#faults = [];
  }

  /** The disk after a power cut, with handles of before left behind on the old object. */
  crash(mode: CrashMode, random: Random): FaultyFileSystem {
    const names: Names = new Map(this.#durableNames);
    const kept = (changes: number): number => {
      if (mode === 'some-unsynced') return random.integer(changes + 1);
      return mode === 'all-unsynced' ? changes : 0;
    };
    for (const change of this.#pendingNames.slice(0, kept(this.#pendingNames.length))) applyName(names, change);
    const after = new FaultyFileSystem(this.#clock);
    for (const [path, file] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (file === null) {
        after.createDirectory(path);
        continue;
      }
      if (mode === 'all-unsynced') {
        after.#adopt(path, this.#live.readFile(path));
        continue;
      }
      const survivors = kept(file.pending.length);
      let content = file.durable;
      for (const change of file.pending.slice(0, survivors)) content = applyContent(content, change);
      const cut = file.pending[survivors];
      if (mode === 'some-unsynced' && cut && random.integer(2) === 0)
        content = applyContent(content, torn(cut, random));
      after.#adopt(path, content);
    }
    return after;
  }

  /** Throws the injected fault of an operation, if there is one. */
  check(on: FaultyOperation, path: string): void {
    const fault = this.faultOf(on, path);
    if (fault) throw new FileSystemError(fault.code, path, `${fault.code}: injected`);
  }

  faultOf(on: FaultyOperation, path: string): Fault | undefined {
    this.calls.set(on, (this.calls.get(on) ?? 0) + 1);
    const looking = this.#looks.findIndex((one) => one.on === on && one.path.test(path));
    if (looking >= 0) this.#looks.splice(looking, 1)[0]!.look();
    const entry = this.#faults.find(
      ({ fault, left }) => left > 0 && fault.on === on && (fault.path === undefined || fault.path.test(path)),
    );
    if (!entry || entry.after-- > 0) return undefined;
    entry.left--;
    this.hits++;
    return entry.fault;
  }

  /** Takes `growth` bytes from the free space; a fault when they are not there. */
  fullAfter(growth: number): Fault | undefined {
    if (growth <= 0) return undefined;
    if (growth > this.freeBytes) return { on: 'write', code: 'ENOSPC', partialBytes: 0 };
    this.freeBytes -= growth;
    return undefined;
  }

  open(path: string, mode: OpenMode): FileHandle {
    if (mode !== 'read' && !this.#live.stat(path)) this.check('create', path);
    this.check('open', path);
    const inner = this.#live.open(path, mode);
    return new FaultyHandle(this, inner, this.#state(path));
  }

  readFile(path: string): Buffer {
    this.check('read', path);
    return this.#live.readFile(path);
  }

  writeFile(path: string, data: Buffer): void {
    const handle = this.open(path, 'write');
    handle.truncate(0);
    handle.write(data, 0);
    handle.close();
  }

  async replaceFile(path: string, data: Buffer, options: { durable: boolean }): Promise<void> {
    const handle = this.open(`${path}.tmp`, 'write');
    handle.truncate(0);
    handle.write(data, 0);
    if (options.durable) await handle.sync();
    handle.close();
    this.rename(`${path}.tmp`, path);
    if (options.durable) await this.syncDirectory(dirname(path));
  }

  stat(path: string): FileStatus | undefined {
    return this.#live.stat(path);
  }

  list(path: string): DirectoryEntry[] {
    this.check('list', path);
    return this.#live.list(path);
  }

  createDirectory(path: string): void {
    if (path === '/' || this.#names.get(path) === null) return;
    this.createDirectory(dirname(path));
    this.check('create-directory', path);
    this.#live.createDirectory(path);
    this.#change({ kind: 'link', path, file: null });
  }

  rename(from: string, to: string): void {
    this.check('rename', from);
    this.#live.rename(from, to);
    this.#change({ kind: 'rename', from, to });
  }

  remove(path: string): void {
    this.check('remove', path);
    this.#live.remove(path);
    this.#change({ kind: 'remove', path });
  }

  async removeAsync(path: string): Promise<void> {
    this.remove(path);
  }

  async removeDirectory(path: string): Promise<void> {
    this.check('remove', path);
    await this.#live.removeDirectory(path);
    this.#change({ kind: 'remove', path });
  }

  async syncDirectory(path: string): Promise<void> {
    const covered = this.#pendingNames.length;
    await this.#live.syncDirectory(path);
    this.check('sync-directory', path);
    for (const change of this.#pendingNames.splice(0, covered)) applyName(this.#durableNames, change);
  }

  volumeSpace(path: string): ReturnType<FileSystem['volumeSpace']> {
    return this.#live.volumeSpace(path);
  }

  #change(change: NameChange): void {
    applyName(this.#names, change);
    this.#pendingNames.push(change);
  }

  #state(path: string): FileState {
    const known = this.#names.get(path);
    if (known) return known;
    const file: FileState = { durable: Buffer.alloc(0), pending: [] };
    this.#change({ kind: 'link', path, file });
    return file;
  }

  #adopt(path: string, content: Buffer): void {
    this.createDirectory(dirname(path));
    this.#live.writeFile(path, content);
    const file = { durable: content, pending: [] };
    this.#names.set(path, file);
    this.#durableNames.set(path, file);
    this.#pendingNames.length = 0;
    for (const [name, node] of this.#names) this.#durableNames.set(name, node);
  }
}

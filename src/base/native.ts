/**
 * Locks of files, which Node does not offer, through the C library: they may be unavailable, and each caller has
 * another way. Owns the layouts of the lock's structures. The library is loaded at the first call.
 */
import { loadNativeLibrary } from './native-library';

/**
 * `held`: by another process, with its number as this process sees it (a container may not see it). `unavailable`:
 * there are no such locks here. `failed`: there are, but the file cannot be opened, so that it may be another's.
 */
export type FileLockOutcome =
  | { readonly kind: 'locked'; release(): void }
  | { readonly kind: 'held'; readonly pid: number | undefined }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

interface LibC {
  open(path: string, flags: number, mode: number): number;
  close(fd: number): void;
  fcntl(fd: number, command: number, argument: Buffer): number;
  errorName(): string;
  /** Whether the last call failed because of another owner. */
  failedByOwner(): boolean;
}

/** Numbers of the system's headers, and where the fields of its `struct flock` lie. */
interface LockLayout {
  readonly openFlags: number;
  readonly setLock: number;
  readonly getLock: number;
  readonly writeLock: number;
  readonly noLock: number;
  readonly typeAt: number;
  readonly pidAt: number;
}

const STRUCT_BYTES = 32;
const OWNER_AND_OTHERS_READ = 0o644;

/** Only 64-bit systems, whose `off_t` is 64 bits in the plain calls. */
const LAYOUTS: Readonly<Record<string, LockLayout>> = {
  // O_RDWR | O_CREAT | O_CLOEXEC; l_type, l_whence (16 bits each, padded), l_start, l_len, l_pid
  linux: { openFlags: 0x80042, setLock: 6, getLock: 5, writeLock: 1, noLock: 2, typeAt: 0, pidAt: 24 },
  // the same flags; l_start, l_len, l_pid, l_type, l_whence
  darwin: { openFlags: 0x1000202, setLock: 8, getLock: 7, writeLock: 3, noLock: 2, typeAt: 20, pidAt: 16 },
};

let libC: LibC | string | undefined;

/** The C library, or the reason why it cannot be called. */
function loadLibC(): LibC | string {
  const library = loadNativeLibrary();
  if (typeof library === 'string') return library;
  const open = library.func('int open(const char *path, int flags, ...)');
  const close = library.func('int close(int fd)');
  const fcntl = library.func('int fcntl(int fd, int command, ...)');
  const names = new Map(Object.entries(library.errnoCodes).map(([name, code]) => [code, name]));
  return {
    open: (path, flags, mode) => Number(open(path, flags, 'int', mode)),
    close: (fd) => void close(fd),
    fcntl: (fd, command, argument) => Number(fcntl(fd, command, 'void *', argument)),
    errorName: () => names.get(library.errno()) ?? `errno ${library.errno()}`,
    failedByOwner: () => library.errno() === library.errnoCodes.EAGAIN || library.errno() === library.errnoCodes.EACCES,
  };
}

/** A request for the whole file. */
function wholeFile(layout: LockLayout): Buffer {
  const request = Buffer.alloc(STRUCT_BYTES);
  request.writeInt16LE(layout.writeLock, layout.typeAt);
  return request;
}

function holderOf(library: LibC, layout: LockLayout, fd: number): number | undefined {
  const query = wholeFile(layout);
  if (library.fcntl(fd, layout.getLock, query) !== 0) return undefined;
  const pid = query.readInt32LE(layout.pidAt);
  return query.readInt16LE(layout.typeAt) === layout.noLock || pid <= 0 ? undefined : pid;
}

/**
 * Takes the exclusive lock of the whole file at `path`, made if missing, without waiting: the same lock as Java's
 * `FileChannel.tryLock` (POSIX record locks, so it ends with the process however that ends). Such a lock does not stop
 * its own process, and is lost when the process closes the file by any other descriptor: nothing else may open it.
 */
export function tryLockFile(path: string): FileLockOutcome {
  const layout = LAYOUTS[process.platform];
  if (!layout || (process.arch !== 'x64' && process.arch !== 'arm64')) {
    return { kind: 'unavailable', reason: `not known for ${process.platform} on ${process.arch}` };
  }
  libC ??= loadLibC();
  if (typeof libC === 'string') return { kind: 'unavailable', reason: libC };
  const library = libC;
  const fd = library.open(path, layout.openFlags, OWNER_AND_OTHERS_READ);
  if (fd < 0) return { kind: 'failed', reason: `cannot open ${path}: ${library.errorName()}` };
  if (library.fcntl(fd, layout.setLock, wholeFile(layout)) === 0) {
    return { kind: 'locked', release: () => library.close(fd) };
  }
  const outcome: FileLockOutcome = library.failedByOwner()
    ? { kind: 'held', pid: holderOf(library, layout, fd) }
    : { kind: 'unavailable', reason: `cannot lock ${path}: ${library.errorName()}` };
  library.close(fd);
  return outcome;
}

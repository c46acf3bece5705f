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
  read(fd: number, target: Buffer): number;
  write(fd: number, data: Buffer): void;
  fcntl(fd: number, command: number, argument: Buffer): number;
  errorName(): string;
  /** Whether the last call failed because of another owner. */
  failedByOwner(): boolean;
}

/** Numbers of the system's headers, and where the fields of its `struct flock` lie. */
interface LockLayout {
  readonly openFlags: number;
  /** Whether the lock is the descriptor's: then the system cannot name its owner. */
  readonly isOfDescriptor: boolean;
  readonly setLock: number;
  readonly getLock: number;
  readonly writeLock: number;
  readonly noLock: number;
  readonly typeAt: number;
  readonly pidAt: number;
}

const STRUCT_BYTES = 32;
const PID_BYTES = 16;
const OWNER_AND_OTHERS_READ = 0o644;

/** Only 64-bit systems, whose `off_t` is 64 bits in the plain calls. */
const LAYOUTS: Readonly<Record<string, LockLayout>> = {
  // O_RDWR | O_CREAT | O_CLOEXEC, F_OFD_…; l_type, l_whence (16 bits each, padded), l_start, l_len, l_pid
  linux: {
    openFlags: 0x80042,
    isOfDescriptor: true,
    setLock: 37,
    getLock: 36,
    writeLock: 1,
    noLock: 2,
    typeAt: 0,
    pidAt: 24,
  },
  // the same flags, the process's locks; l_start, l_len, l_pid, l_type, l_whence
  darwin: {
    openFlags: 0x1000202,
    isOfDescriptor: false,
    setLock: 8,
    getLock: 7,
    writeLock: 3,
    noLock: 2,
    typeAt: 20,
    pidAt: 16,
  },
};

let libC: LibC | string | undefined;

/** The C library, or the reason why it cannot be called. */
function loadLibC(): LibC | string {
  const library = loadNativeLibrary();
  if (typeof library === 'string') return library;
  const open = library.func('int open(const char *path, int flags, ...)');
  const close = library.func('int close(int fd)');
  const fcntl = library.func('int fcntl(int fd, int command, ...)');
  const pread = library.func('long pread(int fd, _Out_ void *target, size_t bytes, long at)');
  const pwrite = library.func('long pwrite(int fd, const void *data, size_t bytes, long at)');
  const names = new Map(Object.entries(library.errnoCodes).map(([name, code]) => [code, name]));
  return {
    open: (path, flags, mode) => Number(open(path, flags, 'int', mode)),
    close: (fd) => void close(fd),
    read: (fd, target) => Number(pread(fd, target, target.length, 0)),
    write: (fd, data) => void pwrite(fd, data, data.length, 0),
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
  if (query.readInt16LE(layout.typeAt) === layout.noLock) return undefined;
  const pid = query.readInt32LE(layout.pidAt);
  if (pid > 0) return pid;
  const written = Buffer.alloc(PID_BYTES);
  const bytes = library.read(fd, written);
  return (bytes > 0 && Number.parseInt(written.toString('latin1', 0, bytes), 10)) || undefined;
}

/**
 * Takes the exclusive lock of the whole file at `path`, made if missing, without waiting. It excludes Java's
 * `FileChannel.tryLock` and the reverse, and ends with the process however that ends. On Linux it is the descriptor's
 * (F_OFD_SETLK), so that it also stops other threads of this process, and the file tells the owner's number, which the
 * system does not know. Elsewhere it is the process's: it does not stop the process itself, and is lost when that
 * closes the file by any other descriptor.
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
    if (layout.isOfDescriptor) library.write(fd, Buffer.from(`${process.pid}\n`.padStart(PID_BYTES)));
    return { kind: 'locked', release: () => library.close(fd) };
  }
  const outcome: FileLockOutcome = library.failedByOwner()
    ? { kind: 'held', pid: holderOf(library, layout, fd) }
    : { kind: 'unavailable', reason: `cannot lock ${path}: ${library.errorName()}` };
  library.close(fd);
  return outcome;
}

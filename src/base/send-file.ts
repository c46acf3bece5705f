/**
 * Sending from a file to a socket without bytes passing through this process: `sendfile`, through koffi, in the thread
 * pool, since it may wait for the disk. The socket must not block, and nobody else may write to it meanwhile.
 * Invariant: a call has a copy of the socket's descriptor of its own, so that whatever closes the socket meanwhile, no
 * other file can come to stand under that number.
 */
import { loadNativeLibrary, type NativeFunction } from './native-library';

/** Of <fcntl.h> of Linux. */
const F_DUPFD_CLOEXEC = 1030;
/** Those whose `off_t` is 64 bits in the plain call. */
const ARCHITECTURES: ReadonlySet<string> = new Set(['x64', 'arm64']);
/** Each has a descriptor, and may keep a thread of the pool busy. */
const MOST_AT_ONCE = 16;

type Done = (error: unknown, result: unknown) => void;

interface Calls {
  /** Of the socket, the file, the position in it and the bytes wanted. */
  sendfile(this: void, words: readonly [number, number, readonly number[], number], then: Done): void;
  readonly fcntl: NativeFunction;
  readonly close: NativeFunction;
}

/** Undefined where nobody has looked, null where there are none. */
let calls: Calls | null | undefined;
let running = 0;

function load(): Calls | null {
  if (process.platform !== 'linux' || !ARCHITECTURES.has(process.arch)) return null;
  const library = loadNativeLibrary();
  if (typeof library === 'string') return null;
  const sendfile = library.func('int64_t sendfile(int out, int in, int64_t *offset, size_t count)');
  const { async: start } = sendfile;
  if (start === undefined) return null;
  return {
    sendfile: (words, then) => start(...words, then),
    fcntl: library.func('int fcntl(int fd, int command, ...)'),
    close: library.func('int close(int fd)'),
  };
}

export interface FileStretch {
  /** The file's descriptor, which stays open until `then` is called. */
  readonly file: number;
  readonly position: number;
  readonly count: number;
}

/**
 * Starts one call and returns true, or false where there is none to be had: another system, no koffi, no descriptor,
 * enough of them running. `then` gets how many bytes the socket took, possibly fewer than asked; 0 when the file ends
 * before them; -1 where it took none, or the call failed, which an ordinary write would tell more about.
 */
export function sendFile(socket: number, stretch: FileStretch, then: (sent: number) => void): boolean {
  if (calls === undefined) calls = load();
  const native = calls;
  if (native === null || running >= MOST_AT_ONCE) return false;
  const copy = Number(native.fcntl(socket, F_DUPFD_CLOEXEC, 'int', 0));
  if (copy < 0) return false;
  running++;
  native.sendfile([copy, stretch.file, [stretch.position], stretch.count], (error, result) => {
    running--;
    native.close(copy);
    then(error === null ? Number(result) : -1);
  });
  return true;
}

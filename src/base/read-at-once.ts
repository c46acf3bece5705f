/**
 * Reading what the system has in memory: `preadv2` with RWF_NOWAIT, which never waits for a disk, so that the event
 * loop may call it. Where it gives nothing (not in memory, another system, no koffi, a file system that cannot), the
 * caller reads by the thread pool; errors are left to that read as well.
 */
import { loadNativeLibrary, type NativeFunction } from './native-library';

/** Of <linux/fs.h>. */
const RWF_NOWAIT = 8;
/** Those whose `off_t` is 64 bits in the plain calls. */
const ARCHITECTURES: ReadonlySet<string> = new Set(['x64', 'arm64']);

/** Undefined where nobody has looked, null where there is none. */
let preadv2: NativeFunction | null | undefined;

function loadPreadv2(): NativeFunction | null {
  if (process.platform !== 'linux' || !ARCHITECTURES.has(process.arch)) return null;
  const library = loadNativeLibrary();
  if (typeof library === 'string') return null;
  const part = library.pointerTo({ base: 'void *', length: 'size_t' });
  try {
    return library.func('preadv2', 'int64', ['int', part, 'int', 'int64', 'int']);
  } catch {
    // A C library from before 2017 (glibc) or 2024 (musl).
    return null;
  }
}

/** Fills `target` from `position` as far as it is in memory, and gives the bytes: possibly none, never an error. */
export function readAtOnce(fd: number, target: Buffer, position: number): number {
  if (preadv2 === undefined) preadv2 = loadPreadv2();
  if (preadv2 === null || target.length === 0) return 0;
  return Math.max(0, Number(preadv2(fd, { base: target, length: target.length }, 1, position, RWF_NOWAIT)));
}

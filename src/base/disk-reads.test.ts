/** Reads that cannot come from memory are counted. */
import { closeSync, fsyncSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { diskReadBytes } from './disk-reads';
import { loadNativeLibrary } from './native-library';

const MEGABYTE = 2 ** 20;
/** Of <fcntl.h> of Linux. */
const POSIX_FADV_DONTNEED = 4;

const library = process.platform === 'linux' && process.arch === 'x64' ? loadNativeLibrary() : 'no Linux';
const here = typeof library === 'string' ? it.skip : it;

here('counts what came from the disk, and not what was in memory', () => {
  if (typeof library === 'string') throw new Error(library);
  const forget = library.func('int posix_fadvise(int fd, int64_t from, int64_t count, int advice)');
  // Beside this file: temporary directories may lie in memory.
  const directory = mkdtempSync(path.join(__dirname, 'disk-reads-'));
  const fd = openSync(path.join(directory, 'file'), 'w+');
  try {
    const content = Buffer.alloc(4 * MEGABYTE, 1);
    writeSync(fd, content);
    fsyncSync(fd);
    const readBytes = (): number => {
      const beforeBytes = diskReadBytes();
      expect(readSync(fd, content, 0, content.length, 0)).toBe(content.length);
      return diskReadBytes() - beforeBytes;
    };
    expect(forget(fd, 0, 0, POSIX_FADV_DONTNEED)).toBe(0);
    expect(readBytes()).toBeGreaterThanOrEqual(4 * MEGABYTE);
    expect(readBytes()).toBeLessThan(MEGABYTE);
  } finally {
    closeSync(fd);
    rmSync(directory, { recursive: true });
  }
});

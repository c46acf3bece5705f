/** Puts files out of the page cache, so that they are read from disk again; GNU dd does it, without any privilege. */
import { closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../compat-tests/checks';

/** All files of a folder are on disk and out of the cache afterwards; gives their bytes. */
export async function dropFromPageCache(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    const descriptor = openSync(file, 'r+');
    fsyncSync(descriptor);
    closeSync(descriptor);
    // Written nothing, as nothing is counted: what remains of the command is its advice to the kernel.
    await run('dd', ['if=/dev/null', `of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0']);
    bytes += statSync(file).size;
  }
  return bytes;
}

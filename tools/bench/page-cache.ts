/** Puts logs out of the page cache, so that they are read from disk again; GNU dd does it, without any privilege. */
import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../compat-tests/checks';

/** All segments of a partition's folder are on disk and out of the cache afterwards. */
export async function dropFromPageCache(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.log'))) {
    const file = path.join(folder, name);
    const descriptor = openSync(file, 'r+');
    fsyncSync(descriptor);
    closeSync(descriptor);
    // Copies nothing: what remains of the command is its advice to the kernel.
    await run('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0']);
  }
}

/** Files that are mapped to be sent: a handle shows its own file, and one that has gone keeps no room on the disk. */
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadNativeLibrary } from '../base/native-library';
import type { FileHandle } from './file-system';
import { nodeFileSystem } from './node-file-system';
import { OpenFiles } from './open-files';

const canMap = process.platform === 'linux' && typeof loadNativeLibrary() !== 'string';
const BYTES = 100_000;

const here = canMap ? describe : describe.skip;

here('mapped files', mapped);

function mapped(): void {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'odradek-mapped-files-'));
    for (let file = 0; file < 12; file++) writeFileSync(pathOf(file), Buffer.alloc(BYTES, file + 1));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function pathOf(file: number): string {
    return join(folder, `${file}.log`);
  }

  /** The byte that the file of `handle` consists of, by what is written; a file is as good a target as a socket. */
  function shown(handle: FileHandle): number {
    const name = join(folder, 'written');
    const target = openSync(name, 'w');
    const around = { before: [Buffer.from('b')], after: [Buffer.from('a')] };
    expect(handle.writeTo?.(target, { position: 10, count: BYTES - 20, around })).toBe(BYTES - 18);
    closeSync(target);
    const written = readFileSync(name);
    const fill = written[1]!;
    const expected = [Buffer.from('b'), Buffer.alloc(BYTES - 20, fill), Buffer.from('a')];
    return written.equals(Buffer.concat(expected)) ? fill : -1;
  }

  /** What this process has of the folder, by descriptor or mapping. */
  function held(): { descriptors: number; mappings: number } {
    const links = readdirSync('/proc/self/fd').map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        return '';
      }
    });
    return {
      descriptors: links.filter((link) => link.startsWith(folder)).length,
      mappings: readFileSync('/proc/self/maps', 'utf8').split(folder).length - 1,
    };
  }

  it('are let go when they are closed, each handle for itself', () => {
    const [one, other] = [nodeFileSystem.open(pathOf(0), 'read'), nodeFileSystem.open(pathOf(0), 'write')];
    for (const handle of [one, other, one]) expect(shown(handle)).toBe(1);
    expect(held()).toEqual({ descriptors: 2, mappings: 2 });
    one.close();
    expect(held()).toEqual({ descriptors: 1, mappings: 1 });
    expect(shown(other)).toBe(1);
    other.close();
    expect(held()).toEqual({ descriptors: 0, mappings: 0 });
  });

  it('show what was written since, and by a handle what it was opened on', () => {
    const before = nodeFileSystem.open(pathOf(0), 'write');
    expect(shown(before)).toBe(1);
    before.write(Buffer.alloc(BYTES, 77), 0);
    expect(shown(before)).toBe(77);
    nodeFileSystem.rename(pathOf(1), pathOf(0));
    const after = nodeFileSystem.open(pathOf(0), 'read');
    expect([shown(after), shown(before)]).toEqual([2, 77]);
    before.close();
    // The number of the descriptor is used again.
    const next = nodeFileSystem.open(pathOf(2), 'read');
    expect([shown(next), shown(after)]).toEqual([3, 2]);
    next.close();
    after.close();
    expect(held()).toEqual({ descriptors: 0, mappings: 0 });
  });

  it('keep nothing of files that were deleted under their readers, with fewer descriptors than readers', async () => {
    const files = new OpenFiles(nodeFileSystem, 3);
    const lent = Array.from({ length: 12 }, (_, file) => files.lendForReading(pathOf(file)));
    for (const [file, { handle }] of lent.entries()) expect(shown(handle)).toBe(file + 1);
    expect(held()).toEqual({ descriptors: 12, mappings: 12 });
    for (let file = 0; file < 6; file++) {
      files.detach(pathOf(file));
      await nodeFileSystem.removeAsync(pathOf(file));
    }
    for (const [file, { handle }] of lent.entries()) expect(shown(handle)).toBe(file + 1);
    for (const { release } of lent.slice(0, 6)) release();
    expect(held()).toEqual({ descriptors: 6, mappings: 6 });
    // Made anew under the same name.
    writeFileSync(pathOf(0), Buffer.alloc(BYTES, 99));
    const again = files.lendForReading(pathOf(0));
    expect(shown(again.handle)).toBe(99);
    for (const { release } of [again, ...lent.slice(6)]) release();
    expect(held()).toEqual({ descriptors: 3, mappings: 3 });
    for (let file = 0; file < 12; file++) files.forReading(pathOf(6 + (file % 6)));
    expect(held().descriptors).toBe(3);
    files.closeAll();
    expect(held()).toEqual({ descriptors: 0, mappings: 0 });
  });
}

/** Reads that never wait: the right bytes or none, whatever is asked. */
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAtOnce } from './read-at-once';

/** Types of file systems that are known to tell what is in memory: ext4, XFS, Btrfs. */
const KNOWN = new Set([0xef53, 0x58465342, 0x9123683e]);

describe('readAtOnce', () => {
  let directory: string;
  let fd: number;
  const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff));

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'odradek-at-once-'));
    writeFileSync(join(directory, 'file'), content);
    fd = openSync(join(directory, 'file'), 'r');
  });
  afterEach(() => {
    closeSync(fd);
    rmSync(directory, { recursive: true });
  });

  it('gives what was just written, from the position that is asked for, and touches nothing else', () => {
    const isKnown = process.platform === 'linux' && KNOWN.has(statfsSync(directory).type);
    for (const [position, length] of [
      [0, 1],
      [5, 4096],
      [4095, 200_000],
      [299_000, 1000],
    ] as const) {
      const memory = Buffer.alloc(length + 2, 0xee);
      const count = readAtOnce(fd, memory.subarray(1, length + 1), position);
      if (isKnown) expect(count).toBe(length);
      else expect([0, length]).toContain(count);
      expect(memory.subarray(1, count + 1).equals(content.subarray(position, position + count))).toBe(true);
      expect([memory[0], memory[length + 1]]).toEqual([0xee, 0xee]);
    }
  });

  it('gives what there is at the end of the file, and nothing where there is nothing or an error', () => {
    const target = Buffer.alloc(2000);
    expect([0, 1000]).toContain(readAtOnce(fd, target, 299_000));
    expect(readAtOnce(fd, target, 300_000)).toBe(0);
    expect(readAtOnce(fd, target, 2 ** 40)).toBe(0);
    expect(readAtOnce(fd, target.subarray(0, 0), 0)).toBe(0);
    expect(readAtOnce(-1, target, 0)).toBe(0);
  });

  it('gives nothing without the optional package', () => {
    jest.isolateModules(() => {
      jest.doMock('koffi', () => {
        throw new Error('no binary');
      });
      const isolated = require('./read-at-once') as typeof import('./read-at-once');
      expect(isolated.readAtOnce(fd, Buffer.alloc(100), 0)).toBe(0);
      jest.dontMock('koffi');
    });
  });
});

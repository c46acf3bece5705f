/** The fuzzer finds what it should, repeats itself by its seed, and finds nothing in a short run of every family. */
import { type Family, runFamily } from './family';
import { messageFamilies } from './message-families';
import { Mutator, Noise } from './mutator';
import { recordFamilies } from './record-families';

const INPUTS = 2000;

describe('the fuzzer', () => {
  const original = Buffer.from('a message with some length to it');

  it('gives the same inputs for the same seed, and others for another', () => {
    const inputs = (seed: number): string[] => {
      const mutator = new Mutator(new Noise(seed), original.length);
      return Array.from({ length: 50 }, () => mutator.damage(original, original).toString('hex'));
    };
    expect(inputs(3)).toEqual(inputs(3));
    expect(inputs(3)).not.toEqual(inputs(4));
    expect(new Set(inputs(3)).size).toBeGreaterThan(40);
  });

  it('reports what a decoder should not throw, and stops after some', async () => {
    const feed = (bytes: Buffer): 'read' => {
      if (bytes[0] !== original[0]) throw new RangeError('out of range');
      return 'read';
    };
    const { findings, read } = await runFamily(
      { name: 'broken', targets: [{ name: 'one', original, feed }] },
      { inputs: 5000, seed: 1 },
    );
    expect(findings).toHaveLength(10);
    expect(findings[0]).toMatchObject({ target: 'one', problem: expect.stringContaining('out of range') });
    expect(read).toBeGreaterThan(0);
  });

  it('reports what takes too long', async () => {
    const feed = (): 'read' => {
      const before = process.cpuUsage();
      while (process.cpuUsage(before).user < 30_000);
      return 'read';
    };
    const family: Family = { name: 'slow', targets: [{ name: 'one', original, feed }] };
    expect((await runFamily(family, { inputs: 1, seed: 1 })).findings).toMatchObject([
      { problem: expect.stringMatching(/^took \d/) },
    ]);
  });
});

it('finds nothing', async () => {
  for (const family of [...messageFamilies(), ...(await recordFamilies())]) {
    const { findings, read, refused } = await runFamily(family, { inputs: INPUTS, seed: 7 });
    expect([family.name, findings]).toEqual([family.name, []]);
    expect(Math.min(read, refused)).toBeGreaterThan(0);
  }
});

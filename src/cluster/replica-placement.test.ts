/** Placement: everything on live brokers, evenly. */
import fc from 'fast-check';
import { systemRandom } from '../base/random';
import { placeReplicas } from './replica-placement';

describe('placeReplicas', () => {
  it('puts everything on the only broker', () => {
    const placed = placeReplicas(
      { brokerIds: [7], partitionCount: 3, replicationFactor: 1, firstPartition: 2 },
      systemRandom,
    );
    expect(placed).toEqual([[7], [7], [7]]);
  });

  it('gives each partition distinct live brokers and spreads leaders evenly', () => {
    const cases = fc.record({
      count: fc.integer({ min: 1, max: 9 }),
      partitionCount: fc.integer({ min: 1, max: 40 }),
      factor: fc.integer({ min: 1, max: 9 }),
      firstPartition: fc.integer({ min: 0, max: 20 }),
    });
    fc.assert(
      fc.property(cases, ({ count, partitionCount, factor, firstPartition }) => {
        const brokerIds = Array.from({ length: count }, (_, i) => i * 3);
        const replicationFactor = Math.min(factor, count);
        const placed = placeReplicas({ brokerIds, partitionCount, replicationFactor, firstPartition }, systemRandom);
        expect(placed).toHaveLength(partitionCount);
        const leads = new Map<number, number>(brokerIds.map((id) => [id, 0]));
        for (const replicas of placed) {
          expect(new Set(replicas).size).toBe(replicationFactor);
          expect(replicas.every((id) => brokerIds.includes(id))).toBe(true);
          leads.set(replicas[0]!, leads.get(replicas[0]!)! + 1);
        }
        expect(Math.max(...leads.values()) - Math.min(...leads.values())).toBeLessThanOrEqual(1);
      }),
    );
  });
});

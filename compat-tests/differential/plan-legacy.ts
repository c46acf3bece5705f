/** Message sets as clients before record batches sent them: mostly good ones, and those that are wrong in one way. */
import { Codec } from '../../src/records/compression';
import type { Dice } from './dice';
import { record } from './plan-batches';
import type { LegacySpec, RecordsSpec } from './steps';

export function legacySet(dice: Dice, o: { isGood?: boolean } = {}): RecordsSpec {
  const count = dice.pick([1, 1, 2, 3, 7]);
  const spec: LegacySpec = {
    magic: dice.oneIn(2) ? 0 : 1,
    records: Array.from({ length: count }, () => ({ ...record(dice), headers: [] })),
    codec: dice.pick([0, 0, Codec.gzip, Codec.snappy, Codec.lz4]),
    offsets: offsets(dice, count),
    isNested: false,
  };
  switch (o.isGood ? -1 : dice.integer(20)) {
    case 0:
      return { batches: [], legacy: { ...spec, isNested: true }, trailing: 0 };
    case 1:
      return { batches: [], legacy: { ...spec, damage: [{ at: -1 - dice.integer(20), xor: 4 }] }, trailing: 0 };
    case 2:
      return { batches: [], legacy: spec, trailing: dice.pick([1, 12, 30]) };
    default:
      return { batches: [], legacy: spec, trailing: 0 };
  }
}

/** As they should be, all 0, or anything. */
function offsets(dice: Dice, count: number): number[] {
  const kind = dice.integer(3);
  return Array.from({ length: count }, (_, at) => (kind === 0 ? at : kind === 1 ? 0 : dice.integer(10)));
}

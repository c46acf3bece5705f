/** Batches of all kinds: mostly good ones, and those that are wrong in one way. */
import { Codec } from '../../src/records/compression';
import type { Dice } from './dice';
import type { BatchSpec, RecordSpec, RecordsSpec } from './steps';

const FAR_FUTURE_MS = 50 * 3_600_000;
const FAR_PAST_MS = -50 * 3_600_000;

/** Where an idempotent producer stands in one partition. */
export interface ProducerState {
  readonly index: number;
  epoch: number;
  nextSequence: number;
}

export function record(dice: Dice): RecordSpec {
  const text = (prefix: string): string => `${prefix}${dice.integer(5)}${'x'.repeat(dice.pick([0, 0, 3, 40, 150]))}`;
  return {
    key: dice.oneIn(3) ? null : dice.oneIn(6) ? '' : text('k'),
    value: dice.oneIn(8) ? null : dice.oneIn(8) ? '' : text('v'),
    time: time(dice),
    headers: dice.oneIn(5) ? [['h', dice.oneIn(3) ? null : text('h')]] : [],
  };
}

function time(dice: Dice): number | null {
  if (dice.oneIn(30)) return null;
  if (dice.oneIn(40)) return dice.pick([FAR_FUTURE_MS, FAR_PAST_MS]);
  return dice.integer(60) * 1000;
}

/** A batch that is as it should be. */
export function goodBatch(dice: Dice): BatchSpec {
  const records = Array.from({ length: dice.pick([1, 1, 2, 3, 7]) }, () => record(dice));
  return { records, codec: dice.pick([0, 0, 0, Codec.gzip, Codec.snappy, Codec.lz4, Codec.zstd]), mendCrc: true };
}

export function producerBatch(dice: Dice, state: ProducerState): BatchSpec {
  const batch = goodBatch(dice);
  const producer = { index: state.index, epoch: state.epoch, sequence: state.nextSequence };
  switch (dice.integer(11)) {
    case 0:
      // Sent before, or long before.
      return { ...batch, producer: { ...producer, sequence: Math.max(0, state.nextSequence - dice.between(1, 12)) } };
    case 1:
      return { ...batch, producer: { ...producer, sequence: state.nextSequence + dice.between(1, 3) } };
    case 2:
      return { ...batch, producer: { ...producer, epoch: Math.max(0, state.epoch - 1), sequence: dice.integer(3) } };
    case 3:
      state.epoch++;
      state.nextSequence = dice.oneIn(3) ? 4 : 0;
      break;
    case 4:
      return { ...batch, producer: { ...producer, sequence: -1 } };
    default:
  }
  const sequence = state.nextSequence;
  state.nextSequence += batch.records.length;
  return { ...batch, producer: { index: state.index, epoch: state.epoch, sequence } };
}

/** What is in one partition of a Produce request. */
export function records(dice: Dice, batch: BatchSpec): RecordsSpec {
  if (!dice.oneIn(4)) return { batches: [batch], trailing: 0 };
  switch (dice.integer(7)) {
    case 0:
      return { batches: [batch, goodBatch(dice)], trailing: 0 };
    case 1:
      return { batches: [], trailing: dice.pick([0, 5, 17]) };
    case 2:
      return { batches: [batch], trailing: dice.pick([1, 12, 16]) };
    case 3:
      return { batches: [{ ...batch, cut: dice.between(1, 80) }], trailing: 0 };
    default:
      return { batches: [wrongBatch(dice, batch)], trailing: 0 };
  }
}

function wrongBatch(dice: Dice, batch: BatchSpec): BatchSpec {
  const count = batch.records.length;
  switch (dice.integer(12)) {
    case 0:
      return { ...batch, header: { lastOffsetDelta: count - 1 + dice.pick([-1, 1, 5]) } };
    case 1:
      return { ...batch, header: { recordCount: dice.pick([0, -1, count + 1, count - 1]) } };
    case 2:
      return { ...batch, header: { recordCount: count + 1, lastOffsetDelta: count } };
    case 3:
      return { ...batch, header: { baseOffset: dice.pick([1, -1, 7]) } };
    case 4:
      // Another codec than the bytes have, or none that is known.
      return { ...batch, header: { attributes: dice.integer(8) } };
    case 5:
      // Control batches are not for clients; the others mean nothing.
      return { ...batch, header: { attributes: batch.codec | dice.pick([0x20, 0x40, 0x80]) } };
    case 6:
      return { ...batch, header: { magic: dice.pick([0, 1, 3, -1]) } };
    case 7:
      return { ...batch, header: { maxTime: dice.pick([FAR_FUTURE_MS, 0, 5]) } };
    case 8:
      return { ...batch, header: { sizeDelta: dice.pick([-1, 1, -61, 1000]) } };
    default:
      return { ...batch, damage: damage(dice), mendCrc: dice.oneIn(3) ? false : batch.mendCrc };
  }
}

function damage(dice: Dice): NonNullable<BatchSpec['damage']> {
  // Behind the header, where the records are, or near the end.
  const at = dice.oneIn(2) ? 61 + dice.integer(20) : -1 - dice.integer(20);
  return [{ at, xor: dice.pick([1, 2, 0x80, 0xff, 4]) }];
}

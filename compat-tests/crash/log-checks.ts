/**
 * What is wrong with a log, by what was acknowledged; numbers were sent in order from 0. Each throws with the first.
 */
import type { Acknowledged, Load } from './loads';
import { readLog, type StoredNumber } from './log-content';

/** Each number at most once, in order, and where it was acknowledged. */
function checkPlaces(records: readonly StoredNumber[], acknowledged: Acknowledged): Map<number, number> {
  const places = new Map<number, number>();
  let last = -1;
  for (const { number, offset } of records) {
    if (places.has(number)) throw new Error(`${number} is there twice: at ${places.get(number)} and ${offset}`);
    if (number < last) throw new Error(`${number} at ${offset} stands behind ${last}`);
    const told = acknowledged.get(number);
    if (told !== undefined && told !== offset)
      throw new Error(`${number} was acknowledged at ${told}, is at ${offset}`);
    places.set(number, offset);
    last = number;
  }
  return places;
}

/** Of an idempotent producer: all that was acknowledged from the log start on, once, in order, where it was told. */
export async function checkOnce(port: number, load: Load, o: { mustHaveMoved?: boolean } = {}): Promise<void> {
  const { startOffset, records } = await readLog(port, load.topic);
  const places = checkPlaces(records, load.acknowledged);
  for (const [number, offset] of load.acknowledged) {
    if (offset >= startOffset && places.get(number) === undefined) {
      throw new Error(`${number} was acknowledged at ${offset}; it is at no place`);
    }
  }
  if (o.mustHaveMoved && startOffset === 0) throw new Error('nothing was deleted: the check has checked too little');
  console.log(`        ${load.acknowledged.size} acknowledged, ${records.length} there, from ${startOffset} on`);
}

export async function checkNoneLost(port: number, load: Load): Promise<void> {
  const { records } = await readLog(port, load.topic);
  const there = new Set(records.map(({ number }) => number));
  const lost = [...load.acknowledged.keys()].filter((number) => !there.has(number));
  if (lost.length > 0) throw new Error(`${lost.length} acknowledged records are lost, the first is ${lost[0]}`);
  console.log(`        ${load.acknowledged.size} acknowledged, ${records.length} there`);
}

/**
 * Of an idempotent producer on a compacted topic: of each key the last that was acknowledged, or one after it; only a
 * tombstone may be gone, and then nothing older is left.
 */
export async function checkCompacted(port: number, load: KeyedLoad): Promise<void> {
  const { records } = await readLog(port, load.topic);
  checkPlaces(records, load.acknowledged);
  const newest = new Map<string, number>();
  for (const { key, number } of records) newest.set(String(key), number);
  const due = new Map<string, number>();
  for (const number of load.acknowledged.keys()) due.set(load.keyOf(number), number);
  for (const [key, number] of due) {
    const there = newest.get(key);
    if (there === undefined ? load.isTombstone(number) : there >= number) continue;
    throw new Error(`${key} is ${there ?? 'gone'}, but ${number} was acknowledged`);
  }
  const { size } = load.acknowledged;
  if (records.length > size / 2) throw new Error(`${records.length} of ${size} are left: nothing was compacted`);
  console.log(`        ${size} acknowledged, ${records.length} there, ${due.size} keys`);
}

export interface KeyedLoad extends Load {
  keyOf(number: number): string;
  isTombstone(number: number): boolean;
}

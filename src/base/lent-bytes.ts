/**
 * Bytes that were read for answers, in memory that is used again when the last answer with them has gone out. Owns who
 * has them: each that was given them gives them back once, or never, and then they are garbage like any other buffer.
 */
import { assert } from './assert';
import { SlabMemory, SMALLEST_SLAB_BYTES } from './slab-memory';

interface Loan {
  readonly slab: Buffer;
  users: number;
}

const memory = new SlabMemory();
const loans = new WeakMap<Buffer, Loan>();

/** A buffer of exactly `bytes`, with anything in it. */
export function lendBytes(bytes: number): Buffer {
  if (bytes < SMALLEST_SLAB_BYTES) return Buffer.allocUnsafe(bytes);
  const slab = memory.take(bytes);
  const lent = slab.subarray(0, bytes);
  loans.set(lent, { slab, users: 1 });
  return lent;
}

/** A further user for `bytes`, which may come from anywhere. */
export function shareLent(bytes: Buffer): void {
  const loan = loans.get(bytes);
  if (loan !== undefined) loan.users++;
}

/** One user of `bytes`, which may come from anywhere, does not look at them any more. */
export function giveBackLent(bytes: Buffer): void {
  if (bytes.length < SMALLEST_SLAB_BYTES) return;
  const loan = loans.get(bytes);
  if (loan === undefined) return;
  assert(loan.users > 0, 'lent bytes are given back once by each');
  loan.users--;
  if (loan.users > 0) return;
  loans.delete(bytes);
  memory.giveBack(loan.slab);
}

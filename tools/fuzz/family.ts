/**
 * What a fuzzer run needs of a family of decoders, and the run. Owns the bound on time and the verdict on one input.
 */
import { setImmediate } from 'node:timers/promises';
import { Mutator, Noise } from './mutator';

/** What became of one input. */
export type Outcome = 'read' | 'refused';

export interface Target {
  readonly name: string;
  /** A well-formed input. */
  readonly original: Buffer;
  /** Reads hostile bytes; throws what it should not throw. The bytes are used again after it returns. */
  readonly feed: (bytes: Buffer) => Outcome;
}

export interface Family {
  readonly name: string;
  readonly targets: readonly Target[];
}

export interface RunOptions {
  readonly inputs: number;
  readonly seed: number;
}

export interface Finding {
  readonly target: string;
  readonly hex: string;
  readonly problem: string;
}

export interface RunResult {
  readonly read: number;
  readonly refused: number;
  readonly findings: readonly Finding[];
}

const MOST_FINDINGS = 10;
/** One target in a row, so that its code stays warm. */
const INPUTS_IN_A_ROW = 64;
/** Memory of native code is given back between turns of the event loop, as in the broker. */
const INPUTS_IN_A_TURN = 4096;
/** Time that is allowed whatever the size, and for each byte. An honest decoder needs a thousandth of it. */
const ALLOWED_MS = 20;
const ALLOWED_MS_PER_BYTE = 0.02;
const SLOW_TRIES = 3;

/** Feeds damaged inputs; the same seed gives the same inputs. */
export async function runFamily(family: Family, { inputs, seed }: RunOptions): Promise<RunResult> {
  const noise = new Noise(seed);
  const longest = family.targets.reduce((most, target) => Math.max(most, target.original.length), 0);
  const mutator = new Mutator(noise, longest);
  const findings: Finding[] = [];
  const counts = { read: 0, refused: 0 };
  let target = family.targets[0]!;
  for (let done = 0; done < inputs && findings.length < MOST_FINDINGS; done++) {
    if (done % INPUTS_IN_A_ROW === 0) target = noise.pick(family.targets);
    if (done % INPUTS_IN_A_TURN === 0) await setImmediate();
    const bytes = mutator.damage(target.original, noise.pick(family.targets).original);
    const problem = problemOf(target, bytes, counts);
    if (problem !== undefined) findings.push({ target: target.name, hex: bytes.toString('hex'), problem });
  }
  return { ...counts, findings };
}

function problemOf(target: Target, bytes: Buffer, counts: Record<Outcome, number>): string | undefined {
  const startedMs = performance.now();
  try {
    counts[target.feed(bytes)]++;
  } catch (failure) {
    return failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  }
  const tookMs = performance.now() - startedMs;
  return tookMs > allowedMs(bytes) && isSlow(target, bytes) ? `took ${tookMs.toFixed(1)} ms` : undefined;
}

function allowedMs(bytes: Buffer): number {
  return ALLOWED_MS + ALLOWED_MS_PER_BYTE * bytes.length;
}

/** Whether it takes that much of the processor, again and again: a busy machine or a collection is no finding. */
function isSlow(target: Target, bytes: Buffer): boolean {
  for (let left = SLOW_TRIES; left > 0; left--) {
    const before = process.cpuUsage();
    target.feed(bytes);
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 <= allowedMs(bytes)) return false;
  }
  return true;
}

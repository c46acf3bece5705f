/** Whether memory stays flat: samples over a run, and what they say about it. Knows no process and no clock. */
import { median } from '../figures';

/** In MB of 2^20 bytes. */
export interface MemorySample {
  /** Since the start of the run. */
  readonly seconds: number;
  /** Of the process, without mapped files. */
  readonly residentMb: number;
  /** V8's heap in use. */
  readonly heapMb: number;
  /** Buffers outside of that heap. */
  readonly externalMb: number;
}

export interface MemoryVerdict {
  /** Medians of the resident memory. */
  readonly secondQuarterMb: number;
  readonly lastQuarterMb: number;
  /** Of a straight line through the second half. */
  readonly slopeMbPerMinute: number;
  readonly isFlat: boolean;
}

/** Growth within both of these is no growth: a heap breathes. */
const ALLOWED_SHARE = 0.1;
const ALLOWED_MB = 16;
const QUARTERS = 4;

function slope(samples: readonly MemorySample[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(({ seconds }) => seconds)), mean(samples.map(({ residentMb }) => residentMb))];
  let [covariance, variance] = [0, 0];
  for (const { seconds, residentMb } of samples) {
    covariance += (seconds - x) * (residentMb - y);
    variance += (seconds - x) ** 2;
  }
  return variance === 0 ? 0 : (60 * covariance) / variance;
}

/** Not flat is what has grown by more than a tenth and 16 MB from the second quarter of the run to the last. */
export function memoryVerdict(samples: readonly MemorySample[]): MemoryVerdict {
  const quarter = samples.length / QUARTERS;
  if (quarter < 1) throw new Error(`${samples.length} samples say nothing about a run`);
  const medianOf = (from: number, to: number): number =>
    median(samples.slice(Math.floor(from * quarter), Math.floor(to * quarter)).map(({ residentMb }) => residentMb));
  const [secondQuarterMb, lastQuarterMb] = [medianOf(1, 2), medianOf(3, 4)];
  const grown = lastQuarterMb - secondQuarterMb;
  return {
    secondQuarterMb,
    lastQuarterMb,
    slopeMbPerMinute: slope(samples.slice(Math.floor(2 * quarter))),
    isFlat: grown <= ALLOWED_MB || grown <= ALLOWED_SHARE * secondQuarterMb,
  };
}

/** Targets that several groups of scenarios share: rows of the project's table of targets. */
import { CPU_PER_GB, type Target } from './scenario';

const CPU: Omit<Target, 'what'> = { figure: CPU_PER_GB, of: 'ratio', atMost: 0.8 };

export const PRODUCE_RATE: Target = {
  what: 'produce 100 B and 1 KB batched, acks=1 and all',
  figure: 'MB/s',
  of: 'ratio',
  atLeast: 1,
  halfAtLeast: 1.3,
};
export const PRODUCE_CPU: Target = { what: 'broker CPU seconds per GB, produce', ...CPU };

export const CONSUME_RATE: Target = { what: 'consume, warm', figure: 'MB/s', of: 'ratio', atLeast: 1 };
export const CONSUME_CPU: Target = { what: 'broker CPU seconds per GB, consume', ...CPU };

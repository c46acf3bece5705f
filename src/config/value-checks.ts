/** Conditions on values that are shared by rows of several areas, and too particular for definition.ts. */
import type { Check } from './definition';

/** zlib's levels, and -1 for its default. */
export const gzipLevel: Check = {
  allowed: 'between 1 and 9, or -1',
  test: (value) => value === null || value === -1 || (Number(value) >= 1 && Number(value) <= 9),
  explain: () => 'Value must be between 1 and 9 or equal to -1',
};

/** Host or partition lists of replication quotas: `*`, or `partition:broker` pairs. */
export const throttledReplicas: Check = {
  allowed: '* or a list of PARTITION:BROKER',
  test: (value) => {
    const elements = Array.isArray(value) ? value : [];
    return (elements.length === 1 && elements[0] === '*') || elements.every((element) => /^\d+:\d+$/.test(element));
  },
  isToldWhole: true,
  explain: (_, name) =>
    `${name} must be the literal '*' or a list of replicas in the following format: ` +
    '[partitionId]:[brokerId],[partitionId]:[brokerId],...',
};

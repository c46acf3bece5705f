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

/** The newest `-IVn` of each release of Kafka that had settings of the record format; -1: it has none. */
const FORMAT_RELEASES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ '0.8.0': -1, '0.8.1': -1, '0.8.2': -1, '0.9.0': -1, '0.10.0': 1, '0.10.1': 2, '0.10.2': 0, '0.11.0': 2 },
    ...{ '1.0': 0, '1.1': 0, '2.0': 1, '2.1': 2, '2.2': 1, '2.3': 1, '2.4': 1, '2.5': 0, '2.6': 0, '2.7': 2, '2.8': 1 },
    ...{ '3.0': 1, '3.1': 0, '3.2': 0, '3.3': 3, '3.4': 0, '3.5': 2, '3.6': 2, '3.7': 4, '3.8': 0, '3.9': 0 },
  }),
);

/** A release of Kafka up to 3.9, as 3.9 takes it: `2.8`, `2.8-IV1`, `2.8.1`, `0.10.2`, `0.10.2.1`. */
export const formatVersion: Check = {
  allowed: 'a release of Kafka from 0.8.0 to 3.9, such as 2.8 or 2.8-IV1',
  test: (value) => {
    const text = String(value);
    const parts = text.split('.').slice(0, text.startsWith('0.') ? 3 : 2);
    const [release = '', number] = parts.join('.').split('-IV');
    const newest = FORMAT_RELEASES.get(release);
    if (newest === undefined) return false;
    return number === undefined || (/^\d$/.test(number) && Number(number) <= newest);
  },
  explain: (value) => `Version ${value} is not a valid version`,
};

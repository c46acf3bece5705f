/**
 * Golden vectors of record batches and message sets: what Kafka's classes write, and Kafka's reading of it. Owns their
 * making, and the other direction: Kafka reads batches of ours, of every codec, with the same result as we do.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { run } from '../../compat-tests/checks';
import { type BatchOptions, buildBatch, type NewRecord } from '../../src/records/batch-builder';
import { Codec } from '../../src/records/compression';

const ROOT = path.resolve(__dirname, '../..');
const JAVA_TIMEOUT_MS = 120_000;
const BATCHES_A_CODEC = 40;

async function java(jars: string, mode: 'make' | 'read', input = ''): Promise<string[]> {
  const program = path.join(ROOT, 'compat-tests/java/RecordVectors.java');
  const words = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', `${jars}/*`, program, mode];
  const text = await run('java', words, { input, timeoutMs: JAVA_TIMEOUT_MS });
  return text.trimEnd().split('\n');
}

/** Replaces the file of vectors; returns how many there are. `jars` are of a release that writes all formats. */
export async function writeBatchVectors(jars: string): Promise<number> {
  const lines = await java(jars, 'make');
  const file = path.join(ROOT, 'protocol/vectors/batches.jsonl.gz');
  writeFileSync(file, gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
  return lines.length;
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const nullable = fc.option(bytes, { nil: null });
const record: fc.Arbitrary<NewRecord> = fc.record({
  timestamp: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  key: nullable,
  value: nullable,
  headers: fc.array(fc.record({ key: fc.string({ unit: 'grapheme', maxLength: 9 }), value: nullable }), {
    maxLength: 3,
  }),
});
const options: fc.Arbitrary<BatchOptions> = fc.record({
  records: fc.array(record, { minLength: 1, maxLength: 20 }),
  baseOffset: fc.integer({ min: 0, max: 2 ** 45 }),
  producerId: fc.integer({ min: 0, max: 2 ** 45 }),
  producerEpoch: fc.nat(0x7fff),
  baseSequence: fc.nat(0x7fffffff),
  isTransactional: fc.boolean(),
});

interface Reading {
  readonly objection?: string;
  readonly batches?: readonly { readonly records: readonly unknown[] }[];
}

/** What Kafka says of our batches where it differs from what went in. */
export async function batchProblems(jars: string): Promise<string[]> {
  const made = Object.values(Codec).flatMap((codec) =>
    fc.sample(options, { numRuns: BATCHES_A_CODEC, seed: codec + 1 }).map((one) => ({ ...one, codec })),
  );
  const input = made.map((one) => `batch ${buildBatch(one).toString('hex')}\n`).join('');
  const readings = (await java(jars, 'read', input)).map((line) => JSON.parse(line) as Reading);
  return made.flatMap((one, index) => {
    const { objection, batches } = readings[index]!;
    if (objection !== undefined) return [`codec ${one.codec}, batch ${index}: ${objection}`];
    const theirs = JSON.stringify(batches?.[0]?.records);
    const ours = JSON.stringify(expected(one));
    return theirs === ours ? [] : [`codec ${one.codec}, batch ${index}: Kafka reads ${theirs}, not ${ours}`];
  });
}

function expected({ records, baseOffset = 0 }: BatchOptions): unknown[] {
  const base64 = (data: Buffer | null): string | null => data?.toString('base64') ?? null;
  return records.map(({ timestamp, key, value, headers = [] }, index) => ({
    offset: baseOffset + index,
    timestamp,
    key: base64(key),
    value: base64(value),
    headers: headers.map((header) => ({ key: header.key, value: base64(header.value) })),
  }));
}

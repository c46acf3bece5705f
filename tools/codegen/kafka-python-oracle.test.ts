/**
 * kafka-python as an oracle: what its encoders wrote (`compat-tests/clients/kafka-python/vectors.py`, kept in
 * `protocol/vectors/kafka-python.jsonl.gz`) is read as it was meant, and written the same. No Python is needed here.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ExactReader } from '../../src/codec/exact-reader';
import { messageFromJson, messageToJson } from '../../src/codec/message-json';
import { Writer } from '../../src/codec/writer';
import { shapeOf } from './emit-shapes';
import { type MessageCodec, messageCodecs } from './message-codecs';

interface Line {
  readonly from: 'schemas' | 'classes';
  readonly message?: string;
  readonly key?: number;
  readonly type?: 'request' | 'response';
  readonly version: number;
  readonly hex: string;
  readonly json?: unknown;
  readonly leaves?: readonly unknown[];
}

/** kafka-python calls some fields of these by other names. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  'DescribeClusterResponse',
  'MetadataResponse',
  'TxnOffsetCommitRequest',
]);

const file = path.resolve(__dirname, '../../protocol/vectors/kafka-python.jsonl.gz');
const lines = gunzipSync(readFileSync(file))
  .toString('utf8')
  .trimEnd()
  .split('\n')
  .map((text) => JSON.parse(text) as Line);

const byName = new Map(messageCodecs().map((codec) => [codec.name, codec]));
const nameOfKey = new Map(
  [...byName.values()].flatMap(({ api, name }) => (api === null ? [] : [[`${api.key} ${kindOf(name)}`, name]])),
);

function kindOf(name: string): string {
  return name.endsWith('Request') ? 'request' : 'response';
}

function nameOf(line: Line): string {
  return line.message ?? nameOfKey.get(`${line.key} ${line.type}`) ?? '';
}

/** The values of a message in the order of the wire. */
function leavesOf(json: unknown): unknown[] {
  if (typeof json !== 'object' || json === null) return [json];
  return Object.values(json).flatMap(leavesOf);
}

function check(codec: MessageCodec, line: Line): void {
  const { version, hex } = line;
  const shape = shapeOf(codec.message);
  const reader = new ExactReader(Buffer.from(hex, 'hex'));
  const json = messageToJson(codec.decode(reader, version), shape, version);
  expect(reader.remaining).toBe(0);
  if (line.leaves !== undefined) expect(leavesOf(json)).toEqual(line.leaves);
  else if (OTHER_NAMES.has(codec.name)) expect(leavesOf(json)).toEqual(leavesOf(line.json));
  else expect(json).toEqual(line.json);
  const writer = new Writer();
  codec.encode(writer, messageFromJson(json, shape), version);
  expect(writer.finishBuffer().toString('hex')).toBe(hex);
}

for (const name of [...new Set(lines.map(nameOf))].sort())
  it(name, () => {
    const codec = byName.get(name)!;
    for (const line of lines.filter((candidate) => nameOf(candidate) === name)) check(codec, line);
  });

it('covers the keys that kafka-python speaks, in all their versions', () => {
  const versions = new Set(lines.map((line) => `${nameOf(line)} ${line.version}`));
  process.stdout.write(`${lines.length} messages of kafka-python, ${versions.size} message versions\n`);
  expect(versions.size).toBe(524);
});

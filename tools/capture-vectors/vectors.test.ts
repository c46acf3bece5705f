/**
 * The golden vectors of messages, made by Kafka's own classes: what Kafka wrote is read as Kafka reads it, its JSON is
 * ours, and it is written the same. Every version of every message has vectors of every kind.
 */

import { apis } from '../../src/codec/generated/apis';
import {
  decodeRequestHeader,
  decodeResponseHeader,
  encodeRequestHeader,
  encodeResponseHeader,
} from '../../src/codec/header';
import { Reader } from '../../src/codec/reader';
import { Writer } from '../../src/codec/writer';
import { shapeOf } from '../codegen/emit-shapes';
import { type MessageCodec, messageCodecs } from '../codegen/message-codecs';
import { type MessageVector, readVectors, vectorProblem, vectorSources } from './message-vectors';

const HEADERS = 'schemas/headers';
const KINDS = [
  'defaults',
  'filled',
  'nulls',
  'empty',
  'maximal',
  'minimal',
  'random1',
  'random2',
  'random3',
  'random4',
];

const codecsBySource = new Map<string, MessageCodec[]>();
for (const codec of messageCodecs())
  codecsBySource.set(codec.source, [...(codecsBySource.get(codec.source) ?? []), codec]);

const counts = { vectors: 0, messageVersions: 0, recordVersions: 0, keys: new Set<number>() };

afterAll(() => {
  process.stdout.write(
    `${counts.vectors} vectors of ${counts.messageVersions} message versions of ${counts.keys.size} keys ` +
      `and of ${counts.recordVersions} versions of internal records\n`,
  );
});

function checkVersion(codec: MessageCodec, version: number, vectors: readonly MessageVector[]): void {
  const shape = shapeOf(codec.message);
  const isFlexible = version >= codec.message.firstFlexible;
  expect(vectors.map((vector) => vector.kind)).toEqual(isFlexible ? [...KINDS, 'tags'] : KINDS);
  const filled = vectors.find((vector) => vector.kind === 'filled')!;
  for (const vector of vectors) {
    const writtenHex = vector.kind === 'tags' ? filled.hex : vector.hex;
    const problem = vectorProblem(vector, { codec, shape, writtenHex });
    if (problem !== null) throw new Error(`${codec.name} v${version} ${vector.kind}: ${problem}\nKafka: ${vector.hex}`);
    counts.vectors++;
  }
  if (codec.api === null) counts.recordVersions++;
  else {
    counts.messageVersions++;
    counts.keys.add(codec.api.key);
  }
}

it('every schema has vectors, and no vectors are without a schema', () => {
  expect(vectorSources().sort()).toEqual([...codecsBySource.keys(), HEADERS].sort());
});

for (const [source, codecs] of codecsBySource)
  it(source, () => {
    const vectors = readVectors(source);
    for (const codec of codecs) {
      const { low, high } = codec.message.versions;
      for (let version = low; version <= high; version++)
        checkVersion(
          codec,
          version,
          vectors.filter((vector) => vector.message === codec.name && vector.version === version),
        );
    }
  });

describe('headers', () => {
  /** A key and version whose request has a header of this version. */
  const calls = [
    { api: apis.ControlledShutdown, apiVersion: 0 },
    { api: apis.Metadata, apiVersion: 1 },
    { api: apis.Metadata, apiVersion: 9 },
  ] as const;
  const vectors = readVectors(HEADERS);

  it('of requests', () => {
    const requests = vectors.filter((vector) => vector.message === 'RequestHeader');
    expect(new Set(requests.map((vector) => vector.version))).toEqual(new Set([0, 1, 2]));
    for (const { version, kind, hex, json } of requests) {
      const { api, apiVersion } = calls[version]!;
      const { correlationId, clientId = '' } = json as { correlationId: number; clientId?: string | null };
      const frame = Buffer.from(hex, 'hex');
      frame.writeInt16BE(api.key, 0);
      frame.writeInt16BE(apiVersion, 2);
      const header = decodeRequestHeader(frame);
      expect(header).toMatchObject({ apiKey: api.key, apiVersion, correlationId, clientId: clientId ?? '' });
      expect(header.bodyReader.remaining).toBe(0);
      if (kind === 'tags') continue;
      const writer = new Writer();
      encodeRequestHeader(writer, { api, apiVersion, correlationId }, clientId);
      expect(writer.finishBuffer().toString('hex')).toBe(frame.toString('hex'));
    }
  });

  it('of responses', () => {
    for (const { version, kind, hex, json } of vectors.filter((vector) => vector.message === 'ResponseHeader')) {
      const call = { ...calls[version + 1]!, correlationId: (json as { correlationId: number }).correlationId };
      const reader = new Reader(Buffer.from(hex, 'hex'));
      expect(decodeResponseHeader(reader, call.api, call.apiVersion)).toBe(call.correlationId);
      expect(reader.remaining).toBe(0);
      if (kind === 'tags') continue;
      const writer = new Writer();
      encodeResponseHeader(writer, call);
      expect(writer.finishBuffer().toString('hex')).toBe(hex);
    }
  });
});

/**
 * The golden vectors, made by Kafka's own classes: what Kafka wrote is read as Kafka reads it, and written the same.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Reader } from '../../src/codec/reader';
import { Writer } from '../../src/codec/writer';
import { messageCodecs } from '../codegen/message-codecs';
import { matchesJson } from './kafka-json';

const folder = path.resolve(__dirname, '../../protocol/vectors');
const codecs = messageCodecs();

interface Vector {
  readonly version: number;
  readonly hex: string;
  readonly json: Record<string, unknown>;
}

function vectors(file: string): Vector[] {
  const lines = readFileSync(path.join(folder, file), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Vector);
}

it('there are vectors for both messages of every served API', () => {
  const served = codecs.filter((codec) => codec.api?.served).map((codec) => `${codec.name}.jsonl`);
  expect(
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .sort(),
  ).toEqual(served.sort());
});

for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
  it(file, () => {
    const codec = codecs.find((candidate) => `${candidate.name}.jsonl` === file)!;
    const seen = new Set<number>();
    for (const { version, hex, json } of vectors(file)) {
      const reader = new Reader(Buffer.from(hex, 'hex'));
      const message = codec.decode(reader, version);
      expect(reader.remaining).toBe(0);
      expect(matchesJson(message, json, codec.message.struct)).toBeNull();
      const writer = new Writer();
      codec.encode(writer, message, version);
      expect(writer.finishBuffer().toString('hex')).toBe(hex);
      seen.add(version);
    }
    expect(seen.size).toBe(codec.message.versions.high - codec.message.versions.low + 1);
  });
}

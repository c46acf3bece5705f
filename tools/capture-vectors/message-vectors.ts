/**
 * Golden vectors of messages: instances that Kafka's own classes wrote, beside Kafka's JSON of them. Owns their files
 * (`protocol/vectors`, one compressed file of JSON lines a schema file) and what it means to agree with one.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ExactReader } from '../../src/codec/exact-reader';
import { MalformedMessage } from '../../src/codec/malformed';
import { messageFromJson, messageToJson } from '../../src/codec/message-json';
import type { StructShape } from '../../src/codec/message-shape';
import { Reader } from '../../src/codec/reader';
import { Writer } from '../../src/codec/writer';
import type { AnyMessage, MessageCodec } from '../codegen/message-codecs';

const ROOT = path.resolve(__dirname, '../../protocol/vectors');
const FOLDERS = ['schemas', 'records'] as const;
const ENDING = '.jsonl.gz';

export interface MessageVector {
  /** Kafka's name of the message. */
  readonly message: string;
  readonly version: number;
  /** How the instance was made; `tags` is `filled` with tags that nobody knows. */
  readonly kind: string;
  /** The release whose classes wrote it. */
  readonly kafka: string;
  readonly hex: string;
  readonly json: unknown;
}

/** Names of the files that hold vectors, as the `source` of their codecs. */
export function vectorSources(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith(ENDING))
      .map((name) => `${folder}/${name.slice(0, -ENDING.length)}`),
  );
}

export function readVectors(source: string): MessageVector[] {
  const text = gunzipSync(readFileSync(path.join(ROOT, source + ENDING))).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as MessageVector);
}

/** Replaces all files; equal vectors make equal files. */
export function writeVectors(bySource: ReadonlyMap<string, readonly MessageVector[]>): void {
  for (const folder of FOLDERS) mkdirSync(path.join(ROOT, folder), { recursive: true });
  for (const source of vectorSources()) if (!bySource.has(source)) rmSync(path.join(ROOT, source + ENDING));
  for (const [source, vectors] of bySource) {
    const text = vectors.map((vector) => `${JSON.stringify(vector)}\n`).join('');
    writeFileSync(path.join(ROOT, source + ENDING), gzipSync(text, { level: 9 }));
  }
}

export interface Expected {
  readonly codec: MessageCodec;
  readonly shape: StructShape;
  /** What is written again: the bytes themselves, or without tags that nobody knows. */
  readonly writtenHex: string;
}

/** How our codec differs from Kafka's in one vector; null: it does not. */
export function vectorProblem(vector: MessageVector, { codec, shape, writtenHex }: Expected): string | null {
  const { version, hex } = vector;
  const bytes = Buffer.from(hex, 'hex');
  const reader = new ExactReader(bytes);
  const json = JSON.stringify(messageToJson(codec.decode(reader, version), shape, version));
  if (reader.remaining > 0) return `${reader.remaining} bytes are left over`;
  if (json !== JSON.stringify(vector.json)) return `our JSON is ${json}`;
  const again = encode(codec, messageFromJson(vector.json, shape), version);
  if (again !== writtenHex) return `we write ${again} from the JSON`;
  return brokerProblem(bytes, version, { codec, shape, writtenHex });
}

/** The same with the reader of the broker, which rounds int64 beyond 2^53 or refuses them. */
function brokerProblem(bytes: Buffer, version: number, { codec, writtenHex }: Expected): string | null {
  let message: AnyMessage;
  const reader = new Reader(bytes);
  try {
    message = codec.decode(reader, version);
  } catch (refusal) {
    if (refusal instanceof MalformedMessage && refusal.message.includes('beyond 2^53')) return null;
    throw refusal;
  }
  if (reader.remaining > 0) return `the broker leaves ${reader.remaining} bytes`;
  const again = encode(codec, message, version);
  return again === writtenHex || again.length === writtenHex.length ? null : `the broker writes ${again}`;
}

function encode(codec: MessageCodec, message: AnyMessage, version: number): string {
  const writer = new Writer();
  codec.encode(writer, message, version);
  return writer.finishBuffer().toString('hex');
}

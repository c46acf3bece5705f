/**
 * The codec for people and other programs: a line of JSON in, a line of JSON out. A message in bytes becomes one in
 * JSON and the other way round, the header left out, every bit kept. Owns the form of what JSON has no word for:
 * bytes are `{"bytes": HEX}`, and an int64 that a number cannot hold is `{"int64": DIGITS}`.
 *
 *   {"api":"Fetch","version":12,"type":"request","hex":"…"}      → {"message":{…}}
 *   {"api":"Fetch","version":12,"type":"request","message":{…}}  → {"hex":"…"}
 *   anything wrong                                               → {"error":"…"}
 */
import type { Api } from './api';
import { ExactReader } from './exact-reader';
import { MAX_INT64 } from './field-values';
import { apis } from './generated/apis';
import { longFromText } from './int64';
import { MalformedMessage } from './malformed';
import { Writer } from './writer';

interface Question {
  readonly api: string;
  readonly version: number;
  readonly type: 'request' | 'response';
  readonly hex?: string;
  readonly message?: unknown;
}

interface LongLike {
  readonly high: number;
  readonly low: number;
  toString(): string;
}

function isLong(value: object): value is LongLike {
  return 'high' in value && 'low' in value && 'unsigned' in value;
}

/** A value of a decoded message in JSON's terms. */
function toJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Buffer.isBuffer(value)) return { bytes: value.toString('hex') };
  if (Array.isArray(value)) return value.map(toJson);
  // The largest safe number is how the broker writes the largest int64.
  if (isLong(value)) return Math.abs(Number(value)) < MAX_INT64 ? Number(value) : { int64: value.toString() };
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toJson(part)]));
}

/** The inverse of `toJson`. */
function fromJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromJson);
  if ('bytes' in value && typeof value.bytes === 'string') return Buffer.from(value.bytes, 'hex');
  if ('int64' in value && typeof value.int64 === 'string') return longFromText(value.int64);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fromJson(part)]));
}

function decode(api: Api<unknown, unknown>, { version, type, hex = '' }: Question): unknown {
  const reader = new ExactReader(Buffer.from(hex, 'hex'));
  const message = type === 'request' ? api.decodeRequest(reader, version) : api.decodeResponse(reader, version);
  if (reader.remaining > 0) throw new MalformedMessage(`${reader.remaining} bytes are left over`);
  return toJson(message);
}

function encode(api: Api<unknown, unknown>, { version, type, message }: Question): string {
  const writer = new Writer();
  if (type === 'request') api.encodeRequest(writer, fromJson(message), version);
  else api.encodeResponse(writer, fromJson(message), version);
  return writer.finishBuffer().toString('hex');
}

function answer(line: string): object {
  const question = JSON.parse(line) as Question;
  const { api: name, type } = question;
  if (!Object.hasOwn(apis, name)) throw new MalformedMessage(`no API is called ${name}`);
  if (type !== 'request' && type !== 'response') throw new MalformedMessage('the type is request or response');
  const api = apis[name as keyof typeof apis] as Api<unknown, unknown>;
  return question.hex === undefined ? { hex: encode(api, question) } : { message: decode(api, question) };
}

/** The answer to one line, without a newline. Never throws: this is where a person looks for what is wrong. */
export function answerMessageLine(line: string): string {
  try {
    return JSON.stringify(answer(line));
  } catch (error) {
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
  }
}

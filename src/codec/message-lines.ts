/**
 * The codec for people and other programs: a line of JSON in, a line of JSON out. A message in bytes becomes one in
 * JSON and the other way round, the header left out, every bit kept. Owns the lines; the JSON of a message is
 * `message-json.ts`.
 *
 *   {"api":"Fetch","version":12,"type":"request","hex":"…"}      → {"message":{…}}
 *   {"api":"Fetch","version":12,"type":"request","message":{…}}  → {"hex":"…"}
 *   anything wrong                                               → {"error":"…"}
 */
import type { Api } from './api';
import { ExactReader } from './exact-reader';
import { apis } from './generated/apis';
import { MalformedMessage } from './malformed';
import { messageFromJson, messageShape, messageToJson } from './message-json';
import { Writer } from './writer';

interface Question {
  readonly api: string;
  readonly version: number;
  readonly type: 'request' | 'response';
  readonly hex?: string;
  readonly message?: unknown;
}

const HEX = /^(?:[0-9a-fA-F]{2})*$/;

function decode(api: Api<unknown, unknown>, { version, type, hex }: Question): object {
  if (typeof hex !== 'string' || !HEX.test(hex)) throw new MalformedMessage('hex is not an even number of hex digits');
  const reader = new ExactReader(Buffer.from(hex, 'hex'));
  const message = type === 'request' ? api.decodeRequest(reader, version) : api.decodeResponse(reader, version);
  if (reader.remaining > 0) throw new MalformedMessage(`${reader.remaining} bytes are left over`);
  return messageToJson(message, messageShape(api, type), version);
}

function encode(api: Api<unknown, unknown>, { version, type, message }: Question): string {
  const writer = new Writer();
  const values = messageFromJson(message, messageShape(api, type));
  if (type === 'request') api.encodeRequest(writer, values, version);
  else api.encodeResponse(writer, values, version);
  return writer.finishBuffer().toString('hex');
}

function answer(line: string): object {
  const question = JSON.parse(line) as Question;
  const { api: name, version, type } = question;
  if (!Object.hasOwn(apis, name)) throw new MalformedMessage(`no API is called ${name}`);
  if (type !== 'request' && type !== 'response') throw new MalformedMessage('the type is request or response');
  const api = apis[name as keyof typeof apis] as Api<unknown, unknown>;
  if (!(version >= api.minVersion && version <= api.newestKnownVersion && Number.isInteger(version)))
    throw new MalformedMessage(`${name} has versions ${api.minVersion} to ${api.newestKnownVersion}, not ${version}`);
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

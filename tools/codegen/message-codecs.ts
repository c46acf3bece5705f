/**
 * All generated codecs beside the schemas they were generated from, for tests and tools that go through every
 * message. Owns finding them; loads every generated module, which the broker itself never does.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Reader } from '../../src/codec/reader';
import type { Writer } from '../../src/codec/writer';
import { kebab, moduleName } from './emit-tables';
import type { Message } from './schema-model';
import { parseApiSchema, parseRecordSchema } from './schema-parser';

const root = path.resolve(__dirname, '../..');

/** A message without its static type. */
export type AnyMessage = Record<string, unknown>;

export interface MessageCodec {
  readonly name: string;
  /** Its schema file, inside `protocol` and without the ending: `schemas/00-produce`. */
  readonly source: string;
  readonly message: Message;
  /** The key of its API and whether that API is served; null for records. */
  readonly api: { readonly key: number; readonly served: boolean } | null;
  create(): AnyMessage;
  decode(reader: Reader, version: number): AnyMessage;
  encode(writer: Writer, message: AnyMessage, version: number): void;
}

function texts(folder: string): { file: string; text: string }[] {
  return readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.msg'))
    .sort()
    .map((name) => ({ file: name, text: readFileSync(path.join(root, folder, name), 'utf8') }));
}

function codec(module: string, message: Message, api: MessageCodec['api']): MessageCodec {
  const source = api === null ? module : `schemas/${module}`;
  const functions = require(path.join(root, 'src/codec/generated', module)) as Record<string, unknown>;
  const { name } = message.struct;
  return {
    name,
    source,
    message,
    api,
    create: functions[`new${name}`] as MessageCodec['create'],
    decode: functions[`decode${name}`] as MessageCodec['decode'],
    encode: functions[`encode${name}`] as MessageCodec['encode'],
  };
}

/** Requests and responses in the order of their keys, then records. */
export function messageCodecs(): MessageCodec[] {
  const found: MessageCodec[] = [];
  for (const { file, text } of texts('protocol/schemas')) {
    const schema = parseApiSchema(file, text);
    for (const message of [schema.request, schema.response]) found.push(codec(moduleName(schema), message, schema));
  }
  for (const { file, text } of texts('protocol/records')) {
    const schema = parseRecordSchema(file, text);
    for (const message of schema.messages) found.push(codec(`records/${kebab(schema.name)}`, message, null));
  }
  return found;
}

/**
 * Keys and values of records as the text that follows `key:` and `payload:` in a dump: plain ones by type, those of
 * Kafka's internal topics as JSON. Never throws: a record that is not understood becomes a text that says so.
 * (Kafka: DumpLogSegments' message parsers.)
 */
import { ExactReader } from '../codec/exact-reader';
import { recordMessages } from '../codec/generated/record-messages';
import { int64Text } from '../codec/int64';
import { MalformedMessage } from '../codec/malformed';
import { type Json, messageToJson } from '../codec/message-json';
import type { RecordMessage } from '../codec/message-shape';

export interface RecordToDecode {
  readonly offset: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** Undefined: nothing is shown. */
export interface DecodedRecord {
  readonly key: string | undefined;
  readonly payload: string | undefined;
}

export type RecordDecoder = (record: RecordToDecode) => DecodedRecord;

type BytesDecoder = (bytes: Buffer) => string;

/** By the last part of the name of Kafka's class. */
const BYTES_DECODERS: Readonly<Record<string, BytesDecoder>> = {
  StringDecoder: (bytes) => bytes.toString('utf8'),
  IntegerDecoder: (bytes) => (bytes.length === 4 ? String(bytes.readInt32BE(0)) : notOf(4, bytes)),
  LongDecoder: (bytes) => (bytes.length === 8 ? int64Text(new ExactReader(bytes).int64()) : notOf(8, bytes)),
  DefaultDecoder: (bytes) => bytes.toString('hex'),
};

export const BYTES_DECODER_NAMES: readonly string[] = Object.keys(BYTES_DECODERS);

function notOf(size: number, bytes: Buffer): string {
  return `${bytes.length} bytes instead of ${size}: ${bytes.toString('hex')}`;
}

/** A decoder of plain keys and values, by names out of `BYTES_DECODER_NAMES`. */
export function plainDecoder(names: { key: string; value: string }): RecordDecoder {
  const ofKey = BYTES_DECODERS[names.key]!;
  const ofValue = BYTES_DECODERS[names.value]!;
  return ({ key, value }) => ({
    key: key === null ? undefined : ofKey(key),
    payload: value === null ? undefined : ofValue(value),
  });
}

/** What Kafka calls the states of a transaction. */
const TRANSACTION_STATES = [
  'Empty',
  'Ongoing',
  'PrepareCommit',
  'PrepareAbort',
  'CompleteCommit',
  'CompleteAbort',
  'Dead',
  'PrepareEpochFence',
];

interface Family {
  readonly names: RegExp;
  /** Makes more readable what is only bytes or a number to the schema. */
  readonly refine?: (name: string, value: { [name: string]: Json }) => void;
}

const GROUPS: Family = {
  names: /^(LegacyOffsetCommit|OffsetCommit|GroupMetadata|(Consumer|Share|Streams)Group\w+)Key$/,
  refine: (name, value) => {
    if (name !== 'GroupMetadata' || value.protocolType !== 'consumer') return;
    for (const member of value.members as unknown as { [name: string]: Json }[]) {
      member.subscription = protocolJson('ConsumerProtocolSubscription', member.subscription as string);
      member.assignment = protocolJson('ConsumerProtocolAssignment', member.assignment as string);
    }
  },
};

const TRANSACTIONS: Family = {
  names: /^TransactionLogKey$/,
  refine: (_, value) => {
    const id = value.transactionStatus as number;
    value.transactionStatus = TRANSACTION_STATES[id] ?? String(id);
  },
};

const SHARE_STATE: Family = { names: /^Share(Snapshot|Update)Key$/ };

/** What a member said about itself; the bytes as they are where they are something else. */
function protocolJson(name: string, base64: string): Json {
  const bytes = Buffer.from(base64, 'base64');
  try {
    const reader = new ExactReader(bytes);
    return jsonOf(recordMessages[name]!, reader, reader.int16());
  } catch (error) {
    if (error instanceof MalformedMessage) return base64;
    throw error;
  }
}

function jsonOf({ shape, decode }: RecordMessage, reader: ExactReader, version: number): { [name: string]: Json } {
  return messageToJson(decode(reader, version), shape, version);
}

/** A decoder of records whose keys begin with the number of their kind. */
function coordinatorDecoder({ names, refine }: Family): RecordDecoder {
  const kinds = new Map<number, string>();
  for (const [name, { id }] of Object.entries(recordMessages))
    if (names.test(name) && id !== undefined) kinds.set(id, name.slice(0, -'Key'.length));
  return ({ offset, key, value }) => {
    if (key === null) return { key: `Error at offset ${offset}, skipping. The record has no key`, payload: undefined };
    try {
      const keyReader = new ExactReader(key);
      const kind = keyReader.int16();
      const name = kinds.get(kind);
      if (name === undefined)
        return { key: `Unknown record type ${kind} at offset ${offset}, skipping.`, payload: undefined };
      const keyJson = jsonOf(recordMessages[`${name}Key`]!, keyReader, 0);
      const keyText = JSON.stringify({ type: String(kind), data: keyJson });
      if (value === null) return { key: keyText, payload: '<DELETE>' };
      const reader = new ExactReader(value);
      const version = reader.int16();
      const data = jsonOf(recordMessages[`${name}Value`]!, reader, version);
      refine?.(name, data);
      return { key: keyText, payload: JSON.stringify({ version: String(version), data }) };
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      return { key: `Error at offset ${offset}, skipping. ${error.message}`, payload: undefined };
    }
  };
}

export const offsetsDecoder = (): RecordDecoder => coordinatorDecoder(GROUPS);
export const transactionLogDecoder = (): RecordDecoder => coordinatorDecoder(TRANSACTIONS);
export const shareGroupStateDecoder = (): RecordDecoder => coordinatorDecoder(SHARE_STATE);

/** Records of KRaft's log: frame version, kind, version, content; no keys. */
export function clusterMetadataDecoder(): RecordDecoder {
  const kinds = new Map<number, string>();
  for (const [name, { id }] of Object.entries(recordMessages))
    if (/Record$/.test(name) && !name.startsWith('Remote') && id !== undefined) kinds.set(id, name);
  return ({ offset, value }) => {
    try {
      const reader = new ExactReader(value ?? Buffer.alloc(0));
      const frameVersion = reader.uvarint();
      if (frameVersion !== 1) throw new MalformedMessage(`Unknown frame version ${frameVersion}`);
      const kind = reader.uvarint();
      const name = kinds.get(kind);
      if (name === undefined) throw new MalformedMessage(`Unknown metadata record type ${kind}`);
      const version = reader.uvarint();
      const data = jsonOf(recordMessages[name]!, reader, version);
      return { key: undefined, payload: JSON.stringify({ type: upperSnake(name), version, data }) };
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      return { key: undefined, payload: `Error at ${offset}, skipping. ${error.message}` };
    }
  };
}

/** `TOPIC_RECORD` for `TopicRecord`. */
function upperSnake(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

/**
 * What a message consists of, as data: for those who print messages or read them from JSON. Owns the vocabulary alone;
 * the shapes of all requests and responses are generated (`generated/shapes.ts`) and loaded by tools, never by the
 * running broker, whose decoders have all of this in their code.
 */
import type { Reader } from './reader';

export type ValueType =
  | 'bool'
  | 'int8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'float64'
  | 'uuid'
  | 'string'
  | 'bytes'
  | 'records';

export interface StructShape {
  /** Kafka's name, with that of the message in front where two messages have a struct of this name. */
  readonly name: string;
  readonly fields: readonly FieldShape[];
}

/** Fields stand in the order of the wire, tagged ones where Kafka describes them. */
export interface FieldShape {
  readonly name: string;
  /** Of the value, or of each element of the array. */
  readonly type: ValueType | StructShape;
  readonly isArray?: true;
  /** The first version that has the field; left out: 0. */
  readonly low?: number;
  /** The last version that has it; left out: the newest. */
  readonly high?: number;
  /** Lies in the tagged fields, and is left out when it holds its default. */
  readonly isTagged?: true;
  /** In the form of JSON; left out: 0, false, empty, the zero uuid, a struct of defaults. */
  readonly defaultValue?: boolean | number | string | null;
}

/** A record of one of Kafka's internal logs, or its key, for those who print them. */
export interface RecordMessage {
  /** The number that stands for it in its log, where it has one. */
  readonly id: number | undefined;
  readonly shape: StructShape;
  /** Throws `MalformedMessage`. */
  decode(reader: Reader, version: number): unknown;
}

const ZERO_BY_TYPE: Readonly<Record<ValueType, boolean | number | string>> = {
  bool: false,
  int8: 0,
  int16: 0,
  uint16: 0,
  int32: 0,
  uint32: 0,
  int64: 0,
  float64: 0,
  uuid: 'A'.repeat(22),
  string: '',
  bytes: '',
  records: '',
};

/** The default of a field in the form of JSON. */
export function defaultJson(field: FieldShape): unknown {
  if (field.defaultValue !== undefined) return field.defaultValue;
  if (field.isArray) return [];
  if (typeof field.type === 'string') return ZERO_BY_TYPE[field.type];
  return Object.fromEntries(field.type.fields.map((part) => [part.name, defaultJson(part)]));
}

export function isInVersion(field: FieldShape, version: number): boolean {
  return version >= (field.low ?? 0) && (field.high === undefined || version <= field.high);
}

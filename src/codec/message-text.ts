/**
 * A message for people to read: a line a field, parts indented, errors by name, bytes as text where they are text.
 * Owns the form; fields that the version lacks and tagged fields at their default are left out, as in the JSON.
 */
import { errorName } from './generated/errors';
import { int64Text } from './int64';
import { isPresent } from './message-json';
import type { FieldShape, StructShape } from './message-shape';

export interface TextOptions {
  readonly version: number;
  /** Lines about record bytes. */
  readonly describeRecords: (records: Buffer) => readonly string[];
}

const LONGEST_SHOWN_BYTES = 64;
const PRINTABLE = /^[\x20-\x7e]*$/;
const ERROR_FIELD = /^errorCode$|ErrorCode$/;

export function messageText(message: unknown, shape: StructShape, options: TextOptions): string[] {
  const values = message as Readonly<Record<string, unknown>>;
  return shape.fields
    .filter((field) => isPresent(values[field.name], field, options.version))
    .flatMap((field) => fieldText(values[field.name], field, options));
}

function fieldText(value: unknown, field: FieldShape, options: TextOptions): string[] {
  const { name, type } = field;
  if (value === null) return [`${name}: null`];
  if (field.isArray) {
    const elements = value as readonly unknown[];
    if (typeof type === 'string' || elements.length === 0)
      return [`${name}: [${elements.map((element) => valueText(element, field)).join(', ')}]`];
    return [`${name}:`, ...elements.flatMap((element) => item(messageText(element, type, options)))];
  }
  if (typeof type !== 'string') return [`${name}:`, ...indented(messageText(value, type, options))];
  if (type !== 'records') return [`${name}: ${valueText(value, field)}`];
  const records = value as Buffer;
  return [`${name}: ${records.length} bytes`, ...indented(options.describeRecords(records))];
}

/** The lines of one element of an array. */
function item(lines: readonly string[]): string[] {
  return lines.length === 0 ? ['  -'] : lines.map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`);
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function valueText(value: unknown, { name, type }: FieldShape): string {
  if (type === 'string') return JSON.stringify(value);
  if (type === 'bytes' || type === 'records') return bytesText(value as Buffer);
  if (type === 'int64') return int64Text(value as number);
  return ERROR_FIELD.test(name) ? `${value} ${errorName(value as number)}` : String(value);
}

/** Bytes as text in quotes where they are printable, else in hex; long ones cut off. */
export function bytesText(bytes: Buffer): string {
  const shown = bytes.subarray(0, LONGEST_SHOWN_BYTES);
  const text = shown.toString('latin1');
  const rest = bytes.length > shown.length ? `… (${bytes.length} bytes)` : '';
  return (PRINTABLE.test(text) ? JSON.stringify(text) : `0x${shown.toString('hex')}`) + rest;
}

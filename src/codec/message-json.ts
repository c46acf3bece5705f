/**
 * Messages as JSON in the form of Kafka's own converters, and back. Owns that form: names with a small first letter,
 * bytes and records as base64, uuids as they are, fields that the version lacks and tagged fields at their default
 * left out. Two things JSON cannot say as a number are texts: an int64 beyond ±2^53 is its digits, a float64 that is
 * none of the numbers is its name. Reading takes what writing gives, fills in defaults, and refuses the rest with the
 * path of what is wrong.
 */
import { MAX_INT64, MIN_INT64 } from './field-values';
import { shapes } from './generated/shapes';
import { type Int64Halves, int64Text, longFromText } from './int64';
import { MalformedMessage } from './malformed';
import { defaultJson, type FieldShape, isInVersion, type StructShape, type ValueType } from './message-shape';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const LIMITS: Readonly<Partial<Record<ValueType, readonly [number, number]>>> = {
  int8: [-0x80, 0x7f],
  int16: [-0x8000, 0x7fff],
  uint16: [0, 0xffff],
  int32: [-0x80000000, 0x7fffffff],
  uint32: [0, 0xffffffff],
};
const FLOAT_NAMES: readonly string[] = ['NaN', 'Infinity', '-Infinity', '-0'];
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const INT64_TEXT = /^-?\d{1,19}$/;

/** The shape of one of an API's two messages. */
export function messageShape(api: { readonly name: string }, type: 'request' | 'response'): StructShape {
  return shapes[`${api.name}${type === 'request' ? 'Request' : 'Response'}`]!;
}

/** `message` as the decoder of this version gave it, with numbers or with `Long` for int64. */
export function messageToJson(message: unknown, shape: StructShape, version: number): { [name: string]: Json } {
  const values = message as Readonly<Record<string, unknown>>;
  const json: { [name: string]: Json } = {};
  for (const field of shape.fields) {
    const value = values[field.name];
    if (isPresent(value, field, version)) json[field.name] = fieldToJson(value, field, version);
  }
  return json;
}

/** Whether a field with this value is on the wire: the version has it, and it is no tagged field at its default. */
export function isPresent(value: unknown, field: FieldShape, version: number): boolean {
  return isInVersion(field, version) && !(field.isTagged && isDefault(value, field));
}

/** Of a struct all fields count, those that the version lacks included. */
function isDefault(value: unknown, field: FieldShape): boolean {
  const fallback = defaultJson(field);
  if (value === null || fallback === null) return value === fallback;
  if (field.isArray) return (value as readonly unknown[]).length === 0;
  const { type } = field;
  // The ends of int64 come as `Long` from the wire, where they were written out, and as numbers where they were not.
  if (isWrittenOut(value, type)) return false;
  if (typeof type === 'string') return elementToJson(value, type, 0) === fallback;
  const parts = value as Readonly<Record<string, unknown>>;
  return type.fields.every((part) => isDefault(parts[part.name], part));
}

function isWrittenOut(value: unknown, type: FieldShape['type']): boolean {
  return type === 'int64' && typeof value === 'object' && typeof int64ToJson(value as Int64Halves) === 'string';
}

function fieldToJson(value: unknown, field: FieldShape, version: number): Json {
  if (value === null) return null;
  if (field.isArray) return (value as readonly unknown[]).map((element) => elementToJson(element, field.type, version));
  return elementToJson(value, field.type, version);
}

function elementToJson(value: unknown, type: FieldShape['type'], version: number): Json {
  if (typeof type !== 'string') return messageToJson(value, type, version);
  switch (type) {
    case 'bytes':
    case 'records':
      return (value as Buffer).toString('base64');
    case 'int64':
      return int64ToJson(value as number | Int64Halves);
    case 'float64':
      return floatToJson(value as number);
    default:
      return value as boolean | number | string;
  }
}

function int64ToJson(value: number | Int64Halves): number | string {
  const text = int64Text(value);
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
}

function floatToJson(value: number): number | string {
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}

/** Throws `MalformedMessage`. What the encoder has to refuse in this version it refuses itself. */
export function messageFromJson(json: unknown, shape: StructShape): Record<string, unknown> {
  return structFromJson(json, shape, shape.name);
}

function structFromJson(json: unknown, shape: StructShape, path: string): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw unfit(json, 'an object', path);
  const values = json as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(values))
    if (!shape.fields.some((field) => field.name === name))
      throw new MalformedMessage(`${path} has no field ${name} in any version`);
  const message: Record<string, unknown> = {};
  for (const field of shape.fields) {
    message[field.name] = Object.hasOwn(values, field.name)
      ? fieldFromJson(values[field.name], field, `${path}.${field.name}`)
      : defaultOf(field);
  }
  return message;
}

/** As the decoder gives it for a field that is not there. */
function defaultOf(field: FieldShape): unknown {
  const json = defaultJson(field);
  if (field.type !== 'int64' || typeof json !== 'string') return fieldFromJson(json, field, field.name);
  return json.startsWith('-') ? MIN_INT64 : MAX_INT64;
}

function fieldFromJson(json: unknown, field: FieldShape, path: string): unknown {
  if (json === null) return null;
  if (!field.isArray) return elementFromJson(json, field.type, path);
  if (!Array.isArray(json)) throw unfit(json, 'an array', path);
  return json.map((element, index) => elementFromJson(element, field.type, `${path}[${index}]`));
}

function elementFromJson(json: unknown, type: FieldShape['type'], path: string): unknown {
  if (typeof type !== 'string') return structFromJson(json, type, path);
  switch (type) {
    case 'bool':
      if (typeof json !== 'boolean') throw unfit(json, 'true or false', path);
      return json;
    case 'string':
    case 'uuid':
      if (typeof json !== 'string') throw unfit(json, 'a text', path);
      return json;
    case 'bytes':
    case 'records':
      if (typeof json !== 'string' || !BASE64.test(json)) throw unfit(json, 'base64', path);
      return Buffer.from(json, 'base64');
    case 'int64':
      return int64FromJson(json, path);
    case 'float64':
      if (FLOAT_NAMES.includes(json as string)) return Number(json);
      if (typeof json !== 'number') throw unfit(json, 'a number', path);
      return json;
    default: {
      const [least, greatest] = LIMITS[type]!;
      if (!Number.isInteger(json) || (json as number) < least || (json as number) > greatest)
        throw unfit(json, `an ${type}`, path);
      return json;
    }
  }
}

/** The two safe numbers that stand for the ends of int64 elsewhere are meant here as they are. */
function int64FromJson(json: unknown, path: string): unknown {
  const text = typeof json === 'number' && Number.isSafeInteger(json) ? String(json) : json;
  if (typeof text !== 'string' || !INT64_TEXT.test(text))
    throw unfit(json, 'an int64 (beyond 2^53 as a text of digits)', path);
  if (json !== MAX_INT64 && json !== MIN_INT64 && typeof json === 'number') return json;
  const value = longFromText(text);
  // Its digits have wrapped around where they say more than 64 bits.
  if (value.toString() !== text.replace(/^(-?)0+(?=\d)/, '$1')) throw unfit(json, 'an int64', path);
  return value;
}

function unfit(json: unknown, what: string, path: string): MalformedMessage {
  return new MalformedMessage(`${path} is not ${what}: ${JSON.stringify(json)?.slice(0, 60)}`);
}

/**
 * Random messages of any schema and version, for property tests and golden vectors. Owns what counts as a valid
 * value: fields that the version lacks hold their default, everything else ranges over all that the wire can carry.
 */
import fc from 'fast-check';
import { MAX_INT64, MIN_INT64 } from '../../src/codec/field-values';
import { defaultValue } from './emit-values';
import type { AnyMessage, MessageCodec } from './message-codecs';
import type { Field, PrimitiveType, Struct } from './schema-model';

const safe = fc.maxSafeInteger().filter((value) => value !== MAX_INT64 && value !== MIN_INT64);
const buffer = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
const text = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }));

const primitives: Readonly<Record<PrimitiveType, fc.Arbitrary<unknown>>> = {
  bool: fc.boolean(),
  int8: fc.integer({ min: -0x80, max: 0x7f }),
  int16: fc.integer({ min: -0x8000, max: 0x7fff }),
  uint16: fc.integer({ min: 0, max: 0xffff }),
  int32: fc.integer(),
  uint32: fc.integer({ min: 0, max: 0xffffffff }),
  int64: fc.oneof({ arbitrary: safe, weight: 8 }, fc.constantFrom(MAX_INT64, MIN_INT64)),
  float64: fc.double({ noNaN: true }),
  uuid: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  string: text,
  bytes: buffer,
  records: buffer,
};

function within(range: { low: number; high: number } | null, version: number): boolean {
  return range !== null && version >= range.low && version <= range.high;
}

/** The shape of arrays: how many elements, and whether null and random defaults may occur. */
export interface Shape {
  readonly minElements: number;
  readonly maxElements: number;
  readonly nulls: boolean;
}

const anyShape: Shape = { minElements: 0, maxElements: 3, nulls: true };

function elementArbitrary(field: Field, version: number, shape: Shape): fc.Arbitrary<unknown> {
  if (field.element.kind === 'struct') return structArbitrary(field.element.struct, version, shape);
  return field.exact ? safe : primitives[field.element.primitive];
}

function fieldArbitrary(field: Field, version: number, shape: Shape): fc.Arbitrary<unknown> {
  const element = elementArbitrary(field, version, shape);
  const value = field.isArray
    ? fc.array(element, { minLength: shape.minElements, maxLength: shape.maxElements })
    : element;
  return shape.nulls && within(field.nullable, version) ? fc.option(value, { nil: null, freq: 3 }) : value;
}

function structArbitrary(struct: Struct, version: number, shape: Shape): fc.Arbitrary<AnyMessage> {
  const present: Record<string, fc.Arbitrary<unknown>> = {};
  for (const field of struct.fields)
    present[field.name] = within(field.versions, version)
      ? fieldArbitrary(field, version, shape)
      : fc.constant(null).map(() => defaultOf(field));
  return fc.record(present);
}

/** The value that the generated code's default expression stands for. */
export function defaultOf(field: Field): unknown {
  const expression = defaultValue(field);
  if (expression === '[]') return [];
  if (expression === 'EMPTY') return Buffer.alloc(0);
  if (expression === 'ZERO_UUID') return 'A'.repeat(22);
  if (expression === 'MAX_INT64') return MAX_INT64;
  if (expression === 'MIN_INT64') return MIN_INT64;
  if (expression.startsWith('new') && field.element.kind === 'struct') return defaultStruct(field.element.struct);
  return JSON.parse(expression.replaceAll("'", '"'));
}

function defaultStruct(struct: Struct): AnyMessage {
  return Object.fromEntries(struct.fields.map((field) => [field.name, defaultOf(field)]));
}

export function messageArbitrary(codec: MessageCodec, version: number, shape = anyShape): fc.Arbitrary<AnyMessage> {
  return structArbitrary(codec.message.struct, version, shape);
}

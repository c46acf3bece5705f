/**
 * The TypeScript of single fields: types, defaults, tests for the default, version conditions, smallest sizes. Owns
 * small expressions; the functions made of them are in `emit-decode.ts` and `emit-encode.ts`.
 */
import { covers, type Field, type Message, type PrimitiveType, type Struct, type VersionRange } from './schema-model';

const primitiveTypeText: Readonly<Record<PrimitiveType, string>> = {
  bool: 'boolean',
  int8: 'number',
  int16: 'number',
  uint16: 'number',
  int32: 'number',
  uint32: 'number',
  int64: 'number',
  float64: 'number',
  uuid: 'string',
  string: 'string',
  bytes: 'Buffer',
  records: 'Records',
};

/** Sizes on the wire in bytes: classic and flexible; the smallest possible for types of any length. */
const smallestSize: Readonly<Record<PrimitiveType, readonly [number, number]>> = {
  bool: [1, 1],
  int8: [1, 1],
  int16: [2, 2],
  uint16: [2, 2],
  int32: [4, 4],
  uint32: [4, 4],
  int64: [8, 8],
  float64: [8, 8],
  uuid: [16, 16],
  string: [2, 1],
  bytes: [4, 1],
  records: [4, 1],
};

export function elementTypeText(field: Field): string {
  return field.element.kind === 'struct' ? field.element.struct.name : primitiveTypeText[field.element.primitive];
}

export function holdsNull(field: Field): boolean {
  return field.nullable !== null || field.defaultText === 'null';
}

export function typeText(field: Field): string {
  return `${elementTypeText(field)}${field.isArray ? '[]' : ''}${holdsNull(field) ? ' | null' : ''}`;
}

/** An expression for the value that stands for "not there". */
export function defaultValue(field: Field): string {
  const { defaultText, element } = field;
  if (defaultText === 'null') return 'null';
  if (field.isArray) return '[]';
  if (element.kind === 'struct') return `new${element.struct.name}()`;
  switch (element.primitive) {
    case 'bool':
      return defaultText ?? 'false';
    case 'string':
      return `'${defaultText ?? ''}'`;
    case 'uuid':
      return 'ZERO_UUID';
    case 'bytes':
      return 'EMPTY';
    case 'records':
      return holdsNull(field) ? 'null' : 'EMPTY';
    case 'int64': {
      const value = Number(defaultText ?? '0');
      return Number.isSafeInteger(value) ? String(value) : `${value < 0 ? 'MIN' : 'MAX'}_INT64`;
    }
    default:
      return String(Number(defaultText ?? '0'));
  }
}

/** A condition that holds when `expression` (of this field's type) is the default. */
export function isDefault(field: Field, expression: string): string {
  const value = defaultValue(field);
  if (value === '[]' || value === 'EMPTY') {
    const empty = `${expression}.length === 0`;
    return holdsNull(field) ? `(${expression} !== null && ${empty})` : empty;
  }
  if (value === 'true') return expression;
  if (value === 'false') return `!${expression}`;
  if (value.startsWith('new')) {
    const test = `isDefault${elementTypeText(field)}(${expression})`;
    return holdsNull(field) ? `(${expression} !== null && ${test})` : test;
  }
  return `${expression} === ${value}`;
}

/** A condition on `version`, null where it always holds within `known`. */
export function versionCondition(range: VersionRange, known: VersionRange): string | null {
  if (covers(range, known)) return null;
  const parts: string[] = [];
  if (range.low === range.high) return `version === ${range.low}`;
  if (range.low > known.low) parts.push(`version >= ${range.low}`);
  if (range.high < known.high) parts.push(`version <= ${range.high}`);
  return parts.join(' && ');
}

export type Flexibility = 'always' | 'never' | 'mixed';

export function flexibility(message: Message, versions: VersionRange): Flexibility {
  if (versions.low >= message.firstFlexible) return 'always';
  return versions.high < message.firstFlexible ? 'never' : 'mixed';
}

/** Chooses between a flexible and a classic expression; `flexible` is a local of the generated function. */
export function choose(how: Flexibility, flexible: string, classic: string): string {
  if (how === 'always' || flexible === classic) return flexible;
  return how === 'never' ? classic : `flexible ? ${flexible} : ${classic}`;
}

/** The least number of bytes that one value takes in the given encoding, over all its versions. */
export function smallestElementSize(message: Message, field: Field, flexible: boolean): number {
  if (field.element.kind === 'primitive') return smallestSize[field.element.primitive][flexible ? 1 : 0];
  return smallestStructSize(message, field.element.struct, flexible);
}

function smallestStructSize(message: Message, struct: Struct, flexible: boolean): number {
  const low = flexible ? Math.max(struct.versions.low, message.firstFlexible) : struct.versions.low;
  const high = flexible ? struct.versions.high : Math.min(struct.versions.high, message.firstFlexible - 1);
  let smallest = Number.POSITIVE_INFINITY;
  for (let version = low; version <= high; version++) {
    let size = flexible ? 1 : 0;
    for (const field of struct.fields) {
      if (field.tag !== null || version < field.versions.low || version > field.versions.high) continue;
      if (field.isArray) size += flexible ? 1 : 4;
      else if (field.nullable !== null && field.element.kind === 'struct') size += 1;
      else size += smallestElementSize(message, field, flexible);
    }
    smallest = Math.min(smallest, size);
  }
  return Number.isFinite(smallest) ? smallest : 1;
}

const reserved = new Set(
  (
    'version reader writer message flexible tag tags end at left count mark partial default enum class new delete ' +
    'function in of typeof var void with return switch this null true false import export package private public static'
  ).split(' '),
);

/** `camelCase(['compact', 'nullable', 'string'])` → `compactNullableString`. */
function camelCase(words: readonly string[]): string {
  return words.map((word, index) => (index === 0 ? word : word[0]!.toUpperCase() + word.slice(1))).join('');
}

/** The method of reader and writer for a type of variable size (or `arrayLength`). */
export function methodName(type: string, compact: boolean, nullable: boolean): string {
  return camelCase([...(compact ? ['compact'] : []), ...(nullable ? ['nullable'] : []), type]);
}

/** The name of the local variable that holds a field while its struct is decoded. */
export function localName(field: Field): string {
  return reserved.has(field.name) ? `${field.name}Value` : field.name;
}

/**
 * What a schema file says, after parsing: messages of fields with version ranges. Owns the shapes and the small
 * questions every emitter asks of them. Knows neither the text format (`schema-parser.ts`) nor TypeScript
 * (`emit-*.ts`). Invariant: `versions` of a field lies inside the versions of the struct that holds it.
 */

/** Both ends belong to the range. */
export interface VersionRange {
  readonly low: number;
  readonly high: number;
}

export const primitiveTypes = [
  'bool',
  'int8',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int64',
  'float64',
  'uuid',
  'string',
  'bytes',
  'records',
] as const;
export type PrimitiveType = (typeof primitiveTypes)[number];

export type ElementType =
  | { readonly kind: 'primitive'; readonly primitive: PrimitiveType }
  | { readonly kind: 'struct'; readonly struct: Struct };

export interface Field {
  readonly name: string;
  readonly isArray: boolean;
  readonly element: ElementType;
  readonly versions: VersionRange;
  /** Versions in which null may stand on the wire; null: never. */
  readonly nullable: VersionRange | null;
  readonly tag: number | null;
  /** An int64 that must not be rounded: outside 2^53 it is malformed. */
  readonly exact: boolean;
  /** May hold a non-default value when written in a version that lacks the field. */
  readonly ignorable: boolean;
  /** As written after `=`; null: the default of the type. */
  readonly defaultText: string | null;
}

export interface Struct {
  /** The name in the generated code; made unique in its file by `schema-names.ts`. */
  name: string;
  versions: VersionRange;
  fields: Field[];
}

export interface Message {
  readonly struct: Struct;
  readonly versions: VersionRange;
  /** Infinity: no version is flexible. */
  readonly firstFlexible: number;
}

export interface ApiSchema {
  readonly kind: 'api';
  readonly key: number;
  readonly name: string;
  readonly versions: VersionRange;
  /** The newest version that may be advertised; newer ones are known and not yet released. */
  readonly newestReleased: number;
  readonly firstFlexible: number;
  readonly served: boolean;
  readonly request: Message;
  readonly response: Message;
}

export interface RecordSchema {
  readonly kind: 'record';
  /** The number that stands for this record in the log that holds it, where it has one. */
  readonly id: number | null;
  readonly name: string;
  readonly messages: readonly Message[];
}

/** The part of two ranges that both hold; null where there is none. */
export function intersect(left: VersionRange, right: VersionRange): VersionRange | null {
  const low = Math.max(left.low, right.low);
  const high = Math.min(left.high, right.high);
  return low <= high ? { low, high } : null;
}

export function covers(outer: VersionRange, inner: VersionRange): boolean {
  return outer.low <= inner.low && outer.high >= inner.high;
}

/** Every struct that the message holds, innermost first, each once, the message's own last. */
export function structsOf(message: Message): Struct[] {
  const found = new Set<Struct>();
  const visit = (struct: Struct): void => {
    if (found.has(struct)) return;
    for (const field of struct.fields) if (field.element.kind === 'struct') visit(field.element.struct);
    found.add(struct);
  };
  visit(message.struct);
  return [...found];
}

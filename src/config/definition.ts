/**
 * The shape of one row of the configuration table and the functions that make rows. Owns Kafka's configuration types:
 * how a text becomes a value and a value a text. Knows no key.
 */
import { err, ok, type Result } from '../base/result';

export type ConfigType = 'boolean' | 'int' | 'short' | 'long' | 'double' | 'string' | 'list' | 'password' | 'class';

export type ConfigValue = boolean | number | string | readonly string[] | null;

/** A condition on a value beyond its type. */
export interface Check {
  /** What is allowed, to follow "must be". */
  readonly allowed: string;
  test(value: ConfigValue): boolean;
  /** What Kafka tells a client of a value that fails the test; without it, `allowed` is told. */
  explain?(value: ConfigValue, name: string): string;
  /** Whether a list that fails is told whole, and not its first wrong element. */
  readonly isToldWhole?: boolean;
}

/** When a changed value counts: after a restart, at once on one broker, at once for the whole cluster. */
export type UpdateMode = 'read-only' | 'per-broker' | 'cluster-wide';

/**
 * What a setting does here: `full` as in Kafka; `none` accepted so that existing files work, without effect;
 * `refused` any value but the default stops the start, since ignoring it would be dangerous.
 */
export type Effect = 'full' | 'none' | 'refused';

export interface DefinitionOptions {
  readonly check?: Check | undefined;
  readonly update?: UpdateMode;
  readonly effect?: Effect;
  /** Whether a change at run time may at most double or halve the value, as Kafka has it for its thread pools. */
  readonly inSteps?: boolean;
  /** Where our default is not Kafka's: Kafka's, as text. */
  readonly kafkaDefault?: string;
}

export interface Definition<T extends ConfigValue = ConfigValue> {
  readonly type: ConfigType;
  readonly default: T;
  readonly doc: string;
  readonly check: Check | undefined;
  readonly update: UpdateMode;
  readonly effect: Effect;
  readonly inSteps: boolean;
  readonly kafkaDefault: string | undefined;
}

/** Long.MAX_VALUE as a number. */
export const MAX_LONG = 2 ** 63;
export const MAX_INT = 2 ** 31 - 1;

type Row<T extends ConfigValue> = (value: T, doc: string, options?: DefinitionOptions) => Definition<T>;
type OptionalRow<T extends ConfigValue> = (doc: string, options?: DefinitionOptions) => Definition<T | null>;

function row<T extends ConfigValue>(type: ConfigType): Row<T> {
  return (value, doc, options = {}) => ({
    type,
    default: value,
    doc,
    check: options.check,
    update: options.update ?? 'read-only',
    effect: options.effect ?? 'full',
    inSteps: options.inSteps ?? false,
    kafkaDefault: options.kafkaDefault,
  });
}

/** A row whose default is Kafka's null: not set. */
function optionalRow<T extends ConfigValue>(type: ConfigType): OptionalRow<T> {
  const make = row<T | null>(type);
  return (doc, options) => make(null, doc, options);
}

export const bool = row<boolean>('boolean');
export const int = row<number>('int');
export const short = row<number>('short');
export const long = row<number>('long');
export const double = row<number>('double');
export const text = row<string>('string');
export const list = row<readonly string[]>('list');
export const className = row<string>('class');
export const optionalInt = optionalRow<number>('int');
export const optionalLong = optionalRow<number>('long');
export const optionalText = optionalRow<string>('string');
export const optionalList = optionalRow<readonly string[]>('list');
export const optionalClass = optionalRow<string>('class');
/** A secret: never printed, never described. */
export const secret = optionalRow<string>('password');

/** Options of a setting that is accepted and does nothing. */
export function inert(check?: Check): DefinitionOptions {
  return { effect: 'none', check };
}

/** Options of a setting that clients may change at run time, and that does nothing. */
export function inertDynamic(check?: Check): DefinitionOptions {
  return { ...inert(check), update: 'cluster-wide' };
}

/** As `inertDynamic`, for the size of a thread pool. */
export function inertThreads(check?: Check): DefinitionOptions {
  return { ...inertDynamic(check), inSteps: true };
}

/** As `inertDynamic`, on one broker at a time. */
export function inertPerBroker(check?: Check): DefinitionOptions {
  return { ...inert(check), update: 'per-broker' };
}

/** Options of a setting that can be changed at run time for the whole cluster. */
export function dynamic(check?: Check): DefinitionOptions {
  return { update: 'cluster-wide', check };
}

/** Options of a setting that can be changed at run time on one broker. */
export function perBroker(check?: Check): DefinitionOptions {
  return { update: 'per-broker', check };
}

export function atLeast(minimum: number): Check {
  return {
    allowed: `at least ${minimum}`,
    test: (value) => value === null || Number(value) >= minimum,
    explain: () => `Value must be at least ${minimum}`,
  };
}

export function between(minimum: number, maximum: number): Check {
  return {
    allowed: `between ${minimum} and ${maximum}`,
    test: (value) => value === null || (Number(value) >= minimum && Number(value) <= maximum),
    explain: (value) => `Value must be ${Number(value) < minimum ? `at least ${minimum}` : `no more than ${maximum}`}`,
  };
}

/** Each value (each element of a list) is one of `choices`. */
export function oneOf(...choices: readonly string[]): Check {
  return {
    allowed: `one of ${choices.join(', ')}`,
    test: (value) => value === null || [value].flat().every((element) => choices.includes(String(element))),
    explain: () => `String must be one of: ${choices.join(', ')}`,
  };
}

/** As `oneOf`, in any mixture of capitals and small letters. */
export function oneOfAnyCase(...choices: readonly string[]): Check {
  const check = oneOf(...choices);
  return {
    allowed: check.allowed,
    test: (value) => check.test(typeof value === 'string' ? value.toLowerCase() : value),
    explain: () => `String must be one of (case insensitive): ${choices.join(', ')}`,
  };
}

export const notEmpty: Check = {
  allowed: 'not empty',
  test: (value) => value === null || (typeof value === 'string' || Array.isArray(value) ? value.length > 0 : true),
};

const INTEGER_LIMIT: Readonly<Record<'int' | 'short' | 'long', string>> = {
  short: '32767',
  int: '2147483647',
  long: '9223372036854775807',
};

/** Whether the decimal `digits` (no sign, no leading zero) are at most `limit`, exactly. */
function atMostDigits(digits: string, limit: string): boolean {
  return digits.length < limit.length || (digits.length === limit.length && digits <= limit);
}

function parseInteger(type: 'int' | 'short' | 'long', source: string): Result<number, string> {
  const match = /^([+-]?)(\d+)$/.exec(source);
  const limit = INTEGER_LIMIT[type];
  const allowed = `a whole number between -${limit} and ${limit}`;
  const digits = match?.[2]?.replace(/^0+(?=\d)/, '');
  if (!match || !digits || !atMostDigits(digits, limit)) return err(allowed);
  const magnitude = Number(digits);
  return ok(match[1] === '-' && magnitude !== 0 ? -magnitude : magnitude);
}

/** What Kafka tells a client of a text that is no value of `type`. Source: its `ConfigDef.parseType`. */
export function explainType(type: ConfigType): string {
  return type === 'boolean'
    ? 'Expected value to be either true or false'
    : `Not a number of type ${type.toUpperCase()}`;
}

/**
 * Elements separated by commas, white space around them dropped; the empty text is the empty list. Takes time in
 * proportion to the text, as a pattern with white space on both sides would not.
 */
export function parseList(source: string): readonly string[] {
  return source === '' ? [] : source.split(',').map((element) => element.trim());
}

/**
 * `source` as a value of `type`; the error is what is allowed, to follow "must be". Source: Kafka's
 * `ConfigDef.parseType`.
 */
export function parseConfigValue(type: ConfigType, source: string): Result<ConfigValue, string> {
  const trimmed = source.trim();
  switch (type) {
    case 'boolean': {
      const lower = trimmed.toLowerCase();
      return lower === 'true' || lower === 'false' ? ok(lower === 'true') : err('true or false');
    }
    case 'int':
    case 'short':
    case 'long':
      return parseInteger(type, trimmed);
    case 'double': {
      const value = Number(trimmed);
      return trimmed !== '' && Number.isFinite(value) ? ok(value) : err('a number');
    }
    case 'list':
      return ok(parseList(trimmed));
    case 'string':
    case 'password':
    case 'class':
      return ok(trimmed);
  }
}

/** A value as Kafka writes it in DescribeConfigs; null stays null. */
export function formatConfigValue(type: ConfigType, value: ConfigValue): string | null {
  if (value === null) return null;
  if (type === 'double') return formatDouble(Number(value));
  if (typeof value === 'number' && value >= MAX_LONG) return INTEGER_LIMIT.long;
  return typeof value === 'object' ? value.join(',') : String(value);
}

/** As Java prints a double: a whole number has a `.0`, an exponent is an `E` without a plus sign. */
function formatDouble(value: number): string {
  const printed = String(value).replace('e+', 'E').replace('e', 'E');
  return /[.E]/.test(printed) ? printed : `${printed}.0`;
}

/**
 * What a round is made of: requests as plain data. What only a broker can tell (ids, epochs, generations) is a
 * placeholder, so that both brokers are sent the same request, each in its own terms.
 */
import type { Api } from '../../src/codec/api';
import { apis } from '../../src/codec/generated/apis';
import type { Dice } from './dice';

export type ApiName = keyof typeof apis;

/** Topics and groups are named with this sign in front; it becomes a prefix that no other round has. */
export const PREFIX_SIGN = '~';

export type Placeholder =
  | { readonly $: 'topicId'; readonly topic: string }
  | { readonly $: 'memberId'; readonly actor: number }
  /** Only of an actor that was a member at some time. */
  | { readonly $: 'formerMemberId'; readonly actor: number }
  | { readonly $: 'generation'; readonly actor: number; readonly plus: number }
  | { readonly $: 'sessionId'; readonly session: number }
  | { readonly $: 'sessionEpoch'; readonly session: number; readonly plus: number }
  | { readonly $: 'records'; readonly spec: RecordsSpec }
  /** Milliseconds after the base time of the run. */
  | { readonly $: 'time'; readonly plus: number };

/** Puts a placeholder where the message has a value. */
export function later<T>(placeholder: Placeholder): T {
  return placeholder as unknown as T;
}

export interface RecordSpec {
  readonly key: string | null;
  readonly value: string | null;
  /** Milliseconds after the base time of the run; null is no timestamp. */
  readonly time: number | null;
  readonly headers: readonly (readonly [string, string | null])[];
}

/** A change of one byte, counted from the start of the batch, or from its end where negative. */
export interface Damage {
  readonly at: number;
  readonly xor: number;
}

export interface BatchSpec {
  readonly records: readonly RecordSpec[];
  readonly codec: number;
  readonly producer?: { readonly index: number; readonly epoch: number; readonly sequence: number };
  /** Written over header fields after the batch was built. */
  readonly header?: {
    readonly baseOffset?: number;
    readonly lastOffsetDelta?: number;
    readonly recordCount?: number;
    readonly attributes?: number;
    readonly magic?: number;
    readonly maxTime?: number;
    readonly sizeDelta?: number;
  };
  readonly damage?: readonly Damage[];
  /** Bytes taken off the end, the size in the header left as it was. */
  readonly cut?: number;
  /** Whether the checksum is mended after all that. */
  readonly mendCrc: boolean;
}

/** A message set of the formats before record batches. */
export interface LegacySpec {
  readonly magic: 0 | 1;
  readonly records: readonly RecordSpec[];
  /** Of the one message that holds the others; 0 for none. */
  readonly codec: number;
  /** Of the messages, as the client numbers them. */
  readonly offsets: readonly number[];
  /** The message that holds the others is held by another one. */
  readonly isNested: boolean;
  readonly damage?: readonly Damage[];
}

/** Batches one behind the other, or a set of old messages, and some bytes more. */
export interface RecordsSpec {
  readonly batches: readonly BatchSpec[];
  readonly legacy?: LegacySpec;
  readonly trailing: number;
}

export interface Step {
  readonly api: ApiName;
  readonly version: number;
  readonly request: unknown;
  /** Steps of one connection are sent one after the other. */
  readonly connection: string;
  /** Whether the answer may depend on what others do. */
  readonly mayWait: boolean;
  /** Whose member id and generation the answer tells. */
  readonly actor?: number;
  /** Whose id the answer tells. */
  readonly session?: number;
  readonly producer?: number;
  /** Changes to the body of the encoded request; `at` is a fraction of its length. */
  readonly spoil?: readonly { readonly at: number; readonly xor: number }[];
  /** Bytes behind the end of the request, or off it where negative. */
  readonly extraBytes?: number;
}

/** The versions that a step may use. */
export type VersionRanges = ReadonlyMap<number, { readonly minVersion: number; readonly maxVersion: number }>;

export interface PlannedTopic {
  readonly name: string;
  partitions: number;
  readonly configs: Readonly<Record<string, string>>;
}

/** What all planners share. */
export interface PlanContext {
  readonly dice: Dice;
  /** Those of the first steps; a later step may delete one or make one more. */
  readonly topics: PlannedTopic[];
  /** A version that both brokers serve, from `from` to `to`. */
  version(api: ApiName, from?: number, to?: number): number;
}

export function apiOf(name: ApiName): Api<unknown, unknown> {
  return apis[name] as unknown as Api<unknown, unknown>;
}

/** What all steps of one connection are made of: the API and a version of it, from `from` to `to`. */
export function stepsOn(
  connection: string,
  context: PlanContext,
): (api: ApiName, from?: number, to?: number) => Pick<Step, 'api' | 'version' | 'connection' | 'mayWait'> {
  return (api, from, to) => ({ api, version: context.version(api, from, to), connection, mayWait: false });
}

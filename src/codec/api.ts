/** The row that describes one API key: versions and codecs. The rows themselves are generated (`generated/apis.ts`). */
import type { Reader } from './reader';
import type { Writer } from './writer';

export interface Api<Q, R> {
  readonly key: number;
  readonly name: string;
  /** The oldest version that can be read and written. */
  readonly minVersion: number;
  /** The newest version that a released Kafka advertises. */
  readonly maxVersion: number;
  /** The newest version that can be read and written; above `maxVersion` while a version is not released. */
  readonly newestKnownVersion: number;
  /** Infinity: the API has no flexible version. */
  readonly firstFlexible: number;
  decodeRequest(reader: Reader, version: number): Q;
  encodeRequest(writer: Writer, message: Q, version: number): void;
  decodeResponse(reader: Reader, version: number): R;
  encodeResponse(writer: Writer, message: R, version: number): void;
}

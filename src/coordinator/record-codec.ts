/** How a shard's records become the keys and values of its partition. */

export interface EncodedRecord {
  readonly key: Buffer;
  /** Null: a tombstone. */
  readonly value: Buffer | null;
}

export interface RecordCodec<Rec> {
  encode(record: Rec): EncodedRecord;
  /**
   * Undefined for a type of record that is not known here: it is left alone. Throws `MalformedMessage` on bad bytes.
   */
  decode(key: Buffer, value: Buffer | null): Rec | undefined;
}

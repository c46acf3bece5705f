/**
 * The reader of tools and vectors: every bit of an int64 survives. One generated decoder serves both readers, so its
 * types go on saying `number` for int64 fields; what this reader puts there is a `Long`, which the writer takes as
 * well.
 */
import { longOf } from './int64';
import { Reader } from './reader';

export class ExactReader extends Reader {
  override int64(): number {
    const high = this.int32();
    return longOf(high, this.uint32()) as unknown as number;
  }

  override exactInt64(): number {
    return this.int64();
  }
}

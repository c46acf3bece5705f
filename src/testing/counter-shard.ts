/**
 * The smallest shard that has everything: a count that records raise, requests that wait for it, timers, transactions
 * and a bug that can be set off. For tests of the runtime.
 */
import type { TimestampMs } from '../base/clock';
import type { RecordCodec } from '../coordinator/record-codec';
import { EffectList, type Effects, type RecordPosition, type RequestToken, type Shard } from '../coordinator/shard';

export type CounterOp =
  | { readonly kind: 'add'; readonly by: number; readonly times?: number; readonly token: RequestToken<number> }
  | { readonly kind: 'read'; readonly token: RequestToken<number> }
  | { readonly kind: 'wait-for'; readonly count: number; readonly token: RequestToken<number> }
  | { readonly kind: 'add-later'; readonly afterMs: number; readonly token: RequestToken<number> }
  | { readonly kind: 'late' }
  | { readonly kind: 'break'; readonly token: RequestToken<number> };

export interface CounterRecord {
  readonly by: number;
}

export class CounterShard implements Shard<CounterOp, CounterRecord> {
  count = 0;
  loadedAtMs: TimestampMs | undefined;
  readonly applied: RecordPosition[] = [];
  readonly markers: { producerId: number; commit: boolean }[] = [];
  readonly #waiting: { count: number; token: RequestToken<number> }[] = [];

  apply({ by }: CounterRecord, at: RecordPosition): void {
    this.count += by;
    this.applied.push(at);
  }

  applyEndMarker(producerId: number, commit: boolean): void {
    this.markers.push({ producerId, commit });
  }

  onLoaded(nowMs: TimestampMs): Effects<CounterOp, CounterRecord> {
    this.loadedAtMs = nowMs;
    return new EffectList();
  }

  handle(op: CounterOp, nowMs: TimestampMs): Effects<CounterOp, CounterRecord> {
    const effects = new EffectList<CounterOp, CounterRecord>();
    switch (op.kind) {
      case 'add':
        for (let i = 0; i < (op.times ?? 1); i++) effects.record({ by: op.by });
        effects.reply(op.token, this.count + op.by * (op.times ?? 1));
        effects.leavesSoftState = this.#waiting.length === 0;
        this.#wake(this.count + op.by, effects);
        break;
      case 'read':
        effects.reply(op.token, this.count);
        break;
      case 'wait-for':
        this.#waiting.push(op);
        break;
      case 'add-later':
        effects.startTimer('late', nowMs + op.afterMs, { kind: 'late' });
        effects.reply(op.token, this.count);
        break;
      case 'late':
        effects.record({ by: 100 });
        this.#wake(this.count + 100, effects);
        break;
      case 'break':
        throw new Error('broken');
    }
    return effects;
  }

  #wake(count: number, effects: EffectList<CounterOp, CounterRecord>): void {
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.count <= count) effects.reply(waiting.token, count);
      else this.#waiting.push(waiting);
    }
  }
}

/** The key says how long the record is, for tests of sizes. */
export const counterCodec: RecordCodec<CounterRecord> = {
  encode: ({ by }) => ({ key: Buffer.from('count'), value: Buffer.from(String(by)) }),
  decode: (key, value) => (key.toString() === 'count' && value ? { by: Number(value.toString()) } : undefined),
};

/**
 * The quotas of clients at work: which limits the image has, what each client has used, and how long it must pause.
 * Owns limits and meters of all four kinds (produced bytes, fetched bytes, request time, topic changes); the pauses are
 * kept by who asks (`api/throttling.ts`, `net/connection.ts`).
 * Without quotas nothing is looked up and nothing is remembered.
 */
import type { Clock } from '../base/clock';
import type { QuotaKey } from '../cluster/client-quota';
import type { ImageSubscriber } from '../cluster/image-publisher';
import type { BrokerConfig } from '../config/broker-config';
import { MAX_INT } from '../config/definition';
import { FetchMeter, type FetchVerdict } from './fetch-meter';
import { MeterTable } from './meter-table';
import { MutationQuota } from './mutation-quota';
import { type ApplyingLimit, QuotaLimits } from './quota-limits';
import { largestUse, QuotaMeter } from './quota-meter';
import type { QuotaWindows } from './sampled-rate';
import { TokenBucket } from './token-bucket';

type ClientKey = Exclude<QuotaKey, 'connection_creation_rate'>;

/** Who asks. */
export interface QuotaClient {
  /** The name of the principal: `ANONYMOUS` without authentication. */
  readonly user: string;
  /** Empty where it has none. */
  readonly clientId: string;
}

/** One kind of quota. */
class Kind<M> {
  readonly limits = new QuotaLimits();
  readonly meters: MeterTable<M>;

  constructor(make: () => M) {
    this.meters = new MeterTable(make);
  }
}

/** A limit with the meters that it is held against. */
interface Held<M> extends ApplyingLimit {
  readonly meters: MeterTable<M>;
}

const PERCENT = 100;
const MS_PER_SECOND = 1000;

export class ClientQuotas {
  readonly #config: BrokerConfig;
  readonly #clock: Clock;
  readonly #windows: QuotaWindows;
  readonly #produced: Kind<QuotaMeter>;
  readonly #fetched: Kind<FetchMeter>;
  readonly #requestTime: Kind<QuotaMeter>;
  readonly #mutations: Kind<TokenBucket>;
  #generation = 0;
  #isActive = false;

  constructor({ config, clock }: { readonly config: BrokerConfig; readonly clock: Clock }) {
    this.#config = config;
    this.#clock = clock;
    const windows = {
      count: config.get('quota.window.num'),
      sizeMs: config.get('quota.window.size.seconds') * MS_PER_SECOND,
    };
    const mutationWindows = {
      count: config.get('controller.quota.window.num'),
      sizeMs: config.get('controller.quota.window.size.seconds') * MS_PER_SECOND,
    };
    this.#windows = windows;
    this.#produced = new Kind(() => new QuotaMeter(windows, { keepsDebt: true }));
    this.#fetched = new Kind(() => new FetchMeter(windows));
    this.#requestTime = new Kind(() => new QuotaMeter(windows, { keepsDebt: false }));
    this.#mutations = new Kind(() => new TokenBucket(mutationWindows));
  }

  /** Whether there is any quota of a user or a client id. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** Changes whenever what `of` gave may no longer hold. */
  get generation(): number {
    return this.#generation;
  }

  readonly onImage: ImageSubscriber = async ({ changedQuotas }) => {
    if (changedQuotas.length === 0) return;
    const kinds = this.#kinds();
    for (const { entity, values } of changedQuotas) {
      if (entity.has('ip')) continue;
      for (const [key, { limits }] of kinds) limits.set(entity, values.get(key));
    }
    this.#generation++;
    this.#isActive = kinds.some(([, { limits }]) => !limits.isEmpty);
  };

  /** The quotas that count for a client; undefined where none does. */
  of({ user, clientId }: QuotaClient): AppliedQuotas | undefined {
    const held = <M>({ limits, meters }: Kind<M>): Held<M> | undefined => {
      const applying = limits.of(user, clientId);
      return applying && { ...applying, meters };
    };
    const parts = {
      produced: held(this.#produced),
      fetched: held(this.#fetched),
      requestTime: held(this.#requestTime),
      mutations: held(this.#mutations),
    };
    if (Object.values(parts).every((part) => part === undefined)) return undefined;
    return new AppliedQuotas(parts, {
      clock: this.#clock,
      windows: this.#windows,
      loopWeight: () => this.#config.get('num.io.threads'),
    });
  }

  #kinds(): readonly (readonly [ClientKey, { readonly limits: QuotaLimits }])[] {
    return [
      ['producer_byte_rate', this.#produced],
      ['consumer_byte_rate', this.#fetched],
      ['request_percentage', this.#requestTime],
      ['controller_mutation_rate', this.#mutations],
    ];
  }
}

interface AppliedParts {
  readonly produced: Held<QuotaMeter> | undefined;
  readonly fetched: Held<FetchMeter> | undefined;
  readonly requestTime: Held<QuotaMeter> | undefined;
  readonly mutations: Held<TokenBucket> | undefined;
}

interface Circumstances {
  readonly clock: Clock;
  readonly windows: QuotaWindows;
  /** How many threads of Kafka's the event loop stands for. */
  readonly loopWeight: () => number;
}

/** The quotas that count for one client. Pauses are in milliseconds. */
export class AppliedQuotas {
  readonly #parts: AppliedParts;
  readonly #o: Circumstances;

  constructor(parts: AppliedParts, circumstances: Circumstances) {
    this.#parts = parts;
    this.#o = circumstances;
  }

  /** Whether a request's own pause can be known before its answer is. */
  get limitsRequests(): boolean {
    return this.#parts.produced !== undefined || this.#parts.requestTime !== undefined;
  }

  /** Notes bytes that were produced. */
  produced(bytes: number): number {
    return this.#use(this.#parts.produced, bytes);
  }

  /**
   * How many bytes to fetch at most: no more than is left of the quota, so that a large fetch does not wait for all of
   * it to be free again; `whole`: what could be fetched by who has fetched nothing, as in Kafka. Never 0: who asks for
   * nothing would not wait for records.
   */
  fetchRoom({ whole }: { readonly whole: boolean }): number {
    const held = this.#parts.fetched;
    if (held === undefined) return MAX_INT;
    const nowMs = this.#o.clock.monotonicMs();
    const bytes = whole ? largestUse(held.limit, this.#o.windows) : this.#meter(held, nowMs).room(held.limit, nowMs);
    return Math.max(1, Math.min(MAX_INT, Math.floor(bytes)));
  }

  /** A fetch of so many bytes, whose request time wants a pause besides: then it is answered without data, too. */
  fetched(bytes: number, otherPauseMs: number): FetchVerdict {
    const held = this.#parts.fetched;
    if (held === undefined || otherPauseMs > 0) return { pauseMs: otherPauseMs, withoutData: otherPauseMs > 0 };
    const nowMs = this.#o.clock.monotonicMs();
    return this.#meter(held, nowMs).fetch(bytes, held.limit, nowMs);
  }

  /** Notes for how long a request held the event loop. The pause is never longer than one window, as in Kafka. */
  held(loopMs: number): number {
    const share = (loopMs / MS_PER_SECOND) * PERCENT * this.#o.loopWeight();
    return Math.min(this.#use(this.#parts.requestTime, share), this.#o.windows.sizeMs);
  }

  /** For one request that changes topics; undefined where there is no limit. */
  mutations({ isStrict }: { readonly isStrict: boolean }): MutationQuota | undefined {
    const held = this.#parts.mutations;
    if (held === undefined) return undefined;
    const { clock } = this.#o;
    const bucket = this.#meter(held, clock.monotonicMs());
    return new MutationQuota({ bucket, limit: held.limit, isStrict, clock });
  }

  #use(held: Held<QuotaMeter> | undefined, value: number): number {
    if (held === undefined) return 0;
    const nowMs = this.#o.clock.monotonicMs();
    return this.#meter(held, nowMs).use(value, held.limit, nowMs);
  }

  #meter<M>({ meters, meter }: Held<M>, nowMs: number): M {
    return meters.get(meter, nowMs);
  }
}

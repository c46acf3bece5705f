/**
 * Quotas between requests and their answers (KIP-124, KIP-219, KIP-599): notes what each request uses, tells a handler
 * how far it may go, and gives the pause that its answer reports and its connection keeps: the larger of what the
 * request's own quota and the one for request time want. The answer leaves at once in every version.
 * Owns which quota a request counts for; not the arithmetic (`src/quota`), not the pause itself (`net/connection.ts`).
 *
 * Requests between brokers are exempt, and so is the request time of a Produce that wants no answer.
 */
import { ApiKey } from '../codec/generated/apis';
import type { AppliedQuotas, ClientQuotas } from '../quota/client-quotas';
import type { MutationQuota } from '../quota/mutation-quota';
import { CLOSE_CONNECTION, type HandlerAnswer, NO_ANSWER } from './request-context';
import type { MutationEnforcement, RequestLimits } from './request-limits';
import type { RequestMeasurement } from './request-observer';

/** Asked by brokers alone. */
const BROKERS_ONLY: ReadonlySet<number> = new Set([
  ApiKey.LeaderAndIsr,
  ApiKey.StopReplica,
  ApiKey.UpdateMetadata,
  ApiKey.ControlledShutdown,
  ApiKey.WriteTxnMarkers,
  ApiKey.AlterPartition,
  ApiKey.AllocateProducerIds,
]);

/** The quotas of the client at the other end of one connection. */
export class ConnectionThrottle {
  readonly #quotas: ClientQuotas;
  #user = '';
  #clientId = '';
  #generation = -1;
  #applied: AppliedQuotas | undefined;

  constructor(quotas: ClientQuotas) {
    this.#quotas = quotas;
  }

  /** Whether requests may be read ahead of those in work: not by a client that may have to pause any moment. */
  get readsAhead(): boolean {
    return this.#applied === undefined;
  }

  /** Undefined where nothing is to be noted, as is the rule. */
  begin(measurement: RequestMeasurement, user: string): MeteredThrottle | undefined {
    const { apiKey, clientId } = measurement.header;
    if (this.#generation !== this.#quotas.generation || this.#clientId !== clientId || this.#user !== user) {
      this.#generation = this.#quotas.generation;
      this.#clientId = clientId;
      this.#user = user;
      this.#applied = this.#quotas.isActive ? this.#quotas.of({ user, clientId }) : undefined;
    }
    if (this.#applied === undefined || BROKERS_ONLY.has(apiKey)) return undefined;
    return new MeteredThrottle(this.#applied, measurement);
  }
}

/** The quotas of one request to whose client some apply. */
export class MeteredThrottle implements RequestLimits {
  readonly #quotas: AppliedQuotas;
  readonly #measurement: RequestMeasurement;
  #ownPauseMs = 0;
  #notedLoopMs = 0;
  #mutations: MutationQuota | undefined;
  #isExempt = false;

  constructor(quotas: AppliedQuotas, measurement: RequestMeasurement) {
    this.#quotas = quotas;
    this.#measurement = measurement;
    if (measurement.header.apiKey === ApiKey.Produce) this.#ownPauseMs = quotas.produced(measurement.requestBytes);
  }

  fetchRoom(o: { readonly whole: boolean }): number {
    return this.#quotas.fetchRoom(o);
  }

  fetched(bytes: () => number): boolean {
    const { pauseMs, withoutData } = this.#quotas.fetched(bytes(), this.#loopPauseMs());
    this.#ownPauseMs = pauseMs;
    return withoutData;
  }

  mutations(enforcement: MutationEnforcement): MutationQuota | undefined {
    const quota = this.#quotas.mutations({ isStrict: enforcement === 'strict' });
    if (enforcement !== 'counted') this.#mutations = quota;
    return quota;
  }

  exempt(): void {
    this.#isExempt = true;
  }

  /** For how long the client must pause, in milliseconds, once its answer is on its way. */
  pauseMs(response: HandlerAnswer<unknown>): number {
    if (this.#isExempt || response === CLOSE_CONNECTION) return 0;
    if (response === NO_ANSWER) return this.#ownPauseMs;
    return Math.max(this.#ownPauseMs, this.#mutations?.pauseMs ?? 0, this.#loopPauseMs());
  }

  /** The answer is encoded: the time that this took counts for the next request. */
  encoded(response: HandlerAnswer<unknown>): void {
    if (!this.#isExempt && response !== NO_ANSWER) this.#loopPauseMs();
  }

  /** Notes the time that the request has held the event loop since it was last noted. */
  #loopPauseMs(): number {
    const { loopMs } = this.#measurement;
    const pauseMs = this.#quotas.held(loopMs - this.#notedLoopMs);
    this.#notedLoopMs = loopMs;
    return pauseMs;
  }
}

/** The response with the pause told, where its kind has a place for it. */
export function withThrottleTime(response: HandlerAnswer<unknown>, throttleTimeMs: number): HandlerAnswer<unknown> {
  if (throttleTimeMs === 0 || typeof response !== 'object' || response === null) return response;
  return 'throttleTimeMs' in response ? { ...response, throttleTimeMs } : response;
}

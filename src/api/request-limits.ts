/**
 * The quotas of one request, as far as its handler has to know. Owns the shape, and what a request without quotas has;
 * `request-throttle.ts` is what others have.
 */
import { MAX_INT } from '../config/definition';
import type { MutationQuota } from '../quota/mutation-quota';

/**
 * What happens to changes of topics beyond the quota: they are refused; they are made and the client pauses, since its
 * version does not know the error; they are made and only counted, since the client did not ask for them.
 */
export type MutationEnforcement = 'strict' | 'permissive' | 'counted';

/** The quotas of one request, as far as its handler has to know. */
export interface RequestLimits {
  /** The most bytes to fetch; `whole` where less would be no progress. */
  fetchRoom(o: { readonly whole: boolean }): number;
  /** So many bytes, if anybody asks, are about to be answered; whether the answer must be one without data instead. */
  fetched(bytes: () => number): boolean;
  /** The quota of topic changes that this request asks for, where there is one. */
  mutations(enforcement: MutationEnforcement): MutationQuota | undefined;
  /** Nothing of this request counts: it comes from another broker. */
  exempt(): void;
}

/** Where no quota applies. */
export const NO_LIMITS: RequestLimits = {
  fetchRoom: () => MAX_INT,
  fetched: () => false,
  mutations: () => undefined,
  exempt: () => undefined,
};

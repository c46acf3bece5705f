/**
 * What a handler is given and what it may give back. Owns these shapes only; `dispatcher.ts` makes the contexts and
 * acts on the answers, `broker-services.ts` names the parts of the broker that handlers reach through
 * `context.broker`.
 */
import type { Later } from '../base/later';
import type { ConnectionInfo } from '../base/transport';
import type { BrokerServices } from './broker-services';
import type { RequestLimits } from './request-limits';

/** The name of the principal of a client that has not authenticated. */
export const ANONYMOUS = 'ANONYMOUS';

export interface RequestContext {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
  /** Empty where the header had null: the two mean the same. */
  readonly clientId: string;
  /** Who the client is, by its authentication: `ANONYMOUS` without one. */
  readonly principalName: string;
  readonly connection: ConnectionInfo;
  readonly broker: BrokerServices;
  /** The quotas that count for this request. */
  readonly throttle: RequestLimits;
  /**
   * Has `run` called once if the connection closes before this request is answered: the place to cancel a wait.
   * Called at once when the connection is closed already; never called after the answer.
   */
  onClose(run: () => void): void;
}

/** Nothing is sent and the next request may start: Produce with acks=0. */
export const NO_ANSWER: unique symbol = Symbol('no answer');

/** Nothing is sent and the connection closes: an error of Produce with acks=0, which has no other way to be heard. */
export const CLOSE_CONNECTION: unique symbol = Symbol('close connection');

export type HandlerAnswer<R> = R | typeof NO_ANSWER | typeof CLOSE_CONNECTION;

/**
 * An answer in two stages. After `firstStage` a following request may start where `overlap-table.ts` allows it;
 * answers still leave in the order of their requests. `firstStage` must be there no later than `answer`.
 */
export interface Staged<R> {
  readonly staged: true;
  readonly firstStage: Later<void>;
  readonly answer: Later<HandlerAnswer<R>>;
}

/**
 * Serves one API key in all its versions. What a client must hear is in the response; anything thrown is a bug (or
 * `MalformedMessage` for bytes that turned out bad), is logged and ends the connection.
 */
export type Handler<Q, R> = (
  context: RequestContext,
  request: Q,
) => HandlerAnswer<R> | Promise<HandlerAnswer<R>> | Staged<R>;

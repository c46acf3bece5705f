/**
 * A line in the log for each request that took long: what it was, whose, and where the time went. Owns what counts as
 * long, and that lines do not become a flood. What a long poll or a member of a group waits for is meant, and so not
 * counted; nor is the turn of earlier requests on the same connection, which may be such.
 */

import type { RequestMeasurement, RequestObserver } from '../api/request-observer';
import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import { ApiKey } from '../codec/generated/apis';

export interface SlowRequestLogOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Requests that take longer are told; 0: none. */
  readonly slowMs: () => number;
}

/** Their answers may wait for something to happen. */
const LONG_POLLS: ReadonlySet<number> = new Set([ApiKey.Fetch, ApiKey.JoinGroup, ApiKey.SyncGroup, ApiKey.ShareFetch]);

const LINES_PER_WINDOW = 5;
const WINDOW_MS = 1000;

export class SlowRequestLog implements RequestObserver {
  readonly #o: SlowRequestLogOptions;
  #windowEndsMs = Number.NEGATIVE_INFINITY;
  #lines = 0;
  #unreported = 0;

  constructor(options: SlowRequestLogOptions) {
    this.#o = options;
  }

  onSent(measured: RequestMeasurement): void {
    const slowMs = this.#o.slowMs();
    if (slowMs <= 0) return;
    const waitedMs = LONG_POLLS.has(measured.header.apiKey) ? 0 : measured.waitedMs;
    if (measured.loopMs + waitedMs + measured.sentAtMs - measured.answeredAtMs > slowMs) this.#tell(measured);
  }

  #tell(measured: RequestMeasurement): void {
    const nowMs = this.#o.clock.monotonicMs();
    if (nowMs >= this.#windowEndsMs) {
      this.#windowEndsMs = nowMs + WINDOW_MS;
      this.#lines = 0;
    }
    if (this.#lines >= LINES_PER_WINDOW) {
      this.#unreported++;
      return;
    }
    this.#lines++;
    const unreported = this.#unreported > 0 ? { unreported: this.#unreported } : {};
    this.#unreported = 0;
    this.#o.logger.warn('slow request', { ...describe(measured), ...unreported });
  }
}

function describe(measured: RequestMeasurement): Record<string, string | number> {
  const { header, connection, requestBytes, responseBytes, loopMs, queuedMs, waitedMs } = measured;
  return {
    api: header.api.name,
    version: header.apiVersion,
    clientId: header.clientId,
    connection: connection.id,
    peer: `${connection.peerAddress}:${connection.peerPort}`,
    listener: connection.listenerName,
    requestBytes,
    responseBytes,
    queueMs: round(queuedMs),
    localMs: round(loopMs),
    remoteMs: round(waitedMs),
    sendMs: round(measured.sentAtMs - measured.answeredAtMs),
    totalMs: round(measured.sentAtMs - measured.arrivedAtMs),
    throttleMs: round(measured.throttleMs),
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

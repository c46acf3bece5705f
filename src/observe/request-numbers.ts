/**
 * How many requests came, by API and version, and how long each part of them took. Owns the numbers; costs a few
 * additions per request and no object. (Kafka: RequestMetrics.)
 */

import type { RequestMeasurement, RequestObserver } from '../api/request-observer';
import { TimeHistogram } from '../base/time-histogram';

/** The parts of a request's time, by the names of Kafka's beans. */
export class RequestTimes {
  /** From its arrival to the last byte of its answer. */
  readonly totaltimems = new TimeHistogram();
  /** Until its turn came. */
  readonly requestqueuetimems = new TimeHistogram();
  /** In which it held the event loop. */
  readonly localtimems = new TimeHistogram();
  /** In which it waited for others. */
  readonly remotetimems = new TimeHistogram();
  /** In which its answer waited for earlier ones. */
  readonly responsequeuetimems = new TimeHistogram();
  /** In which its answer went out. */
  readonly responsesendtimems = new TimeHistogram();
  /** After it, in which a quota keeps its connection from being read. */
  readonly throttletimems = new TimeHistogram();
}

export interface ApiNumbers {
  readonly name: string;
  /** Answered requests, by version; holes where none came. */
  readonly countByVersion: readonly number[];
  readonly times: RequestTimes;
}

class Counting implements ApiNumbers {
  readonly name: string;
  readonly countByVersion: number[] = [];
  readonly times = new RequestTimes();

  constructor(name: string) {
    this.name = name;
  }
}

export class RequestNumbers implements RequestObserver {
  readonly #apis: Counting[] = [];

  /** Those that were asked for at least once. */
  apis(): readonly ApiNumbers[] {
    return this.#apis.filter((api) => api !== undefined);
  }

  onAnswer({ header }: RequestMeasurement): void {
    const { countByVersion } = this.#of(header);
    countByVersion[header.apiVersion] = (countByVersion[header.apiVersion] ?? 0) + 1;
  }

  onSent(measured: RequestMeasurement): void {
    const { times } = this.#of(measured.header);
    const { arrivedAtMs, answeredAtMs, handedOverAtMs, sentAtMs } = measured;
    times.totaltimems.record(sentAtMs - arrivedAtMs, sentAtMs);
    times.requestqueuetimems.record(measured.queuedMs, sentAtMs);
    times.localtimems.record(measured.loopMs, sentAtMs);
    times.remotetimems.record(measured.waitedMs, sentAtMs);
    times.responsequeuetimems.record(handedOverAtMs - answeredAtMs, sentAtMs);
    times.responsesendtimems.record(sentAtMs - handedOverAtMs, sentAtMs);
    times.throttletimems.record(measured.throttleMs, sentAtMs);
  }

  #of({ api }: RequestMeasurement['header']): Counting {
    const present = this.#apis[api.key];
    if (present !== undefined) return present;
    const counting = new Counting(api.name);
    this.#apis[api.key] = counting;
    return counting;
  }
}

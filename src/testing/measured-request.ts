/** Requests that were measured, for tests of those who look at the measurements. */
import { RequestMeasurement } from '../api/request-observer';
import { apiOfKey } from '../codec/generated/apis';
import { Reader } from '../codec/reader';
import { testConnection } from './handler-context';

export interface MeasuredTimes {
  readonly version?: number;
  readonly queuedMs?: number;
  readonly loopMs?: number;
  readonly waitedMs?: number;
  /** Until earlier answers were out of the way, and from then until the last byte. */
  readonly heldBackMs?: number;
  readonly sendMs?: number;
  readonly throttleMs?: number;
}

/** A request of `apiKey` that arrived at 0 of the clock and took these times. */
export function measuredRequest(apiKey: number, o: MeasuredTimes = {}): RequestMeasurement {
  const { version = 1, queuedMs = 0, loopMs = 0, waitedMs = 0, heldBackMs = 0, sendMs = 0 } = o;
  const header = {
    api: apiOfKey(apiKey)!,
    apiKey,
    apiVersion: version,
    correlationId: 1,
    clientId: 'a-client',
    bodyReader: new Reader(Buffer.alloc(0)),
  };
  const measured = new RequestMeasurement(
    { monotonicMs: () => 0, onSent: () => undefined },
    { header, connection: testConnection, requestBytes: 10, arrivedAtMs: 0, startedAtMs: queuedMs },
  );
  measured.loopMs = loopMs;
  measured.answeredAtMs = queuedMs + loopMs + waitedMs;
  measured.handedOverAtMs = measured.answeredAtMs + heldBackMs;
  measured.sentAtMs = measured.handedOverAtMs + sendMs;
  measured.throttleMs = o.throttleMs ?? 0;
  measured.responseBytes = 20;
  return measured;
}

/**
 * PushTelemetry (key 72), version 0 (KIP-714): a client pushes metrics, in OTLP, compressed or not.
 *
 * - Too early: THROTTLING_QUOTA_EXCEEDED, but a client that ends may always push once more. A subscription that is no
 *   longer its own: UNKNOWN_SUBSCRIPTION_ID. Larger than `telemetry.max.bytes`: TELEMETRY_TOO_LARGE. Bytes that are no
 *   metrics: INVALID_RECORD. After its last push, or without an id of its own: INVALID_REQUEST.
 * - The metrics are kept for /metrics (see observe/).
 */
import {
  newPushTelemetryResponse,
  type PushTelemetryRequest,
  type PushTelemetryResponse,
} from '../codec/generated/72-push-telemetry';
import { ErrorCode } from '../codec/generated/errors';
import type { Handler } from './request-context';

export const pushTelemetry: Handler<PushTelemetryRequest, PushTelemetryResponse> = (
  { broker, connection, clientId },
  request,
) => {
  const pushed = broker.telemetry.push({ connection, clientId }, request);
  return newPushTelemetryResponse({ errorCode: pushed.ok ? ErrorCode.NONE : pushed.error });
};

/**
 * GetTelemetrySubscriptions (key 71), version 0 (KIP-714): a client asks which of its metrics it shall push.
 *
 * - A client without an id gets one. What it is asked for follows from all subscriptions that match it.
 * - Asking again before the interval is over: THROTTLING_QUOTA_EXCEEDED, unless a push failed in a way that asking
 *   anew would mend.
 */
import {
  type GetTelemetrySubscriptionsRequest,
  type GetTelemetrySubscriptionsResponse,
  newGetTelemetrySubscriptionsResponse,
} from '../codec/generated/71-get-telemetry-subscriptions';
import { Codec } from '../records/compression';
import type { Handler } from './request-context';

/** In Kafka's order; what is not compressed is taken as well. */
const ACCEPTED = [Codec.zstd, Codec.lz4, Codec.gzip, Codec.snappy];

export const getTelemetrySubscriptions: Handler<GetTelemetrySubscriptionsRequest, GetTelemetrySubscriptionsResponse> = (
  { broker, connection, clientId },
  { clientInstanceId },
) => {
  const asked = broker.telemetry.ask({ connection, clientId }, clientInstanceId);
  if (!asked.ok) return newGetTelemetrySubscriptionsResponse({ errorCode: asked.error });
  const { instanceId, subscriptionId, pushIntervalMs, metrics } = asked.value;
  return newGetTelemetrySubscriptionsResponse({
    clientInstanceId: instanceId,
    subscriptionId,
    acceptedCompressionTypes: ACCEPTED,
    pushIntervalMs,
    telemetryMaxBytes: broker.config.get('telemetry.max.bytes'),
    deltaTemporality: true,
    requestedMetrics: [...metrics],
  });
};

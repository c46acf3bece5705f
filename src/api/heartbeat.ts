/**
 * Heartbeat (key 12), versions 0–4.
 * REBALANCE_IN_PROGRESS asks the member to rejoin. v3+ checks static members (KIP-345). While the coordinator loads,
 * the answer is NONE: sessions start anew at its end.
 */
import type { HeartbeatRequest, HeartbeatResponse } from '../codec/generated/12-heartbeat';
import type { Handler } from './request-context';

export const heartbeat: Handler<HeartbeatRequest, HeartbeatResponse> = (context, request) =>
  context.broker.groups.heartbeat(request);

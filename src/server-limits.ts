/** The limits of the listening side, from settings and from what the system allows. */
import type { BrokerConfig } from './config/broker-config';
import { connectionLimits } from './config/derived-settings';
import type { ServerLimits } from './net/server';

/** Request bytes in memory, where `queued.max.request.bytes` does not say. */
const REQUEST_MEMORY_BYTES = 128 * 1024 * 1024;

/** `mostConnections`: for which there are descriptors. */
export function serverLimits(config: BrokerConfig, mostConnections: number): ServerLimits {
  const maxFrameBytes = config.get('socket.request.max.bytes');
  const queuedBytes = config.get('queued.max.request.bytes');
  return {
    maxFrameBytes,
    requestMemoryBytes: queuedBytes > 0 ? queuedBytes : Math.max(REQUEST_MEMORY_BYTES, maxFrameBytes),
    mostConnections,
    // Read for each connection, since clients may change them at run time.
    get maxConnections() {
      return config.get('max.connections');
    },
    get maxConnectionsPerIp() {
      return config.get('max.connections.per.ip');
    },
    get maxConnectionsPerIpOverrides() {
      return connectionLimits(config) ?? new Map();
    },
    maxIdleMs: config.get('connections.max.idle.ms'),
  };
}

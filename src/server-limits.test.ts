/** Limits of the listening side. */
import { BrokerConfig } from './config/broker-config';
import { serverLimits } from './server-limits';

describe('serverLimits', () => {
  it('gives requests 128 MB, room for the largest frame, or what is set', () => {
    const memory = (settings: Record<string, string>): number =>
      serverLimits(BrokerConfig.of(settings), 10).requestMemoryBytes;
    expect(memory({})).toBe(134_217_728);
    expect(memory({ 'socket.request.max.bytes': '200000000' })).toBe(200_000_000);
    expect(memory({ 'queued.max.request.bytes': '5000' })).toBe(5000);
  });

  it('knows the limits of connections', () => {
    const settings = { 'max.connections': '7', 'max.connections.per.ip': '3' };
    expect(serverLimits(BrokerConfig.of(settings), 10)).toMatchObject({
      mostConnections: 10,
      maxConnections: 7,
      maxConnectionsPerIp: 3,
      maxConnectionsPerIpOverrides: new Map(),
      maxIdleMs: 600_000,
    });
  });
});

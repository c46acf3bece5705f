/** Listener settings: their syntax and how they must fit together. */
import { BrokerConfig, type ConfigKey } from './broker-config';
import { planListeners } from './listeners';

type Settings = Partial<Record<ConfigKey, string>>;

function plan(settings: Settings) {
  return planListeners(BrokerConfig.of(settings));
}

function problemOf(settings: Settings): string {
  const planned = plan(settings);
  return planned.ok ? 'none' : `${planned.error.key}: ${planned.error.reason}`;
}

const STOCK_KRAFT: Settings = {
  listeners: 'PLAINTEXT://:9092,CONTROLLER://:9093',
  'advertised.listeners': 'PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093',
  'controller.listener.names': 'CONTROLLER',
  'inter.broker.listener.name': 'PLAINTEXT',
};

describe('planListeners', () => {
  it('listens on 9092 on all interfaces by default', () => {
    expect(plan({})).toEqual({
      ok: true,
      value: {
        listeners: [{ listener: 'PLAINTEXT', host: '', port: 9092, securityProtocol: 'PLAINTEXT' }],
        interBrokerListener: 'PLAINTEXT',
        advertised: undefined,
      },
    });
  });

  it('opens no listener of the controller, and needs no row of the map for it', () => {
    const planned = plan(STOCK_KRAFT);
    expect(planned.ok && planned.value.listeners.map((endpoint) => endpoint.port)).toEqual([9092]);
    expect(planned.ok && planned.value.advertised).toEqual([
      { listener: 'PLAINTEXT', host: 'localhost', port: 9092, securityProtocol: 'PLAINTEXT' },
    ]);
  });

  it('takes several named listeners and IPv6 addresses', () => {
    const planned = plan({
      listeners: 'inside://[::1]:1, OUTSIDE://127.0.0.1:1,ANY://:0,OTHER://:0',
      'advertised.listeners': 'OUTSIDE://example.org:9000',
      'listener.security.protocol.map': 'INSIDE:PLAINTEXT,OUTSIDE:plaintext,ANY:PLAINTEXT,OTHER:PLAINTEXT',
      'inter.broker.listener.name': 'inside',
    });
    expect(planned.ok && planned.value.listeners.map((endpoint) => endpoint.host)).toEqual([
      '::1',
      '127.0.0.1',
      '',
      '',
    ]);
    expect(planned.ok && planned.value.interBrokerListener).toBe('INSIDE');
  });

  it.each<[Settings, string]>([
    [{ listeners: 'PLAINTEXT:9092' }, 'listeners: must be a list of NAME://HOST:PORT'],
    [{ listeners: 'PLAINTEXT://:65536' }, 'listeners: must be a list of NAME://HOST:PORT'],
    [{ listeners: 'OTHER://:9092' }, 'listeners: names the listener OTHER, which listener.security.protocol.map'],
    [{ listeners: 'PLAINTEXT://:1,PLAINTEXT://:2' }, 'listeners: names the listener PLAINTEXT twice'],
    [
      {
        listeners: 'A://:1,B://127.0.0.1:1',
        'listener.security.protocol.map': 'A:PLAINTEXT,B:PLAINTEXT',
      },
      'listeners: must not have port 1 twice',
    ],
    [{ listeners: 'SSL://:9092' }, 'listeners: SSL asks for SSL; only PLAINTEXT is served'],
    [{ listeners: 'CONTROLLER://:1', 'controller.listener.names': 'CONTROLLER' }, 'listeners: must have one'],
    [{ 'advertised.listeners': 'PLAINTEXT://0.0.0.0:9092' }, 'advertised.listeners: must name an address'],
    [{ 'advertised.listeners': 'SSL://h:9092' }, 'advertised.listeners: names SSL, which is not among'],
    [{ 'listener.security.protocol.map': 'A:TLS' }, 'listener.security.protocol.map: must be NAME:PROTOCOL'],
    [{ 'inter.broker.listener.name': 'B' }, 'inter.broker.listener.name: must be one of the listeners'],
    [
      { 'inter.broker.listener.name': 'PLAINTEXT', 'security.inter.broker.protocol': 'PLAINTEXT' },
      'inter.broker.listener.name: must not be set together',
    ],
  ])('%j → %s', (settings, reason) => {
    expect(problemOf(settings)).toContain(reason);
  });
});

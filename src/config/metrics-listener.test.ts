/** Which texts name a place to listen. */
import { BrokerConfig } from './broker-config';
import { parseHostPort } from './metrics-listener';

it.each([
  ['localhost:9404', { host: 'localhost', port: 9404 }],
  [':9404', { host: '', port: 9404 }],
  ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
  ['[::1]:9404', { host: '::1', port: 9404 }],
])('%s is one', (source, expected) => {
  expect(parseHostPort(source)).toEqual(expected);
});

it.each(['9404', 'localhost', 'a b:1', '::1:9404', 'x:65536', 'x:-1', 'http://x:1'])('"%s" is none', (source) => {
  expect(parseHostPort(source)).toBeUndefined();
  expect(() => BrokerConfig.of({ 'odradek.metrics.listener': source })).toThrow(
    `odradek.metrics.listener=${source}: must be HOST:PORT, or :PORT for all interfaces; nothing for none`,
  );
});

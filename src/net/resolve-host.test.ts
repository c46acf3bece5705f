/** Names of hosts and the addresses behind them. */
import { resolveHost } from './resolve-host';

it('leaves addresses alone, looks names up, and says where there is nothing', async () => {
  expect(await resolveHost('10.1.2.3')).toBe('10.1.2.3');
  expect(await resolveHost('fe80::1')).toBe('fe80::1');
  expect(await resolveHost('FE80:0:0::0:01')).toBe('fe80::1');
  expect(await resolveHost('fe80::1%eth0')).toBe('fe80::1%eth0');
  expect(await resolveHost('::ffff:10.1.2.3')).toBe('10.1.2.3');
  expect(['127.0.0.1', '::1']).toContain(await resolveHost('localhost'));
  expect(await resolveHost('no such host')).toBeUndefined();
});

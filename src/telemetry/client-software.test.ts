/** What is remembered of names that clients choose. */
import { testConnection } from '../testing/handler-context';
import { ClientSoftware } from './client-software';

it('remembers what a client says that it is, unless it says too much', () => {
  const software = new ClientSoftware();
  const unknown = { name: 'unknown', version: 'unknown' };
  expect(software.of(testConnection)).toEqual(unknown);
  software.note(testConnection, { name: 'x'.repeat(30_000), version: '1' });
  software.note(testConnection, { name: 'x', version: '1'.repeat(30_000) });
  expect(software.of(testConnection)).toEqual(unknown);
  software.note(testConnection, { name: 'librdkafka', version: '2.3.0' });
  expect(software.of(testConnection)).toEqual({ name: 'librdkafka', version: '2.3.0' });
});

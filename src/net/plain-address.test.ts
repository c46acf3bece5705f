/** Addresses of both kinds, and those that are both. */
import { plainAddress } from './plain-address';

it.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::FFFF:10.0.0.1', '10.0.0.1'],
  ['::ffff:1', '::ffff:1'],
  ['::1', '::1'],
])('%s is %s', (address, plain) => {
  expect(plainAddress(address)).toBe(plain);
});

/** Names of brokers. */
import { brokerIdOf } from './config-resource';

it.each([
  ['1', 1],
  ['+2', 2],
  ['-3', -3],
  ['', undefined],
  ['x', undefined],
  ['1.5', undefined],
])('%j → %s', (name, id) => expect(brokerIdOf(name)).toBe(id));

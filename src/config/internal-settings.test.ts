/** Which settings are told only where they are set. */

import { BrokerConfig } from './broker-config';
import { describeBrokerConfigs } from './config-entry';
import { definitions } from './definitions';
import { internalSettings, runtimeOnlySettings } from './internal-settings';

it('names settings of the table alone, and hides them while nobody has set them', () => {
  expect([...internalSettings].filter((name) => !Object.hasOwn(definitions, name))).toEqual([]);
  const told = new Set(describeBrokerConfigs(BrokerConfig.of()).map(({ name }) => name));
  expect([...internalSettings].filter((name) => told.has(name))).toEqual([]);
  expect([...runtimeOnlySettings].every((name) => internalSettings.has(name))).toBe(true);
});

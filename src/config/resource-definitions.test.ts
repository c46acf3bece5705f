/** The tables of settings of groups and client metrics: every row is sound, and names its broker setting. */
import { isConfigKey } from './broker-config';
import { formatConfigValue, parseConfigValue } from './definition';
import { clientMetricsDefinitions, groupDefinitions } from './resource-definitions';

it.each(Object.entries({ ...groupDefinitions, ...clientMetricsDefinitions }))(
  '%s has a default of its own type that passes its check',
  (_, { definition, synonym }) => {
    const parsed = parseConfigValue(definition.type, formatConfigValue(definition.type, definition.default)!);
    expect(parsed).toEqual({ ok: true, value: definition.default });
    expect(definition.check?.test(definition.default) ?? true).toBe(true);
    expect(synonym === undefined || isConfigKey(synonym)).toBe(true);
  },
);

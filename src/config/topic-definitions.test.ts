/** Every row of the table of topic settings is sound. */
import { BrokerConfig, checkConfigValue, definitionOf } from './broker-config';
import { formatConfigValue } from './definition';
import { isTopicConfigKey, topicConfigKeys, topicDefinitionOf, topicValue } from './topic-config';
import { topicDefinitions } from './topic-definitions';

describe('the table of topic settings', () => {
  const rows = Object.keys(topicDefinitions).filter(isTopicConfigKey);

  it('is all that is known', () => {
    expect(rows).toEqual(topicConfigKeys);
  });

  it.each(rows)('%s has the type and default of the broker settings behind it', (key) => {
    const { definition, synonyms } = topicDefinitionOf(key);
    expect(topicValue(BrokerConfig.of(), new Map(), key)).toEqual(definition.default);
    for (const synonym of synonyms) {
      const whole = ['int', 'long'];
      const { type } = definitionOf(synonym.key);
      expect(type === definition.type || (whole.includes(type) && whole.includes(definition.type))).toBe(true);
    }
    const source = formatConfigValue(definition.type, definition.default);
    if (source !== null) expect(checkConfigValue(definition, source)).toEqual({ ok: true, value: definition.default });
  });
});

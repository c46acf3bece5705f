/** Settings of one listener: their layers, and those of others. */
import { BrokerConfig } from './broker-config';
import { listenerSetting } from './listener-setting';

const KEY = 'max.connection.creation.rate';
const NAME = `listener.name.internal.${KEY}`;

it('takes the strongest layer, and only what is made for that listener', () => {
  const parsed = BrokerConfig.parse(
    new Map([
      [NAME, '1'],
      [KEY, '9'],
    ]),
  );
  if (!parsed.ok) throw new Error('settings');
  const config = parsed.value;
  expect(listenerSetting(config, 'INTERNAL', KEY)).toBe('1');
  expect(listenerSetting(config, 'OTHER', KEY)).toBeUndefined();
  const cluster = new Map([[NAME, '2']]);
  expect(listenerSetting(config.withRuntime({ broker: new Map(), cluster }).config, 'INTERNAL', KEY)).toBe('2');
  const broker = new Map([[NAME, '3']]);
  expect(listenerSetting(config.withRuntime({ broker, cluster }).config, 'INTERNAL', KEY)).toBe('3');
});

/** Rules that relate settings to each other; layers.test.ts tries them one by one, through the whole load. */
import { BrokerConfig } from './broker-config';
import { checkConsistency, settingsWithoutEffect } from './consistency';

describe('checkConsistency', () => {
  it('finds nothing wrong with the defaults', () => {
    expect(checkConsistency(BrokerConfig.of())).toEqual([]);
  });

  it('names every rule that is broken, with the value that breaks it', () => {
    const config = BrokerConfig.of({ 'log.roll.ms': '0', 'authorizer.class.name': 'x', 'log.cleaner.threads': '128' });
    expect(checkConsistency(config).map(({ key, value }) => [key, value])).toEqual([
      ['log.roll.ms', '0'],
      ['log.cleaner.dedupe.buffer.size', '134217728'],
      ['authorizer.class.name', 'x'],
    ]);
  });
});

it.each([
  ['/b', true],
  ['*', true],
  ['*,/b', false],
  ['/b,/c', false],
])('cordoned.log.dirs=%s beside log.dirs=/a,/b: %s', (cordoned, isFine) => {
  const config = BrokerConfig.of({ 'log.dirs': '/a,/b', 'cordoned.log.dirs': cordoned });
  expect(checkConsistency(config).map(({ key }) => key)).toEqual(isFine ? [] : ['cordoned.log.dirs']);
});

describe('settingsWithoutEffect', () => {
  it('names those that differ from the default', () => {
    const config = BrokerConfig.of({ 'num.io.threads': '8', 'num.network.threads': '4', 'num.partitions': '2' });
    expect(settingsWithoutEffect(config)).toEqual(['num.network.threads']);
  });
});

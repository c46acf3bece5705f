/** What groups and subscriptions of client metrics may have for settings. */
import { BrokerConfig } from './broker-config';
import { checkResourceConfigs, type ResourceScope } from './resource-configs';

function check(scope: ResourceScope, settings: Record<string, string>, name = 'x') {
  return checkResourceConfigs(BrokerConfig.of(), { scope, name, settings: new Map(Object.entries(settings)) });
}

it.each<[ResourceScope, Record<string, string>]>([
  ['groups', { 'consumer.session.timeout.ms': '50000', 'share.auto.offset.reset': 'by_duration:PT1H30M' }],
  ['groups', { 'streams.num.standby.replicas': '2', 'share.isolation.level': 'read_committed' }],
  ['client-metrics', { metrics: 'a.,b.', 'interval.ms': '100', match: 'client_id=x.*, client_software_name=y' }],
  ['client-metrics', {}],
])('%s: %j', (scope, settings) => expect(check(scope, settings)).toBeUndefined());

it.each<[Record<string, string>, string]>([
  [{ foo: '1' }, 'Unknown group config name: foo'],
  [{ 'consumer.session.timeout.ms': 'x' }, 'Not a number of type INT'],
  [
    { 'consumer.session.timeout.ms': '5' },
    'consumer.session.timeout.ms must be in the range 45000 to 60000 inclusive.',
  ],
  [{ 'streams.num.standby.replicas': '9' }, 'streams.num.standby.replicas must be less than or equal to 2'],
  [
    { 'share.auto.offset.reset': 'by_duration:P' },
    'Invalid value by_duration:P for configuration share.auto.offset.reset',
  ],
  [{ 'share.record.lock.duration.ms': '1' }, 'Value must be at least 1000'],
])('groups refuse %j', (settings, message) => {
  expect(check('groups', settings)).toEqual({ isRequest: false, message: expect.stringContaining(message) });
});

it('a session must be longer than a heartbeat', () => {
  const config = BrokerConfig.of({
    'group.consumer.min.session.timeout.ms': '6000',
    'group.consumer.session.timeout.ms': '6000',
  });
  const settings = new Map([['consumer.heartbeat.interval.ms', '7000']]);
  expect(checkResourceConfigs(config, { scope: 'groups', name: 'g', settings })).toEqual({
    isRequest: false,
    message: 'consumer.session.timeout.ms must be greater than consumer.heartbeat.interval.ms',
  });
});

it.each<[Record<string, string>, boolean, string]>([
  [{ foo: '1' }, true, 'Unknown client metrics configuration: foo'],
  [{ 'interval.ms': '5' }, true, 'interval must be between 100 and 3600000 (1 hour)'],
  [{ 'interval.ms': 'x' }, false, 'Not a number of type INT'],
  [{ match: 'foo=x' }, false, 'Illegal client matching pattern: foo=x'],
  [{ match: 'client_id=[' }, false, 'Illegal client matching pattern: client_id=['],
  [{ match: 'client_id' }, false, 'Illegal client matching pattern: client_id'],
])('client metrics refuse %j', (settings, isRequest, message) => {
  expect(check('client-metrics', settings)).toEqual({ isRequest, message: expect.stringContaining(message) });
});

it('both need a name', () => {
  expect(check('groups', {}, '')).toEqual({ isRequest: true, message: 'Default group resources are not allowed.' });
  expect(check('client-metrics', {}, '')).toEqual({ isRequest: true, message: "Subscription name can't be empty" });
});

/** What settings will be after a change: operations on texts and lists, refusals, what an adopted topic keeps. */
import { ErrorCode } from '../../codec/generated/errors';
import { BrokerConfig } from '../../config/broker-config';
import { FORMER_DEFAULT_PREFIX } from '../../config/topic-config';
import { MetadataImage, type TopicImage } from '../metadata-image';
import { type ConfigChange, type ConfigOperation, planConfigs } from './config-change';

type Op = [kind: ConfigOperation['kind'], key: string, value?: string];

const FORMER_RETENTION = `${FORMER_DEFAULT_PREFIX}retention.ms`;

function imageOf(configs: Record<string, string>): MetadataImage {
  const topic: TopicImage = {
    name: 't',
    id: 'id',
    isInternal: false,
    partitions: [],
    configs: new Map(Object.entries(configs)),
  };
  return MetadataImage.empty('c').with({ topics: [topic] }).image;
}

interface PlanOptions {
  readonly current?: Record<string, string>;
  readonly resource?: ConfigChange['resource'];
  readonly replacesAll?: boolean;
}

function plan(operations: Op[], o: PlanOptions = {}) {
  const change: ConfigChange = {
    resource: o.resource ?? { scope: 'topics', name: 't' },
    operations: operations.map(([kind, key, value = '']) => ({ kind, key, value })),
    replacesAll: o.replacesAll ?? false,
  };
  const planned = planConfigs(change, { image: imageOf(o.current ?? {}), config: BrokerConfig.of() });
  return planned.ok ? Object.fromEntries(planned.value) : [planned.error, planned.message];
}

describe('topics', () => {
  it.each<[Op[], Record<string, string>, Record<string, string>]>([
    [
      [['set', 'retention.ms', '5']],
      { 'retention.ms': '4', 'flush.ms': '3' },
      { 'retention.ms': '5', 'flush.ms': '3' },
    ],
    [[['delete', 'retention.ms']], { 'retention.ms': '4' }, {}],
    [[['delete', 'no.such.key']], {}, {}],
    [[['append', 'cleanup.policy', 'compact']], {}, { 'cleanup.policy': 'delete,compact' }],
    [[['append', 'cleanup.policy', 'compact']], { 'cleanup.policy': 'compact' }, { 'cleanup.policy': 'compact' }],
    [
      [['subtract', 'cleanup.policy', 'delete']],
      { 'cleanup.policy': 'delete,compact' },
      { 'cleanup.policy': 'compact' },
    ],
    [[['subtract', 'cleanup.policy', 'compact']], { 'cleanup.policy': 'delete' }, { 'cleanup.policy': 'delete' }],
    [[['subtract', 'cleanup.policy', 'delete']], {}, { 'cleanup.policy': '' }],
    [
      [['append', 'leader.replication.throttled.replicas', '0:1,1:1']],
      {},
      { 'leader.replication.throttled.replicas': '0:1,1:1' },
    ],
  ])('%j on %j', (operations, current, after) => {
    expect(plan(operations, { current })).toEqual(after);
  });

  it('replaces everything where that is asked for', () => {
    expect(plan([['set', 'flush.ms', '5']], { current: { 'retention.ms': '4' }, replacesAll: true })).toEqual({
      'flush.ms': '5',
    });
  });

  it.each<[Op[], ErrorCode, string]>([
    [[['append', 'retention.ms', '5']], ErrorCode.INVALID_CONFIG, "Can't APPEND to key retention.ms"],
    [[['subtract', 'retention.ms', '5']], ErrorCode.INVALID_CONFIG, "Can't SUBTRACT to key retention.ms"],
    [[['append', 'foo', '5']], ErrorCode.INVALID_CONFIG, "Can't APPEND to key foo"],
    [[['set', 'foo', '5']], ErrorCode.INVALID_CONFIG, 'Unknown topic config name: foo'],
    [[['set', FORMER_RETENTION, '5']], ErrorCode.INVALID_CONFIG, 'Unknown topic config name'],
    [[['set', 'retention.ms', 'abc']], ErrorCode.INVALID_CONFIG, 'Not a number of type LONG'],
    [[['set', 'cleanup.policy', 'x'.repeat(40_000)]], ErrorCode.INVALID_CONFIG, 'maximum value size of 32767 bytes'],
  ])('refuses %j', (operations, code, message) => {
    expect(plan(operations)).toEqual([code, expect.stringContaining(message)]);
  });

  it.each<[string, ErrorCode, string]>([
    ['', ErrorCode.INVALID_REQUEST, 'Default topic resources are not allowed.'],
    ['a b', ErrorCode.INVALID_TOPIC_EXCEPTION, "'a b' contains"],
    ['none', ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "The topic 'none' does not exist."],
  ])('refuses the name "%s"', (name, code, message) => {
    const resource = { scope: 'topics', name } as const;
    expect(plan([['set', 'retention.ms', '5']], { resource })).toEqual([code, expect.stringContaining(message)]);
  });

  it('keeps what an adopted topic had for defaults until a client sets that very key', () => {
    const current = { [FORMER_RETENTION]: '9', 'flush.ms': '3' };
    expect(plan([['set', 'flush.ms', '5']], { current, replacesAll: true })).toEqual({
      [FORMER_RETENTION]: '9',
      'flush.ms': '5',
    });
    expect(plan([['delete', 'retention.ms']], { current })).toEqual(current);
    expect(plan([['set', 'retention.ms', '7']], { current })).toEqual({ 'retention.ms': '7', 'flush.ms': '3' });
  });
});

describe('brokers', () => {
  const resource = { scope: 'brokers', name: '1' } as const;

  it('takes known and unknown settings', () => {
    expect(
      plan(
        [
          ['set', 'log.retention.ms', '5'],
          ['set', 'my.key', 'x'],
        ],
        { resource },
      ),
    ).toEqual({
      'log.retention.ms': '5',
      'my.key': 'x',
    });
    expect(plan([['append', 'log.cleanup.policy', 'compact']], { resource })).toEqual({
      'log.cleanup.policy': 'delete,compact',
    });
  });

  it.each<[Op, ErrorCode, string]>([
    [['append', 'log.retention.ms', '5'], ErrorCode.INVALID_CONFIG, 'Config value append is not allowed'],
    [['subtract', 'foo', '5'], ErrorCode.INVALID_CONFIG, 'Unknown config name: foo'],
    [['set', 'broker.id', '5'], ErrorCode.INVALID_REQUEST, 'Cannot update these configs dynamically: [broker.id]'],
  ])('refuses %j', (operation, code, message) => {
    expect(plan([operation], { resource })).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('groups and client metrics', () => {
  const group = { scope: 'groups', name: 'g' } as const;
  const metrics = { scope: 'client-metrics', name: 'm' } as const;

  it('take their own settings', () => {
    expect(plan([['set', 'share.isolation.level', 'read_committed']], { resource: group })).toEqual({
      'share.isolation.level': 'read_committed',
    });
    expect(plan([['set', 'metrics', 'a.']], { resource: metrics })).toEqual({ metrics: 'a.' });
  });

  it.each<[typeof group | typeof metrics, Op, ErrorCode, string]>([
    [group, ['set', 'foo', '1'], ErrorCode.INVALID_CONFIG, 'Unknown group config name: foo'],
    [metrics, ['set', 'foo', '1'], ErrorCode.INVALID_REQUEST, 'Unknown client metrics configuration: foo'],
    [metrics, ['append', 'metrics', 'b.'], ErrorCode.INVALID_CONFIG, "Can't APPEND to key metrics"],
  ])('%j refuse %j', (resource, operation, ...[code, message]) => {
    expect(plan([operation], { resource })).toEqual([code, expect.stringContaining(message)]);
  });
});

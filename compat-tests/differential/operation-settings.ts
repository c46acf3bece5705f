/**
 * Settings, possible and impossible, of all that can have some. The possible ones are harmless: they change nothing
 * about the answers to other requests, and either broker can take them back.
 */

export type ResourceKind = 'topic' | 'broker' | 'logger' | 'group' | 'metrics';

/** The wire's numbers of the kinds. */
export const RESOURCE: Readonly<Record<ResourceKind, number>> = {
  topic: 2,
  broker: 4,
  logger: 8,
  metrics: 16,
  group: 32,
};

export type Setting = readonly [name: string, value: string | null];

export const GOOD_SETTINGS: Readonly<Record<ResourceKind, readonly Setting[]>> = {
  topic: [
    ['retention.ms', '90000000'],
    ['segment.jitter.ms', '5'],
    ['follower.replication.throttled.replicas', '0:1'],
    ['leader.replication.throttled.replicas', '*'],
    ['cleanup.policy', 'delete,compact'],
  ],
  broker: [
    ['log.cleaner.backoff.ms', '14000'],
    ['log.cleaner.threads', '2'],
    ['log.retention.ms', '900000000'],
    ['log.roll.ms', '700000000'],
    ['log.flush.interval.ms', '600000000'],
    ['log.cleanup.policy', 'delete'],
    ['num.io.threads', '9'],
    ['background.threads', '11'],
    ['max.connections.per.ip', '2000000000'],
    ['max.connections.per.ip.overrides', '127.0.0.9:7'],
    ['producer.id.expiration.ms', '86400001'],
    ['message.max.bytes', '1048589'],
    ['leader.replication.throttled.rate', '1000000'],
    ['follower.replication.throttled.rate', '1000000'],
    ['listener.name.plaintext.max.connections', '2000000000'],
  ],
  logger: [['root', 'ERROR']],
  group: [
    ['consumer.session.timeout.ms', '50000'],
    ['consumer.heartbeat.interval.ms', '6000'],
    ['share.auto.offset.reset', 'earliest'],
    ['share.record.lock.duration.ms', '20000'],
    ['streams.num.standby.replicas', '1'],
  ],
  metrics: [
    ['interval.ms', '60000'],
    ['metrics', 'org.apache.kafka.producer.'],
    ['match', 'client_id=a.*,client_software_name=b'],
  ],
};

export const BAD_SETTINGS: Readonly<Record<ResourceKind, readonly Setting[]>> = {
  topic: [
    ['foo', 'bar'],
    ['', 'x'],
    ['retention.ms', 'abc'],
    ['retention.ms', null],
    ['retention.ms', '9223372036854775808'],
    ['segment.jitter.ms', '-1'],
    ['follower.replication.throttled.replicas', 'bogus'],
    ['min.cleanable.dirty.ratio', '2'],
    ['min.compaction.lag.ms', '9223372036854775807'],
    ['max.compaction.lag.ms', '0'],
    ['compression.gzip.level', '0'],
    ['compression.zstd.level', '23'],
    ['message.timestamp.type', 'now'],
    ['unclean.leader.election.enable', 'yes'],
    ['remote.storage.enable', 'true'],
    ['local.retention.ms', '-3'],
  ],
  broker: [
    ['node.id', '7'],
    ['log.dirs', '/tmp/x'],
    ['num.partitions', '3'],
    ['auto.create.topics.enable', 'false'],
    ['log.cleaner.backoff.ms', 'abc'],
    ['log.cleaner.backoff.ms', '-1'],
    ['log.cleaner.threads', '100'],
    ['log.cleaner.threads', '0'],
    ['num.io.threads', '100'],
    ['num.io.threads', '1'],
    ['log.cleanup.policy', 'bogus'],
    ['log.retention.ms', '0'],
    ['log.cleaner.io.buffer.load.factor', 'x'],
    ['log.cleaner.dedupe.buffer.size', '100'],
    ['max.connections.per.ip.overrides', 'nonsense'],
    ['max.connections', '-1'],
    ['compression.type', 'brotli'],
    ['message.max.bytes', ''],
    ['ssl.keystore.location', '/tmp/none'],
    ['listeners', 'PLAINTEXT://localhost:1'],
    ['listeners', 'nonsense'],
    ['log.message.timestamp.type', 'now'],
    ['log.cleaner.min.compaction.lag.ms', '9223372036854775807'],
    ['unclean.leader.election.enable', 'perhaps'],
    ['producer.id.expiration.ms', '0'],
  ],
  logger: [
    ['root', 'LOUD'],
    ['no.such.logger', 'INFO'],
    ['', 'INFO'],
    ['root', null],
  ],
  group: [
    ['foo', 'bar'],
    ['', 'x'],
    ['consumer.session.timeout.ms', '1'],
    ['consumer.session.timeout.ms', '10000000'],
    ['consumer.session.timeout.ms', 'abc'],
    ['consumer.session.timeout.ms', ''],
    ['consumer.session.timeout.ms', null],
    ['consumer.heartbeat.interval.ms', '50000'],
    ['consumer.heartbeat.interval.ms', '0'],
    ['share.auto.offset.reset', 'never'],
    ['share.auto.offset.reset', 'by_duration:P1'],
    ['share.isolation.level', 'none'],
    ['share.record.lock.duration.ms', '5'],
    ['streams.num.standby.replicas', '100'],
    ['streams.assignor.name', 'mine'],
  ],
  metrics: [
    ['foo', 'bar'],
    ['interval.ms', '99'],
    ['interval.ms', '3600001'],
    ['interval.ms', 'abc'],
    ['interval.ms', null],
    ['match', 'client_id'],
    ['match', 'nothing=x'],
    ['match', 'client_id=['],
  ],
};

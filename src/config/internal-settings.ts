/**
 * Settings that Kafka keeps to itself: they can be set, and clients are told of them only where they are. Those of the
 * built-in authorizer, which are no settings of Kafka's broker itself, are treated alike. Source: its `defineInternal`.
 */
import type { ConfigKey } from './broker-config';

const names: readonly ConfigKey[] = [
  'allow.everyone.if.no.acl.found',
  'controller.performance.always.log.threshold.ms',
  'controller.performance.sample.period.ms',
  'group.consumer.assignor.offload.enable',
  'group.consumer.regex.refresh.interval.ms',
  'group.coordinator.new.enable',
  'group.share.assignor.offload.enable',
  'group.share.dlq.manager.class.name',
  'group.share.enable',
  'group.share.initialize.retry.interval.ms',
  'group.share.persister.class.name',
  'group.streams.acceptable.recovery.lag',
  'group.streams.assignor.offload.enable',
  'group.streams.max.warmup.replicas',
  'group.streams.min.task.offset.interval.ms',
  'group.streams.num.warmup.replicas',
  'group.streams.task.offset.interval.ms',
  'internal.metadata.delete.delay.millis',
  'internal.metadata.log.segment.bytes',
  'internal.metadata.max.batch.size.in.bytes',
  'log.initial.task.delay.ms',
  'metadata.log.segment.min.bytes',
  'producer.id.expiration.check.interval.ms',
  'remote.log.index.file.cache.ttl.ms',
  'remote.log.manager.task.retry.backoff.max.ms',
  'remote.log.manager.task.retry.backoff.ms',
  'remote.log.manager.task.retry.jitter',
  'server.max.startup.time.ms',
  'share.coordinator.cold.partition.snapshot.interval.ms',
  'share.coordinator.state.topic.prune.interval.ms',
  'share.fetch.max.fetch.records',
  'super.users',
  'unclean.leader.election.interval.ms',
  'unstable.api.versions.enable',
  'unstable.feature.versions.enable',
  'zookeeper.metadata.migration.min.batch.size',
];

/** Settings that only clients make, at run time: Kafka keeps them in a table of their own. */
export const runtimeOnlySettings: ReadonlySet<string> = new Set<ConfigKey>([
  'leader.replication.throttled.rate',
  'follower.replication.throttled.rate',
  'replica.alter.log.dirs.io.max.bytes.per.second',
]);

export const internalSettings: ReadonlySet<string> = new Set([...names, ...runtimeOnlySettings]);

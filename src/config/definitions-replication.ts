/** Rows of the configuration table: making and placing topics, replicas, leaders, transactions and producer ids. */
import {
  atLeast,
  between,
  bool,
  double,
  dynamic,
  inert,
  inertDynamic,
  inertThreads,
  int,
  long,
  MAX_LONG,
  optionalClass,
  optionalText,
  short,
  text,
} from './definition';

export const replicationDefinitions = {
  'auto.create.topics.enable': bool(true, 'Whether asking for an unknown topic creates it.'),
  'delete.topic.enable': bool(true, 'Whether topics can be deleted.'),
  'num.partitions': int(1, 'Partitions of a topic whose creator names no number.', { check: atLeast(1) }),
  'default.replication.factor': int(1, 'Replicas of a topic whose creator names no number.', { check: atLeast(1) }),
  'min.insync.replicas': int(1, 'Replicas that must have a record before acks=all is answered.', dynamic(atLeast(1))),
  'create.topic.policy.class.name': optionalClass('Java class that may refuse new topics; it cannot be loaded here.', {
    effect: 'refused',
  }),
  'alter.config.policy.class.name': optionalClass(
    'Java class that may refuse new settings; it cannot be loaded here.',
    {
      effect: 'refused',
    },
  ),
  'alter.config.policy.kraft.compatibility.enable': bool(
    false,
    'Before 4.0: whether that class sees changes as with ZooKeeper.',
    inert(),
  ),

  // Only clients set these three, at run time.
  'leader.replication.throttled.rate': long(
    MAX_LONG,
    'Bytes a second that followers may fetch of throttled replicas.',
    inertDynamic(atLeast(0)),
  ),
  'follower.replication.throttled.rate': long(
    MAX_LONG,
    'Bytes a second that this broker fetches as a follower of throttled replicas.',
    inertDynamic(atLeast(0)),
  ),
  'replica.alter.log.dirs.io.max.bytes.per.second': long(
    MAX_LONG,
    'Bytes a second that a move of partitions between disks may write.',
    dynamic(atLeast(0)),
  ),
  'unclean.leader.election.enable': bool(
    false,
    'Whether a replica that lags may lead when no other is left.',
    dynamic(),
  ),
  'unclean.leader.election.interval.ms': long(300_000, 'How often such elections are tried.', inert(atLeast(1))),
  'eligible.leader.replicas.enable': bool(false, 'KRaft: whether the last complete replicas are remembered.', inert()),
  'auto.leader.rebalance.enable': bool(true, 'Whether leadership goes back to the first replica by itself.', inert()),
  'leader.imbalance.check.interval.seconds': long(300, 'How often that is looked at.', inert(atLeast(1))),
  'leader.imbalance.per.broker.percentage': int(10, 'Part of wrong leaders from which on it happens.', inert()),
  'controlled.shutdown.enable': bool(true, 'Whether a stopping broker hands over its leaderships first.', inert()),
  'controlled.shutdown.max.retries': int(3, 'ZooKeeper era: how often that is tried.', inert()),
  'controlled.shutdown.retry.backoff.ms': long(5000, 'ZooKeeper era: pause between the tries.', inert()),
  'controller.socket.timeout.ms': int(30_000, 'Time that a request of the controller to a broker may take.', inert()),

  'num.replica.fetchers': int(1, 'Connections over which a follower copies from one leader.', inertThreads(atLeast(1))),
  'replica.fetch.backoff.ms': int(1000, 'Pause of a follower after an error.', inert(atLeast(0))),
  'replica.fetch.max.bytes': int(1_048_576, 'Bytes of one partition that a follower asks for.', inert(atLeast(0))),
  'replica.fetch.min.bytes': int(1, 'Bytes for which the leader lets a follower wait.', inert()),
  'replica.fetch.response.max.bytes': int(10_485_760, 'Bytes that a follower asks for in all.', inert(atLeast(0))),
  'replica.fetch.wait.max.ms': int(500, 'How long the leader lets a follower wait.', inert()),
  'replica.high.watermark.checkpoint.interval.ms': long(5000, 'How often the high watermarks are written down.'),
  'replica.lag.time.max.ms': long(30_000, 'Time without catching up after which a replica is out of sync.', inert()),
  'replica.selector.class': optionalText('Java class that chooses the replica for a consumer.', inert()),
  'replica.socket.receive.buffer.bytes': int(65_536, "Receive buffer of a follower's socket.", inert()),
  'replica.socket.timeout.ms': int(30_000, "Time that a follower's request may take.", inert()),

  'producer.id.expiration.ms': int(86_400_000, 'Time without a record after which a producer id is forgotten.', {
    ...dynamic(atLeast(1)),
  }),
  'producer.id.expiration.check.interval.ms': int(600_000, 'How often such producer ids are looked for.', {
    check: atLeast(1),
  }),

  'transaction.max.timeout.ms': int(900_000, 'Longest time a transaction may ask for.', inert(atLeast(1))),
  'transactional.id.expiration.ms': int(604_800_000, 'Time without use after which a transactional id is forgotten.', {
    ...inert(atLeast(1)),
  }),
  'transaction.partition.verification.enable': bool(
    true,
    'Whether a partition asks for the transaction of a batch.',
    inertDynamic(),
  ),
  'transaction.two.phase.commit.enable': bool(false, 'Whether transactions without a timeout are allowed.', inert()),
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': int(10_000, 'How often late transactions are ended.', {
    ...inert(atLeast(1)),
  }),
  'transaction.remove.expired.transaction.cleanup.interval.ms': int(3_600_000, 'How often forgotten ids are removed.', {
    ...inert(atLeast(1)),
  }),
  'transaction.state.log.num.partitions': int(50, 'Partitions of __transaction_state.', inert(atLeast(1))),
  'transaction.state.log.replication.factor': short(3, 'Replicas of __transaction_state.', inert(atLeast(1))),
  'transaction.state.log.min.isr': int(
    2,
    'In-sync replicas that a write to __transaction_state needs.',
    inert(atLeast(1)),
  ),
  'transaction.state.log.segment.bytes': int(104_857_600, 'Segment size of __transaction_state.', inert(atLeast(1))),
  'transaction.state.log.load.buffer.size': int(
    5_242_880,
    'Bytes read at a time while it is loaded.',
    inert(atLeast(1)),
  ),
  'add.partitions.to.txn.retry.backoff.ms': int(20, 'Pause before a partition is added to a transaction again.', {
    ...inert(atLeast(1)),
  }),
  'add.partitions.to.txn.retry.backoff.max.ms': int(100, 'Longest time of such tries.', inert(atLeast(0))),

  'errors.deadletterqueue.auto.create.topics.enable': bool(
    false,
    'Whether dead-letter topics are created.',
    inertDynamic(),
  ),
  'errors.deadletterqueue.topic.name.prefix': text('dlq.', 'How names of dead-letter topics begin.', inertDynamic()),
};

export const remoteDefinitions = {
  'remote.log.storage.system.enable': bool(false, 'Whether old segments move to another storage; not offered here.', {
    effect: 'refused',
  }),
  'remote.log.storage.manager.class.name': optionalText('Java class of that storage.', inert()),
  'remote.log.storage.manager.class.path': optionalText('Where that class lies.', inert()),
  'remote.log.storage.manager.impl.prefix': text('rsm.config.', 'Prefix of its settings.', inert()),
  'remote.log.metadata.manager.class.name': text(
    'org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager',
    'Java class that keeps account of moved segments.',
    inert(),
  ),
  'remote.log.metadata.manager.class.path': optionalText('Where that class lies.', inert()),
  'remote.log.metadata.manager.impl.prefix': text('rlmm.config.', 'Prefix of its settings.', inert()),
  'remote.log.metadata.manager.listener.name': optionalText('Listener that it connects to.', inert()),
  'remote.log.metadata.custom.metadata.max.bytes': int(128, 'Bytes of its own that it may keep.', inert(atLeast(0))),
  'remote.log.index.file.cache.total.size.bytes': long(2 ** 30, 'Space for fetched indexes.', inertDynamic(atLeast(1))),
  'remote.log.index.file.cache.ttl.ms': long(900_000, 'How long fetched indexes are kept.', inert(atLeast(-1))),
  'remote.log.manager.thread.pool.size': int(2, 'Threads that move segments.', inert(atLeast(1))),
  'remote.log.manager.copier.thread.pool.size': int(10, 'Threads that copy segments.', inertDynamic(atLeast(-1))),
  'remote.log.manager.expiration.thread.pool.size': int(
    10,
    'Threads that delete moved segments.',
    inertDynamic(atLeast(-1)),
  ),
  'remote.log.manager.follower.thread.pool.size': int(2, 'Threads that serve followers.', inertDynamic(atLeast(1))),
  'remote.log.manager.copy.max.bytes.per.second': long(
    MAX_LONG,
    'Bytes a second that are copied.',
    inertDynamic(atLeast(1)),
  ),
  'remote.log.manager.copy.quota.window.num': int(11, 'Windows that this quota remembers.', inert(atLeast(1))),
  'remote.log.manager.copy.quota.window.size.seconds': int(1, 'Length of such a window.', inert(atLeast(1))),
  'remote.log.manager.fetch.max.bytes.per.second': long(
    MAX_LONG,
    'Bytes a second that are read back.',
    inertDynamic(atLeast(1)),
  ),
  'remote.log.manager.fetch.quota.window.num': int(11, 'Windows that this quota remembers.', inert(atLeast(1))),
  'remote.log.manager.fetch.quota.window.size.seconds': int(1, 'Length of such a window.', inert(atLeast(1))),
  'remote.log.manager.task.interval.ms': long(30_000, 'How often segments to move are looked for.', inert(atLeast(1))),
  'remote.log.manager.task.retry.backoff.ms': long(500, 'Pause after a failed move.', inert(atLeast(1))),
  'remote.log.manager.task.retry.backoff.max.ms': long(
    30_000,
    'The longest that this pause grows to.',
    inert(atLeast(1)),
  ),
  'remote.log.manager.task.retry.jitter': double(
    0.2,
    'Part of that pause that chance decides.',
    inert(between(0, 0.5)),
  ),
  'remote.log.reader.threads': int(10, 'Threads that read moved segments.', inertDynamic(atLeast(1))),
  'remote.log.reader.max.pending.tasks': int(100, 'Reads that may wait for such a thread.', inert(atLeast(1))),
  'remote.fetch.max.wait.ms': int(500, 'How long a fetch waits for a moved segment.', inertDynamic(atLeast(1))),
  'remote.list.offsets.request.timeout.ms': long(
    30_000,
    'How long a search for an offset waits for one.',
    inertDynamic(atLeast(1)),
  ),
  'log.local.retention.bytes': long(
    -2,
    'Size kept on the own disk; -2: as log.retention.bytes.',
    inertDynamic(atLeast(-2)),
  ),
  'log.local.retention.ms': long(-2, 'Age kept on the own disk; -2: as log.retention.ms.', inertDynamic(atLeast(-2))),
  'log.remote.copy.lag.bytes': long(-1, 'Size before a segment is copied.', inertDynamic(atLeast(-1))),
  'log.remote.copy.lag.ms': long(0, 'Age before a segment is copied.', inertDynamic(atLeast(-1))),
  'follower.fetch.last.tiered.offset.enable': bool(
    false,
    'Whether a new follower starts where the copies end.',
    inertDynamic(),
  ),
};

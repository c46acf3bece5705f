/** Rows of the configuration table: group coordinators (classic, consumer, share, streams) and committed offsets. */
import {
  atLeast,
  between,
  bool,
  inert,
  inertDynamic,
  int,
  list,
  long,
  MAX_INT,
  oneOf,
  oneOfAnyCase,
  optionalClass,
  short,
  text,
} from './definition';

const PROTOCOLS = oneOf('classic', 'consumer', 'share', 'streams', 'unknown');
const MIGRATIONS = oneOfAnyCase('disabled', 'downgrade', 'upgrade', 'bidirectional');

export const groupDefinitions = {
  'group.initial.rebalance.delay.ms': int(0, 'How long the first round of a new group waits for more members.', {
    check: atLeast(0),
    kafkaDefault: '3000',
  }),
  'group.min.session.timeout.ms': int(6000, 'Shortest session timeout that a member may ask for.'),
  'group.max.session.timeout.ms': int(1_800_000, 'Longest session timeout that a member may ask for.'),
  'group.max.size': int(MAX_INT, 'Members that one group may have.', { check: atLeast(1) }),

  'offset.metadata.max.bytes': int(4096, 'Largest text that may go with a committed offset.'),
  'offsets.commit.required.acks': short(
    -1,
    'Before 4.0: acknowledgements of a commit; always those of all in sync.',
    inert(),
  ),
  'offsets.commit.timeout.ms': int(5000, 'How long a commit waits for its replicas.', { check: atLeast(1) }),
  'offsets.load.buffer.size': int(5_242_880, 'Bytes read at a time while offsets are loaded.', { check: atLeast(1) }),
  'offsets.retention.check.interval.ms': long(600_000, 'How often expired offsets are looked for.', {
    check: atLeast(1),
  }),
  'offsets.retention.minutes': int(10_080, 'How long the offsets of a group without members are kept.', {
    check: atLeast(1),
  }),
  'offsets.topic.compression.codec': int(
    0,
    'Codec of __consumer_offsets, as a number: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.',
    {
      check: between(0, 4),
    },
  ),
  'offsets.topic.num.partitions': int(50, 'Partitions of __consumer_offsets.', { check: atLeast(1) }),
  'offsets.topic.replication.factor': short(3, 'Replicas of __consumer_offsets; one where there is one broker.', {
    check: atLeast(1),
  }),
  'offsets.topic.segment.bytes': int(104_857_600, 'Segment size of __consumer_offsets.', { check: atLeast(1) }),

  'group.coordinator.rebalance.protocols': list(
    ['classic', 'consumer', 'streams'],
    'Group protocols that may be used.',
    {
      ...inert(PROTOCOLS),
    },
  ),
  'group.coordinator.new.enable': bool(true, 'Before 4.1: whether the newer coordinator is used.', inert()),
  'group.coordinator.threads': int(4, 'Threads of the coordinator.', inert(atLeast(1))),
  'group.coordinator.background.threads': int(2, 'Its threads for background work.', inert(atLeast(1))),
  'group.coordinator.append.linger.ms': int(-1, 'How long changes of groups are gathered before they are written.', {
    ...inert(atLeast(-1)),
  }),
  'group.coordinator.cached.buffer.max.bytes': int(1_048_588, 'Largest write buffer that is kept for reuse.', {
    ...inertDynamic(atLeast(524_288)),
  }),
};

export const consumerGroupDefinitions = {
  'group.consumer.assignors': list(
    ['uniform', 'range'],
    'Assignors of consumer groups, the first by default.',
    inert(),
  ),
  'group.consumer.assignment.interval.ms': int(1000, 'Least time between two assignments.', inertDynamic(atLeast(0))),
  'group.consumer.min.assignment.interval.ms': int(0, 'Least value of it for one group.', { check: atLeast(0) }),
  'group.consumer.max.assignment.interval.ms': int(15_000, 'Largest value of it for one group.', { check: atLeast(0) }),
  'group.consumer.assignor.offload.enable': bool(true, 'Whether assignors run beside the coordinator.', inertDynamic()),
  'group.consumer.heartbeat.interval.ms': int(
    5000,
    'Time between heartbeats that members are told.',
    inert(atLeast(1)),
  ),
  'group.consumer.min.heartbeat.interval.ms': int(5000, 'Least value of it for one group.', { check: atLeast(1) }),
  'group.consumer.max.heartbeat.interval.ms': int(15_000, 'Largest value of it for one group.', { check: atLeast(1) }),
  'group.consumer.session.timeout.ms': int(
    45_000,
    'Time without a heartbeat after which a member is out.',
    inert(atLeast(1)),
  ),
  'group.consumer.min.session.timeout.ms': int(45_000, 'Least value of it for one group.', { check: atLeast(1) }),
  'group.consumer.max.session.timeout.ms': int(60_000, 'Largest value of it for one group.', { check: atLeast(1) }),
  'group.consumer.max.size': int(MAX_INT, 'Members of one group.', inert(atLeast(1))),
  'group.consumer.migration.policy': text(
    'bidirectional',
    'Which conversions of groups are allowed.',
    inert(MIGRATIONS),
  ),
  'group.consumer.regex.refresh.interval.ms': int(600_000, 'How often patterns of topics are resolved again.', {
    ...inert(atLeast(10_000)),
  }),
};

export const shareGroupDefinitions = {
  'group.share.enable': bool(false, 'Before 4.1: whether there are share groups.', inert()),
  'group.share.assignors': list(['simple'], 'Assignors of share groups.', inert()),
  'group.share.assignment.interval.ms': int(1000, 'Least time between two assignments.', inertDynamic(atLeast(0))),
  'group.share.min.assignment.interval.ms': int(0, 'Least value of it for one group.', { check: atLeast(0) }),
  'group.share.max.assignment.interval.ms': int(15_000, 'Largest value of it for one group.', { check: atLeast(0) }),
  'group.share.assignor.offload.enable': bool(true, 'Whether assignors run beside the coordinator.', inertDynamic()),
  'group.share.heartbeat.interval.ms': int(5000, 'Time between heartbeats that members are told.', inert(atLeast(1))),
  'group.share.min.heartbeat.interval.ms': int(5000, 'Least value of it for one group.', { check: atLeast(1) }),
  'group.share.max.heartbeat.interval.ms': int(15_000, 'Largest value of it for one group.', { check: atLeast(1) }),
  'group.share.session.timeout.ms': int(
    45_000,
    'Time without a heartbeat after which a member is out.',
    inert(atLeast(1)),
  ),
  'group.share.min.session.timeout.ms': int(45_000, 'Least value of it for one group.', { check: atLeast(1) }),
  'group.share.max.session.timeout.ms': int(60_000, 'Largest value of it for one group.', { check: atLeast(1) }),
  'group.share.max.size': int(200, 'Members of one group.', inert(between(1, 1000))),
  'group.share.max.groups': short(10, 'Before 4.1: number of share groups.', inert(between(1, 100))),
  'group.share.max.share.sessions': int(2000, 'Share sessions kept.', inert(atLeast(1))),
  'group.share.delivery.count.limit': int(5, 'How often a record is handed out.', inert(between(2, 10))),
  'group.share.min.delivery.count.limit': int(2, 'Least value of it for one group.', { check: between(2, 5) }),
  'group.share.max.delivery.count.limit': int(10, 'Largest value of it for one group.', { check: between(5, 25) }),
  'group.share.partition.max.record.locks': int(
    2000,
    'Records of a partition in work at a time.',
    inert(between(100, 10_000)),
  ),
  'group.share.min.partition.max.record.locks': int(100, 'Least value of it for one group.', {
    check: between(100, 2000),
  }),
  'group.share.max.partition.max.record.locks': int(4000, 'Largest value of it for one group.', {
    check: between(2000, 10_000),
  }),
  'group.share.record.lock.duration.ms': int(30_000, 'How long a record is in work.', inert(between(1000, 3_600_000))),
  'group.share.min.record.lock.duration.ms': int(15_000, 'Least value of it for one group.', {
    check: between(1000, 30_000),
  }),
  'group.share.max.record.lock.duration.ms': int(60_000, 'Largest value of it for one group.', {
    check: between(30_000, 3_600_000),
  }),
  'group.share.initialize.retry.interval.ms': int(
    30_000,
    'How often the start of a share partition is tried.',
    inert(atLeast(1)),
  ),
  'group.share.persister.class.name': text(
    'org.apache.kafka.server.share.persister.DefaultStatePersister',
    'Java class that keeps the state of share groups.',
    inert(),
  ),
  'group.share.dlq.manager.class.name': text(
    'org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager',
    'Java class that fills dead-letter topics.',
    inert(),
  ),
  'share.coordinator.append.linger.ms': int(-1, 'How long state of share groups is gathered.', inert(atLeast(-1))),
  'share.coordinator.cached.buffer.max.bytes': int(
    1_048_588,
    'Largest write buffer kept.',
    inertDynamic(atLeast(524_288)),
  ),
  'share.coordinator.cold.partition.snapshot.interval.ms': int(
    300_000,
    'Snapshots of idle partitions.',
    inert(atLeast(1)),
  ),
  'share.coordinator.load.buffer.size': int(
    5_242_880,
    'Bytes read at a time while state is loaded.',
    inert(atLeast(1)),
  ),
  'share.coordinator.snapshot.update.records.per.snapshot': int(
    500,
    'Updates between snapshots.',
    inert(between(0, 500)),
  ),
  'share.coordinator.state.topic.compression.codec': int(0, 'Codec of __share_group_state.', inert()),
  'share.coordinator.state.topic.min.isr': short(
    2,
    'In-sync replicas that a write to __share_group_state needs.',
    inert(atLeast(1)),
  ),
  'share.coordinator.state.topic.num.partitions': int(50, 'Partitions of __share_group_state.', inert(atLeast(1))),
  'share.coordinator.state.topic.prune.interval.ms': int(300_000, 'How often it is cut.', inert(atLeast(1))),
  'share.coordinator.state.topic.replication.factor': short(3, 'Replicas of __share_group_state.', inert(atLeast(1))),
  'share.coordinator.state.topic.segment.bytes': int(
    104_857_600,
    'Segment size of __share_group_state.',
    inert(atLeast(1)),
  ),
  'share.coordinator.threads': int(1, 'Threads of the share coordinator.', inert(atLeast(1))),
  'share.coordinator.write.timeout.ms': int(5000, 'Time that a write of state may take.', inert(atLeast(1))),
  'share.fetch.max.fetch.records': int(MAX_INT, '4.0 only: records of one share fetch.', inert()),
};

export const streamsGroupDefinitions = {
  'group.streams.assignors': list(['sticky'], 'Assignors that a streams group may be set to.'),
  'group.streams.assignment.interval.ms': int(1000, 'Least time between two assignments.', inertDynamic(atLeast(0))),
  'group.streams.min.assignment.interval.ms': int(0, 'Least value of it for one group.', { check: atLeast(0) }),
  'group.streams.max.assignment.interval.ms': int(15_000, 'Largest value of it for one group.', { check: atLeast(0) }),
  'group.streams.assignor.offload.enable': bool(true, 'Whether assignors run beside the coordinator.', inertDynamic()),
  'group.streams.initial.rebalance.delay.ms': int(
    3000,
    'How long a new group waits for more members.',
    inert(atLeast(0)),
  ),
  'group.streams.heartbeat.interval.ms': int(5000, 'Time between heartbeats that members are told.', inert(atLeast(1))),
  'group.streams.min.heartbeat.interval.ms': int(5000, 'Least value of it for one group.', { check: atLeast(1) }),
  'group.streams.max.heartbeat.interval.ms': int(15_000, 'Largest value of it for one group.', { check: atLeast(1) }),
  'group.streams.session.timeout.ms': int(
    45_000,
    'Time without a heartbeat after which a member is out.',
    inert(atLeast(1)),
  ),
  'group.streams.min.session.timeout.ms': int(45_000, 'Least value of it for one group.', { check: atLeast(1) }),
  'group.streams.max.session.timeout.ms': int(60_000, 'Largest value of it for one group.', { check: atLeast(1) }),
  'group.streams.max.size': int(MAX_INT, 'Members of one group.', inert(atLeast(1))),
  'group.streams.num.standby.replicas': int(0, 'Standby copies of a task.', inert(atLeast(0))),
  'group.streams.max.standby.replicas': int(2, 'Largest value of it for one group.', { check: atLeast(0) }),
  'group.streams.num.warmup.replicas': int(2, 'Copies that are being warmed up at a time.', inert(atLeast(0))),
  'group.streams.max.warmup.replicas': int(20, 'Largest value of it for one group.', inert(atLeast(0))),
  'group.streams.acceptable.recovery.lag': long(10_000, 'Lag at which a copy counts as caught up.', inert(atLeast(0))),
  'group.streams.task.offset.interval.ms': int(60_000, 'How often members report task offsets.', inert(atLeast(1))),
  'group.streams.min.task.offset.interval.ms': int(15_000, 'Least value of it for one group.', inert(atLeast(1))),
  'group.streams.rack.aware.assignment.tags': list([], 'Client tags over which copies are spread.', inert()),
  'group.streams.topology.description.plugin.class': optionalClass('Java class that is told topologies.', inert()),
};

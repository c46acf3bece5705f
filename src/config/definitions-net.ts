/** Rows of the configuration table: identity of the broker, listeners, connections, request limits, quotas, metrics. */
import {
  atLeast,
  bool,
  dynamic,
  inert,
  inertDynamic,
  inertThreads,
  int,
  list,
  long,
  MAX_INT,
  MAX_LONG,
  notEmpty,
  optionalClass,
  optionalInt,
  optionalList,
  optionalText,
  perBroker,
  text,
} from './definition';

/** In the order in which Kafka tells it. */
const PROTOCOL_MAP = 'SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT';

export const netDefinitions = {
  'broker.id': int(-1, 'Number of this broker, under its old name; -1: that of the data directory, else 1.'),
  'node.id': int(-1, 'Number of this broker; takes precedence over broker.id.', { check: atLeast(-1) }),
  'broker.id.generation.enable': bool(true, 'ZooKeeper era: whether a broker without a number is given one.', inert()),
  'reserved.broker.max.id': int(1000, 'ZooKeeper era: given numbers start above this one.', inert(atLeast(0))),
  'broker.rack': optionalText('Where the broker stands; consumers and replica placement see it.'),

  listeners: list(
    ['PLAINTEXT://:9092'],
    'Addresses to listen on, NAME://HOST:PORT; no host: all interfaces, port 0: any.',
    {
      ...perBroker(notEmpty),
    },
  ),
  'advertised.listeners': optionalList(
    "Addresses that clients are told. Unset: the listeners' hosts; for a plaintext listener on all interfaces " +
      'the address by which the client itself came.',
    { check: notEmpty },
  ),
  'listener.security.protocol.map': text(
    PROTOCOL_MAP,
    'Security protocol of each listener name, NAME:PROTOCOL.',
    perBroker(),
  ),
  'inter.broker.listener.name': optionalText(
    'Listener that other brokers use; unset: by security.inter.broker.protocol.',
  ),
  'control.plane.listener.name': optionalText('ZooKeeper era: listener kept for the controller.', inert()),
  'early.start.listeners': optionalList('Listeners that open before the authorizer is ready.', inert()),

  'num.network.threads': int(3, 'Network threads of the JVM; there is one event loop here.', inertThreads(atLeast(1))),
  'num.io.threads': int(8, 'Request threads of the JVM; one event loop here, which quotas count as so many.', {
    ...dynamic(atLeast(1)),
    inSteps: true,
  }),
  'background.threads': int(10, 'Threads of the JVM for background work.', inertThreads(atLeast(1))),
  'queued.max.requests': int(
    500,
    'Requests waiting for a thread of the JVM; see queued.max.request.bytes.',
    inert(atLeast(1)),
  ),
  'queued.max.request.bytes': long(
    -1,
    'Bytes of requests in work at which sockets are read no further; -1: a limit of our own.',
  ),
  'socket.send.buffer.bytes': int(102_400, "The socket's send buffer; Node.js leaves it to the system.", inert()),
  'socket.receive.buffer.bytes': int(102_400, "The socket's receive buffer; Node.js leaves it to the system.", inert()),
  'socket.listen.backlog.size': int(
    50,
    'Connections that may wait to be accepted; here always 511.',
    inert(atLeast(1)),
  ),
  'socket.request.max.bytes': int(104_857_600, 'Largest request; a larger one closes its connection.', {
    check: atLeast(1),
  }),
  'max.request.partition.size.limit': int(2000, 'Partitions that one DescribeTopicPartitions answer may hold.', {
    check: atLeast(1),
  }),
  'connections.max.idle.ms': long(600_000, 'A connection without traffic for this long is closed; -1 for never.'),
  'connection.failed.authentication.delay.ms': int(100, 'How long a failed authentication waits for its answer.', {
    ...inert(atLeast(0)),
  }),
  'max.connections': int(MAX_INT, 'Connections over all listeners.', dynamic(atLeast(0))),
  'max.connections.per.ip': int(MAX_INT, 'Connections from one address.', dynamic(atLeast(0))),
  'max.connections.per.ip.overrides': text(
    '',
    'Other limits for some addresses, HOST:COUNT separated by commas.',
    dynamic(),
  ),
  'max.connection.creation.rate': int(MAX_INT, 'New connections a second; more wait.', dynamic(atLeast(0))),
  'socket.connection.setup.timeout.ms': long(
    10_000,
    'Time that a connection of this broker to another may take.',
    inert(),
  ),
  'socket.connection.setup.timeout.max.ms': long(30_000, 'The longest that this time grows to by repetition.', inert()),
  'request.timeout.ms': int(30_000, "How long this broker's own requests wait for an answer.", inert()),

  'fetch.max.bytes': int(57_671_680, 'Largest answer to a fetch, one larger batch apart.', { check: atLeast(1024) }),
  'max.incremental.fetch.session.cache.slots': int(1000, 'Fetch sessions kept.', { check: atLeast(0) }),
  'fetch.purgatory.purge.interval.requests': int(1000, 'Waiting fetches here leave no rests to purge.', inert()),
  'producer.purgatory.purge.interval.requests': int(1000, 'Waiting produces here leave no rests to purge.', inert()),
  'delete.records.purgatory.purge.interval.requests': int(
    1,
    'Waiting deletions here leave no rests to purge.',
    inert(),
  ),
  'share.fetch.purgatory.purge.interval.requests': int(
    1000,
    'Waiting share fetches here leave no rests to purge.',
    inert(),
  ),

  'quota.window.num': int(11, 'Windows that client quotas remember.', { check: atLeast(1) }),
  'quota.window.size.seconds': int(1, 'Length of such a window.', { check: atLeast(1) }),
  'controller.quota.window.num': int(11, 'Windows that the quota of topic changes remembers.', { check: atLeast(1) }),
  'controller.quota.window.size.seconds': int(1, 'Length of such a window.', { check: atLeast(1) }),
  'replication.quota.window.num': int(11, 'Windows that replication quotas remember.', inert(atLeast(1))),
  'replication.quota.window.size.seconds': int(1, 'Length of such a window.', inert(atLeast(1))),
  'alter.log.dirs.replication.quota.window.num': int(
    11,
    'Windows of the quota for moves between disks.',
    inert(atLeast(1)),
  ),
  'alter.log.dirs.replication.quota.window.size.seconds': int(1, 'Length of such a window.', inert(atLeast(1))),
  'client.quota.callback.class': optionalClass('Java class that decides quotas; a Java class cannot be loaded here.', {
    effect: 'refused',
  }),

  'metric.reporters': list(
    ['org.apache.kafka.common.metrics.JmxReporter'],
    'Java classes that report metrics.',
    inertDynamic(),
  ),
  'auto.include.jmx.reporter': bool(true, 'Before 4.0: whether the JMX reporter is always there.', inert()),
  'metrics.num.samples': int(2, 'Samples kept for a metric.', inert(atLeast(1))),
  'metrics.sample.window.ms': long(30_000, 'Time that one sample covers.', inert(atLeast(1))),
  'metrics.recording.level': text('INFO', 'Least level of metrics that are kept.', inert()),
  'kafka.metrics.reporters': list([], 'Java classes that report the older kind of metrics.', inert()),
  'kafka.metrics.polling.interval.secs': int(10, 'How often those are asked.', inert(atLeast(1))),
  'telemetry.max.bytes': int(1_048_576, 'Largest push of client metrics.', { check: atLeast(1) }),
  'config.providers': list([], 'Java classes that resolve variables in settings.', inertDynamic()),

  'server.max.startup.time.ms': long(MAX_LONG, 'Time that a start may take.', inert(atLeast(0))),
  'unstable.api.versions.enable': bool(false, 'Whether versions still in the making are served.', inert()),
  'unstable.feature.versions.enable': bool(false, 'Whether feature levels still in the making may be set.', inert()),
  'num.replica.alter.log.dirs.threads': optionalInt('Partitions that move between disks at the same time.', inert()),
};

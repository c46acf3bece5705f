/**
 * Rows of the configuration table: KRaft's and ZooKeeper's. A single node keeps its metadata itself, so that nearly all
 * of them have no effect; they are known so that existing files work.
 */
import {
  atLeast,
  bool,
  inert,
  int,
  list,
  long,
  oneOf,
  optionalInt,
  optionalList,
  optionalText,
  secret,
  text,
} from './definition';

export const kraftDefinitions = {
  'process.roles': list(
    [],
    'KRaft: broker, controller or both; one process here is both. Refused: a controller alone.',
    {
      ...inert(oneOf('broker', 'controller')),
    },
  ),
  'controller.listener.names': list(
    [],
    'KRaft: listeners of the controller; they are not opened, as there is no quorum to serve.',
  ),
  'controller.quorum.voters': list([], 'KRaft: the controllers, ID@HOST:PORT.', inert()),
  'controller.quorum.bootstrap.servers': list([], 'KRaft: addresses where the controllers are found.', inert()),
  'controller.quorum.auto.join.enable': bool(false, 'KRaft: whether a controller joins the voters by itself.', inert()),
  'controller.quorum.append.linger.ms': int(25, 'KRaft: how long metadata changes are gathered.', inert(atLeast(0))),
  'controller.quorum.election.backoff.max.ms': int(1000, 'KRaft: longest pause between elections.', inert(atLeast(0))),
  'controller.quorum.election.timeout.ms': int(
    1000,
    'KRaft: time without a leader before an election.',
    inert(atLeast(0)),
  ),
  'controller.quorum.fetch.max.bytes': int(1_048_576, 'KRaft: bytes of one metadata fetch.', inert(atLeast(1))),
  'controller.quorum.fetch.snapshot.max.bytes': int(
    1_048_576,
    'KRaft: bytes of one snapshot fetch.',
    inert(atLeast(1)),
  ),
  'controller.quorum.fetch.timeout.ms': int(2000, 'KRaft: time without a fetch before an election.', inert(atLeast(0))),
  'controller.quorum.request.timeout.ms': int(2000, 'KRaft: time that a request may take.', inert(atLeast(0))),
  'controller.quorum.retry.backoff.ms': int(20, 'KRaft: pause before a request is tried again.', inert(atLeast(0))),
  'controller.performance.sample.period.ms': long(
    60_000,
    'KRaft: how often slow events are reported.',
    inert(atLeast(100)),
  ),
  'controller.performance.always.log.threshold.ms': long(
    2000,
    'KRaft: events that are always reported.',
    inert(atLeast(0)),
  ),
  'broker.heartbeat.interval.ms': int(2000, 'KRaft: time between heartbeats of a broker.', inert()),
  'broker.session.timeout.ms': int(9000, 'KRaft: time without a heartbeat after which a broker is fenced.', inert()),
  'initial.broker.registration.timeout.ms': int(60_000, 'KRaft: time that the first registration may take.', inert()),
  'metadata.log.dir': optionalText(
    'KRaft: directory of the metadata log; unset: the first of log.dirs. Looked at when adopting.',
  ),
  'metadata.log.max.record.bytes.between.snapshots': long(
    20_971_520,
    'KRaft: bytes between snapshots.',
    inert(atLeast(1)),
  ),
  'metadata.log.max.snapshot.interval.ms': long(3_600_000, 'KRaft: time between snapshots.', inert(atLeast(0))),
  'metadata.log.segment.bytes': int(2 ** 30, 'KRaft: segment size of the metadata log.', inert(atLeast(12))),
  'metadata.log.segment.min.bytes': int(8_388_608, 'KRaft: least segment size.', inert(atLeast(12))),
  'metadata.log.segment.ms': long(604_800_000, 'KRaft: segment age of the metadata log.', inert()),
  'metadata.max.idle.interval.ms': int(500, 'KRaft: time between empty records.', inert(atLeast(0))),
  'metadata.max.retention.bytes': long(104_857_600, 'KRaft: size of old metadata that is kept.', inert()),
  'metadata.max.retention.ms': long(604_800_000, 'KRaft: age of old metadata that is kept.', inert()),
  'internal.metadata.delete.delay.millis': long(60_000, 'KRaft: how long deleted metadata files are kept.', inert()),
  'internal.metadata.log.segment.bytes': optionalInt('KRaft: segment size in tests.', inert()),
  'internal.metadata.max.batch.size.in.bytes': int(8_388_608, 'KRaft: largest batch of metadata.', inert()),
};

export const zookeeperDefinitions = {
  'zookeeper.connect': optionalText('Addresses of the ZooKeeper ensemble. A single node needs none.', inert()),
  'zookeeper.connection.timeout.ms': optionalInt('Time that connecting may take.', inert()),
  'zookeeper.session.timeout.ms': int(18_000, 'Time without contact after which the session ends.', inert()),
  'zookeeper.max.in.flight.requests': int(10, 'Requests without an answer yet.', inert(atLeast(1))),
  'zookeeper.set.acl': bool(false, 'Whether znodes are protected.', inert()),
  'zookeeper.clientCnxnSocket': optionalText('Java class of the connection.', inert()),
  'zookeeper.metadata.migration.enable': bool(false, 'Whether metadata move to KRaft.', inert()),
  'zookeeper.metadata.migration.min.batch.size': int(200, 'Records that move at a time.', inert(atLeast(1))),
  'zookeeper.ssl.client.enable': bool(false, 'Whether the connection uses TLS.', inert()),
  'zookeeper.ssl.cipher.suites': optionalList('Its cipher suites.', inert()),
  'zookeeper.ssl.crl.enable': bool(false, 'Whether revocation lists are looked at.', inert()),
  'zookeeper.ssl.enabled.protocols': optionalList('Its TLS versions.', inert()),
  'zookeeper.ssl.endpoint.identification.algorithm': text('HTTPS', 'Whether the host name is checked.', inert()),
  'zookeeper.ssl.keystore.location': optionalText('File of the own key.', inert()),
  'zookeeper.ssl.keystore.password': secret('Password of that file.', inert()),
  'zookeeper.ssl.keystore.type': optionalText('Format of that file.', inert()),
  'zookeeper.ssl.ocsp.enable': bool(false, 'Whether OCSP is asked.', inert()),
  'zookeeper.ssl.protocol': text('TLSv1.2', 'TLS version of the negotiation.', inert()),
  'zookeeper.ssl.truststore.location': optionalText('File of the certificates that are trusted.', inert()),
  'zookeeper.ssl.truststore.password': secret('Password of that file.', inert()),
  'zookeeper.ssl.truststore.type': optionalText('Format of that file.', inert()),
  'inter.broker.protocol.version': text('3.9-IV0', 'Version that brokers speak among themselves.', inert()),
};

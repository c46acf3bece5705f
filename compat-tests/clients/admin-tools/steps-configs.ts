/** kafka-configs: topics, brokers and their defaults, loggers, groups. */
import { type Step, tool } from './step';

const topics = tool('TopicCommand');

/** That version answers for loggers only where log4j is set up, which the one of the comparison is not. */
const WITHOUT_LOGGERS = ['4.0.2'];

export const CONFIG_FILES: Readonly<Record<string, string>> = {
  ADD: 'retention.ms=7654321\nsegment.ms=3600000\ncleanup.policy=[compact,delete]\n',
  EMPTY: '\n',
  QUICK: 'default.api.timeout.ms=3000\nrequest.timeout.ms=2000\n',
};

/** Keys that Odradek knows from Kafka 3.9 or from the newest, and that 4.4.0 or 4.0.2 does not. */
const OF_SOME_AGES = [
  'message.downconversion.enable',
  'message.format.version',
  'message.timestamp.difference.max.ms',
  'errors.deadletterqueue.group.enable',
  'remote.copy.lag.bytes',
  'remote.copy.lag.ms',
  'max.decompressed.message.bytes',
];
const WITHOUT_AGES = [[new RegExp(`^ {2}(${OF_SOME_AGES.join('|')})=.*\\n`, 'gm'), '']] as const;

/** `configs`: the class, which moved after 4.0. */
export function configSteps(configs: string): readonly Step[] {
  const config = tool(configs);
  return [
    topics('--create --topic compared --partitions 2 --config retention.ms=123456'),
    topics('--create --topic untouched --partitions 1'),
    topics('--describe --topic untouched', { until: /Leader: 1/ }),
    config('--alter --topic compared --add-config max.message.bytes=5000,cleanup.policy=[compact,delete]'),
    config('--describe --topic compared'),
    config('--describe --entity-type topics --entity-name compared'),
    config('--describe --topic compared --all', { blur: WITHOUT_AGES }),
    config('--describe --topic untouched'),
    config('--describe --entity-type topics'),
    config('--describe --topic missing'),
    config('--alter --topic compared --delete-config retention.ms,flush.ms'),
    config('--alter --topic compared --add-config-file FILE:ADD'),
    config('--alter --topic compared --add-config-file FILE:EMPTY'),
    config('--alter --topic compared --add-config-file FILE:MISSING'),
    config('--alter --topic compared --add-config segment.bytes=2000000 --delete-config segment.ms'),
    config('--describe --topic compared'),
    config('--alter --topic compared --add-config no.such.key=1'),
    config('--alter --topic compared --delete-config no.such.key'),
    config('--alter --topic compared --add-config retention.ms=abc'),
    config('--alter --topic compared --add-config retention.ms=-5'),
    config('--alter --topic compared --add-config min.insync.replicas=0'),
    config('--alter --topic compared --add-config cleanup.policy=bogus'),
    config('--alter --topic compared --add-config cleanup.policy='),
    config('--alter --topic compared --add-config compression.type=bogus'),
    config('--alter --topic compared --add-config remote.storage.enable=true'),
    config('--alter --topic compared --add-config retention.ms'),
    config('--alter --topic missing --add-config retention.ms=5'),
    config('--alter --entity-type topics --entity-default --add-config retention.ms=5'),
    config('--alter --topic compared --add-config leader.replication.throttled.replicas=0:1'),
    config('--alter --topic compared --add-config leader.replication.throttled.replicas=bogus'),
    ...brokerSteps(config),
    ...loggerSteps(config),
    ...groupSteps(config),
    config('--alter --entity-type bogus --entity-name x --add-config a=1'),
    topics('--describe --topic compared'),
  ];
}

type Config = ReturnType<typeof tool>;

function brokerSteps(config: Config): readonly Step[] {
  return [
    config('--alter --broker 1 --add-config log.retention.ms=8640000,log.cleaner.threads=2'),
    config('--alter --broker-defaults --add-config log.retention.ms=7640000'),
    config('--describe --broker 1'),
    config('--describe --entity-type brokers --entity-name 1'),
    config('--describe --broker-defaults'),
    config('--describe --entity-type brokers'),
    config('--describe --topic untouched --all', { blur: WITHOUT_AGES }),
    config('--alter --broker 1 --add-config node.id=7'),
    config('--alter --broker 1 --add-config no.such.key=7'),
    config('--alter --broker 1 --add-config log.cleaner.threads=abc'),
    config('--alter --broker 1 --add-config num.io.threads=1000', {
      instead: /InvalidRequestException: Dynamic thread count update validation failed for num.io.threads=1000/,
    }),
    config('--alter --broker-defaults --add-config advertised.listeners=PLAINTEXT://a:1'),
    config('--alter --broker-defaults --add-config log.retention.ms=abc'),
    config('--alter --broker 1 --add-config message.max.bytes=2000000'),
    config('--alter --broker 1 --delete-config log.retention.ms,log.cleaner.threads,message.max.bytes'),
    config('--alter --broker-defaults --delete-config log.retention.ms'),
    config('--alter --broker 1 --delete-config log.retention.ms'),
    config('--alter --broker 9 --add-config log.retention.ms=5', { slow: true }),
    config('--describe --broker 9', { slow: true }),
    config('--describe --entity-type brokers --entity-name x'),
    config('--alter --broker x --add-config log.retention.ms=5'),
    config('--describe --broker 1'),
  ];
}

function loggerSteps(config: Config): readonly Step[] {
  const except = WITHOUT_LOGGERS;
  return [
    config('--alter --broker-logger 1 --add-config root=WARN', { except }),
    config('--alter --broker-logger 1 --add-config none=WARN', { except }),
    config('--alter --broker-logger 1 --add-config root=BOGUS', { except }),
    config('--alter --broker-logger 1 --delete-config root', { except }),
    config('--alter --broker-logger 9 --add-config root=WARN', { except, slow: true }),
  ];
}

function groupSteps(config: Config): readonly Step[] {
  // Settings of groups were fewer and checked by other words then.
  const except = ['4.0.2'];
  return [
    config('--alter --group readers --add-config consumer.session.timeout.ms=50000'),
    config('--describe --group readers', { except }),
    config('--describe --entity-type groups'),
    config('--describe --group readers --all', { except }),
    config('--describe --group missing'),
    config('--alter --group readers --add-config consumer.session.timeout.ms=5', { except }),
    config('--alter --group readers --add-config consumer.session.timeout.ms=abc'),
    config('--alter --group readers --add-config no.such.key=5'),
    config('--alter --group readers --delete-config consumer.session.timeout.ms'),
    config('--describe --group readers'),
  ];
}

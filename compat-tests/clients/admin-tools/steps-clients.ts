/** Tools that send and read, tools that look at the cluster, and those whose subject does not exist here. */
import { type Step, tool } from './step';

const topics = tool('TopicCommand');
const offsets = tool('GetOffsetShell');
const groups = tool('consumer.group.ConsumerGroupCommand');
const produce = tool('ConsoleProducer');
const consume = tool('consumer.ConsoleConsumer');
const produceMany = tool('ProducerPerformance');
const consumeMany = tool('ConsumerPerformance');
const verifiableProduce = tool('VerifiableProducer');
const verifiableConsume = tool('VerifiableConsumer');
const latency = tool('EndToEndLatency');
const cluster = tool('ClusterTool');
const features = tool('FeatureCommand');
const transactions = tool('TransactionsCommand');
const acls = tool('AclCommand');
const tokens = tool('DelegationTokenCommand');
const quorum = tool('MetadataQuorumCommand');

const compatibility = tool('ClientCompatibilityTest');
const apiVersions = tool('BrokerApiVersionsCommand');
const shareConsume = tool('consumer.ConsoleShareConsumer');
/**
 * What only one of the two serves. Kafka: transactions, SASL, the quorum, and the newer kinds of groups. Odradek:
 * telemetry, for which Kafka needs a plugin.
 */
const ONE_SIDED_NAMES =
  'Telemetry|Txn|Transactions|SaslAuthenticate|UserScram|Quorum|RaftVoter|Unregister|ConsumerGroup|Share|StreamsGroup';
const ONE_SIDED = new RegExp(`^\\t.*(${ONE_SIDED_NAMES}).*\\n`, 'gm');

const NUMBERS = [[/\d+(\.\d+)?/g, 'N']] as const;
const TIMES = [[/"timestamp":\d+/g, '"timestamp":N']] as const;

const CONSOLE: readonly Step[] = [
  topics('--create --topic lines --partitions 1'),
  topics('--describe --topic lines', { until: /Leader: 1/ }),
  ...['none', 'gzip', 'snappy', 'lz4', 'zstd'].map((codec) =>
    produce(`--topic lines --compression-codec ${codec}`, { input: `one of ${codec}\nanother of ${codec}\n` }),
  ),
  produce('--topic lines --property parse.headers=true --property parse.key=true', { input: 'h:1,i:2\tk\tv\n' }),
  produce('--topic lines --request-required-acks 0', { input: 'not acknowledged\n' }),
  produce('--topic lines --property parse.key=true', { input: 'no separator\n' }),
  consume('--topic lines --from-beginning --max-messages 12 --timeout-ms 20000'),
  consume(
    '--topic lines --partition 0 --offset 8 --max-messages 4 --timeout-ms 20000 --property print.offset=true' +
      ' --property print.partition=true --property print.key=true --property print.headers=true',
  ),
  consume('--topic lines --partition 0 --offset latest --timeout-ms 1000'),
  consume('--topic lines --group lines --from-beginning --isolation-level read_committed --max-messages 12'),
  consume("--include 'li.*|nothing' --from-beginning --max-messages 3 --timeout-ms 20000"),
  consume('--topic created-by-reading --timeout-ms 3000'),
  topics('--describe --topic created-by-reading'),
  groups('--describe --group lines'),
  consume('--topic lines --timeout-ms 3000 --group newer --consumer-property group.protocol=consumer', {
    instead: /The cluster does not support the new CONSUMER group protocol\. Set group\.protocol=classic/,
  }),
  shareConsume('--topic lines --timeout-ms 3000', {
    except: ['4.0.2'],
    instead: /The cluster does not support the share group protocol/,
  }),
];

const MEASURING: readonly Step[] = [
  produceMany(
    '--topic lines --num-records 500 --record-size 100 --throughput -1 --producer-props bootstrap.servers=BOOTSTRAP',
    { blur: NUMBERS },
  ),
  offsets('--topic lines', { until: /lines:0:512/ }),
  consumeMany('--topic lines --messages 512 --timeout 2000 --from-latest', { blur: NUMBERS }),
  consumeMany('--topic lines --messages 512 --timeout 20000', { blur: NUMBERS }),
  latency('BOOTSTRAP lines 20 all 100', { blur: NUMBERS }),
  offsets('--topic lines'),
];

const VERIFIABLE: readonly Step[] = [
  verifiableProduce('--topic lines --max-messages 30 --acks -1', { blur: [...TIMES, [/\d+\.\d+/g, 'N']] }),
  verifiableConsume('--topic lines --group-id verified --max-messages 62 --reset-policy earliest', {
    blur: [...TIMES, [/"(count|minOffset|maxOffset|offset)":\d+/g, '"$1":N']],
  }),
  groups('--describe --group verified'),
];

const CLUSTER: readonly Step[] = [
  cluster('cluster-id --bootstrap-server BOOTSTRAP', { blur: [[/(Cluster ID: )[\w-]{22}/, '$1ID']] }),
  cluster('list-endpoints --bootstrap-server BOOTSTRAP'),
  cluster('list-endpoints --bootstrap-server BOOTSTRAP --include-fenced-brokers'),
  cluster('unregister --bootstrap-server BOOTSTRAP --id 9', {
    instead: /does not support the broker unregistration API/,
  }),
  compatibility(
    '--bootstrap-server BOOTSTRAP --topic lines --num-cluster-nodes 1 --expect-record-too-large-exception false' +
      ' --offsets-for-times-supported true --cluster-id-supported true --create-topics-supported true' +
      ' --describe-acls-supported true --describe-configs-supported true --idempotent-producer-supported true',
    { blur: [[/\b[\w-]{22}\b/g, 'ID']] },
  ),
  // The newest version that both know is the same; the oldest is older here.
  apiVersions('', {
    blur: [
      [ONE_SIDED, ''],
      [/: \d+( to \d+)? (?=\[)/g, ' '],
    ],
  }),
  features('describe', { instead: /^exit code 0$/m }),
  features('upgrade --feature none=1'),
  features('downgrade --feature none=1'),
  features('disable --feature none'),
  features('upgrade --release-version bogus'),
  quorum('describe --status', { instead: /does not support DESCRIBE_QUORUM/ }),
  quorum('describe --replication', { instead: /does not support DESCRIBE_QUORUM/ }),
];

const TRANSACTIONS: readonly Step[] = [
  transactions('describe-producers --topic lines --partition 0', {
    // A producer that asks twice for its id has another one.
    blur: [
      [/\d{13}/g, 'TIME'],
      [/^\d+ +/gm, 'ID '],
    ],
  }),
  transactions('--command-config FILE:QUICK describe-producers --topic missing --partition 0'),
  transactions('list', { instead: /does not support LIST_TRANSACTIONS/ }),
  transactions('describe --transactional-id missing', {
    instead: /^Failed to describe transaction state of transactional-id `missing`/m,
  }),
  transactions('find-hanging --broker-id 1'),
  transactions('abort --topic lines --partition 0 --start-offset 0'),
];

const SECURITY: readonly Step[] = [
  acls('--list'),
  acls('--add --allow-principal User:a --operation Read --topic lines'),
  acls('--remove --force --topic lines'),
  tokens('--command-config FILE:QUICK --create --max-life-time-period -1'),
  tokens('--command-config FILE:QUICK --describe'),
  tokens('--command-config FILE:QUICK --renew --renew-time-period -1 --hmac aGFsbG8='),
  tokens('--command-config FILE:QUICK --expire --expiry-time-period -1 --hmac aGFsbG8='),
];

export const CLIENT_STEPS: readonly Step[] = [
  ...CONSOLE,
  ...MEASURING,
  ...VERIFIABLE,
  ...CLUSTER,
  ...TRANSACTIONS,
  ...SECURITY,
];

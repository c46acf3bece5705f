/** Steps about topics and brokers: creating, growing, deleting, describing. */
import { newMetadataRequest, newMetadataRequestTopic } from '../../src/codec/generated/03-metadata';
import { newApiVersionsRequest } from '../../src/codec/generated/18-api-versions';
import {
  newCreatableReplicaAssignment,
  newCreatableTopic,
  newCreatableTopicConfig,
  newCreateTopicsRequest,
} from '../../src/codec/generated/19-create-topics';
import { newDeleteTopicState, newDeleteTopicsRequest } from '../../src/codec/generated/20-delete-topics';
import { newDescribeConfigsRequest, newDescribeConfigsResource } from '../../src/codec/generated/32-describe-configs';
import {
  newCreatePartitionsAssignment,
  newCreatePartitionsRequest,
  newCreatePartitionsTopic,
} from '../../src/codec/generated/37-create-partitions';
import { newDescribeClusterRequest } from '../../src/codec/generated/60-describe-cluster';
import {
  newDescribeTopicPartitionsRequest,
  newTopicRequest,
} from '../../src/codec/generated/75-describe-topic-partitions';
import { later, type PlanContext, type PlannedTopic, PREFIX_SIGN, type Step, stepsOn } from './steps';

const MISSING = `${PREFIX_SIGN}missing`;
const BAD_NAMES = ['', '.', '..', 'a b', 'a/b', 'x'.repeat(250)];
const BAD_CONFIGS: readonly (readonly [string, string | null])[] = [
  ['foo', 'bar'],
  ['retention.ms', 'abc'],
  ['retention.ms', null],
  ['cleanup.policy', 'bogus'],
  ['min.insync.replicas', '0'],
  ['segment.bytes', '-1'],
  ['max.message.bytes', '-5'],
  ['compression.type', 'brotli'],
];
const BROKER_KEYS = [
  'num.partitions',
  'default.replication.factor',
  'auto.create.topics.enable',
  'message.max.bytes',
  'log.retention.ms',
];

export class AdminPlanner {
  readonly #context: PlanContext;
  readonly #common: ReturnType<typeof stepsOn>;
  #made = 0;

  constructor(context: PlanContext) {
    this.#context = context;
    this.#common = stepsOn('admin', context);
  }

  step(): Step {
    const { dice } = this.#context;
    switch (dice.integer(12)) {
      case 0:
        return this.#create();
      case 1:
        return this.#deleteTopics();
      case 2:
        return this.#grow();
      case 3:
      case 4:
        return this.#describeConfigs();
      case 5:
        return this.#describeCluster();
      case 6:
        return this.#describeTopicPartitions();
      case 7:
        return this.#apiVersions();
      default:
        return this.#metadata();
    }
  }

  createTopics(topics: readonly PlannedTopic[]): Step {
    const request = newCreateTopicsRequest({
      topics: topics.map(({ name, partitions: numPartitions, configs }) =>
        newCreatableTopic({
          name,
          numPartitions,
          replicationFactor: 1,
          configs: Object.entries(configs).map(([key, value]) => newCreatableTopicConfig({ name: key, value })),
        }),
      ),
      timeoutMs: 10_000,
    });
    return { ...this.#common('CreateTopics'), request };
  }

  #create(): Step {
    const { dice, topics } = this.#context;
    const common = this.#common('CreateTopics');
    const topic = newCreatableTopic({ name: `${PREFIX_SIGN}n${this.#made++}`, numPartitions: 1, replicationFactor: 1 });
    switch (dice.integer(9)) {
      case 0:
        topic.name = dice.pick(BAD_NAMES);
        break;
      case 1:
        topic.name = dice.pick(topics).name;
        break;
      case 2:
        topic.numPartitions = dice.pick([0, -2, -1]);
        break;
      case 3:
        topic.replicationFactor = dice.pick([0, 2, -1, -2]);
        break;
      case 4:
        topic.configs = [newCreatableTopicConfig(toConfig(dice.pick(BAD_CONFIGS)))];
        break;
      case 5:
        topic.assignments = dice
          .pick([
            [[0, [1]]],
            [[0, [7]]],
            [[1, [1]]],
            [
              [0, [1]],
              [1, [1]],
            ],
            [[0, [1, 1]]],
            [[0, []]],
          ] as const)
          .map(([partitionIndex, brokerIds]) =>
            newCreatableReplicaAssignment({ partitionIndex, brokerIds: [...brokerIds] }),
          );
        if (!dice.oneIn(4)) [topic.numPartitions, topic.replicationFactor] = [-1, -1];
        break;
      default:
    }
    const validateOnly = common.version >= 1 && dice.oneIn(4);
    const twice = dice.oneIn(12) ? [topic, topic] : [topic];
    return { ...common, request: newCreateTopicsRequest({ topics: twice, timeoutMs: 10_000, validateOnly }) };
  }

  #deleteTopics(): Step {
    const { dice } = this.#context;
    const common = this.#common('DeleteTopics');
    const names = dice.some([MISSING, `${PREFIX_SIGN}n0`, dice.oneIn(3) ? '' : `${PREFIX_SIGN}n1`]);
    if (common.version < 6)
      return { ...common, request: newDeleteTopicsRequest({ topicNames: names, timeoutMs: 10_000 }) };
    const topics = names.map((name) => {
      const topicId = later<string>({ $: 'topicId', topic: name });
      return newDeleteTopicState(
        dice.oneIn(2) ? { name } : dice.oneIn(8) ? { name, topicId } : { name: null, topicId },
      );
    });
    return { ...common, request: newDeleteTopicsRequest({ topics, timeoutMs: 10_000 }) };
  }

  #grow(): Step {
    const { dice, topics } = this.#context;
    const topic = dice.pick(topics);
    const validateOnly = dice.oneIn(3);
    const more = dice.pick([1, 0, -1, -10, 1]);
    const count = topic.partitions + more;
    const assignments = dice.oneIn(4)
      ? dice.pick([[[1]], [[7]], [[1], [1]], []]).map((brokerIds) => newCreatePartitionsAssignment({ brokerIds }))
      : null;
    const isMissing = dice.oneIn(8);
    const wanted = newCreatePartitionsTopic({ name: isMissing ? MISSING : topic.name, count, assignments });
    const isTwice = dice.oneIn(10);
    const works = assignments === null || (assignments.length === 1 && assignments[0]!.brokerIds[0] === 1);
    if (more === 1 && !validateOnly && !isMissing && !isTwice && works) topic.partitions = count;
    const request = newCreatePartitionsRequest({
      topics: isTwice ? [wanted, wanted] : [wanted],
      timeoutMs: 10_000,
      validateOnly,
    });
    return { ...this.#common('CreatePartitions'), request };
  }

  #describeConfigs(): Step {
    const { dice, topics } = this.#context;
    const common = this.#common('DescribeConfigs', 1);
    const topic = { resourceType: 2, resourceName: dice.pick(topics).name, configurationKeys: null };
    const resource = dice.pick([
      topic,
      topic,
      { ...topic, configurationKeys: dice.some(['cleanup.policy', 'retention.ms', 'foo', 'compression.type']) },
      { ...topic, configurationKeys: [] },
      { ...topic, resourceName: dice.pick([MISSING, 'a b', '']) },
      { resourceType: 4, resourceName: dice.pick(['1', '99', 'x']), configurationKeys: dice.some(BROKER_KEYS) },
      { resourceType: 4, resourceName: '', configurationKeys: null },
      { resourceType: dice.pick([0, 1, 3, 77]), resourceName: 'x', configurationKeys: null },
    ]);
    const request = newDescribeConfigsRequest({
      resources: [newDescribeConfigsResource(resource)],
      includeSynonyms: dice.oneIn(2),
      includeDocumentation: common.version >= 3 && dice.oneIn(3),
    });
    return { ...common, request };
  }

  #describeCluster(): Step {
    const { dice } = this.#context;
    const common = this.#common('DescribeCluster');
    const request = newDescribeClusterRequest({
      includeClusterAuthorizedOperations: dice.oneIn(2),
      ...(common.version >= 1 && { endpointType: dice.oneIn(6) ? dice.pick([2, 9]) : 1 }),
    });
    return { ...common, request };
  }

  #describeTopicPartitions(): Step {
    const { dice, topics } = this.#context;
    const names = dice.some([...topics.map(({ name }) => name), MISSING]).toSorted();
    const cursor = dice.oneIn(3) ? { topicName: dice.pick(names), partitionIndex: dice.integer(3) } : null;
    const request = newDescribeTopicPartitionsRequest({
      topics: names.map((name) => newTopicRequest({ name })),
      responsePartitionLimit: dice.pick([2000, 1, 2, 0]),
      cursor,
    });
    return { ...this.#common('DescribeTopicPartitions'), request };
  }

  #apiVersions(): Step {
    const { dice } = this.#context;
    const common = this.#common('ApiVersions', 0, 4);
    const request = newApiVersionsRequest({
      clientSoftwareName: dice.pick(['a', '', '-a', 'a b', 'a.b-c1']),
      clientSoftwareVersion: dice.pick(['1', '', '1.0+x']),
    });
    return { ...common, request };
  }

  #metadata(): Step {
    const { dice, topics } = this.#context;
    const common = this.#common('Metadata');
    const { version } = common;
    const names = dice.some([...topics.map(({ name }) => name), MISSING, dice.pick(BAD_NAMES)]);
    const byId = version >= 12 && dice.oneIn(3);
    const named = names.map((name) =>
      newMetadataRequestTopic(byId ? { topicId: later<string>({ $: 'topicId', topic: name }), name: null } : { name }),
    );
    const isAll = dice.oneIn(6);
    const request = newMetadataRequest({
      topics: isAll ? (version === 0 ? [] : null) : named,
      // Old versions create what they ask for; the others shall not.
      allowAutoTopicCreation: version < 4,
      includeTopicAuthorizedOperations: version >= 8 && dice.oneIn(3),
      includeClusterAuthorizedOperations: version >= 8 && version <= 10 && dice.oneIn(3),
    });
    if (version < 4 && !isAll) request.topics = named.filter(({ name }) => name !== MISSING);
    return { ...common, request };
  }
}

function toConfig([name, value]: readonly [string, string | null]): { name: string; value: string | null } {
  return { name, value };
}

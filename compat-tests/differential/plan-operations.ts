/**
 * Steps of operators with content that is rarely right: names and counts at their limits, reassignments, features,
 * settings of brokers, groups, client metrics and loggers. What changes brokers is taken back by `restore`.
 */
import {
  newCreatableReplicaAssignment,
  newCreatableTopic,
  newCreatableTopicConfig,
  newCreateTopicsRequest,
} from '../../src/codec/generated/19-create-topics';
import { newDescribeConfigsRequest, newDescribeConfigsResource } from '../../src/codec/generated/32-describe-configs';
import {
  newAlterConfigsRequest,
  newAlterableConfig as newReplacedConfig,
  newAlterConfigsResource as newReplacedResource,
} from '../../src/codec/generated/33-alter-configs';
import {
  newCreatePartitionsAssignment,
  newCreatePartitionsRequest,
  newCreatePartitionsTopic,
} from '../../src/codec/generated/37-create-partitions';
import { newElectLeadersRequest, newTopicPartitions } from '../../src/codec/generated/43-elect-leaders';
import {
  newAlterableConfig,
  newAlterConfigsResource,
  newIncrementalAlterConfigsRequest,
} from '../../src/codec/generated/44-incremental-alter-configs';
import {
  newAlterPartitionReassignmentsRequest,
  newReassignablePartition,
  newReassignableTopic,
} from '../../src/codec/generated/45-alter-partition-reassignments';
import { newFeatureUpdateKey, newUpdateFeaturesRequest } from '../../src/codec/generated/57-update-features';
import { newListConfigResourcesRequest } from '../../src/codec/generated/74-list-config-resources';
import { BAD_SETTINGS, GOOD_SETTINGS, RESOURCE, type ResourceKind, type Setting } from './operation-settings';
import { type PlanContext, PREFIX_SIGN, type Step, stepsOn } from './steps';

const MISSING = `${PREFIX_SIGN}missing`;
const [SET, DELETE, APPEND, SUBTRACT] = [0, 1, 2, 3];
const TIMEOUT_MS = 10_000;

/** Names at the limits; the prefix of a round has no dot and no underscore. */
const NAMES = [`${PREFIX_SIGN}c.d`, `${PREFIX_SIGN}c_d`, '__cluster_metadata', 'a/b', 'ä', 'a\u0000b', '...', '-', '_'];
const ASSIGNMENTS: readonly (readonly (readonly [number, readonly number[]])[])[] = [
  [[0, [1]]],
  [[-1, [1]]],
  [[1, [1]]],
  [
    [0, [1]],
    [0, [1]],
  ],
  [
    [0, [1]],
    [2, [1]],
  ],
  [
    [1, [1]],
    [0, [1]],
  ],
  [[0, []]],
  [[0, [1, 1]]],
  [[0, [2]]],
  [[0, [-1]]],
  [
    [0, [1]],
    [1, [1, 2]],
  ],
];

export class OperationsPlanner {
  readonly #context: PlanContext;
  readonly #common: ReturnType<typeof stepsOn>;

  constructor(context: PlanContext) {
    this.#context = context;
    this.#common = stepsOn('operations', context);
  }

  step(): Step {
    switch (this.#context.dice.integer(12)) {
      case 0:
      case 1:
        return this.#create();
      case 2:
        return this.#grow();
      case 3:
      case 4:
        return this.#reassign();
      case 5:
        return this.#features();
      case 6:
        return this.#elect();
      case 7:
        return this.#listConfigResources();
      case 8:
        return this.#describe();
      case 9:
        return this.#replace();
      default:
        return this.#change();
    }
  }

  /** Takes back what rounds may have set for brokers, and has an effect on no other setting. */
  restore(resourceName: string): Step {
    const names = [...new Set([...GOOD_SETTINGS.broker, ...BAD_SETTINGS.broker].map(([name]) => name))];
    // Names that no broker lets go, or that only a default of all brokers can have.
    const removable = names.filter((name) => !['node.id', 'log.dirs', 'listeners', ''].includes(name));
    const configs = removable.map((name) => newAlterableConfig({ name, value: null, configOperation: DELETE }));
    const resource = newAlterConfigsResource({ resourceType: RESOURCE.broker, resourceName, configs });
    const request = newIncrementalAlterConfigsRequest({ resources: [resource] });
    return { ...this.#common('IncrementalAlterConfigs'), request };
  }

  #create(): Step {
    const { dice, topics } = this.#context;
    const topic = newCreatableTopic({ name: `${PREFIX_SIGN}o`, numPartitions: 1, replicationFactor: 1 });
    switch (dice.integer(6)) {
      case 0:
        topic.name = dice.pick([...NAMES, 'x'.repeat(249 + dice.integer(3)), topics[0]!.name]);
        break;
      case 1:
        topic.numPartitions = dice.pick([2_147_483_647, 10_001, 10_000_000, -2_147_483_648]);
        break;
      case 2:
        topic.replicationFactor = dice.pick([32_767, -32_768, 3]);
        break;
      case 3:
        // Of two faults each broker may tell another one.
        topic.configs = [
          dice.pick([...BAD_SETTINGS.topic, ...GOOD_SETTINGS.topic]),
          dice.pick(GOOD_SETTINGS.topic),
        ].map(([name, value]) => newCreatableTopicConfig({ name, value }));
        break;
      default:
        topic.assignments = dice
          .pick(ASSIGNMENTS)
          .map(([partitionIndex, ids]) => newCreatableReplicaAssignment({ partitionIndex, brokerIds: [...ids] }));
        if (!dice.oneIn(6)) [topic.numPartitions, topic.replicationFactor] = [-1, -1];
    }
    const fine = newCreatableTopic({ name: `${PREFIX_SIGN}p`, numPartitions: 1, replicationFactor: 1 });
    const named = dice.pick([[topic], [topic], [topic], [fine, topic], []]);
    // Validated only, so that rounds stay small; plan-admin.ts makes topics.
    const request = newCreateTopicsRequest({ topics: named, timeoutMs: TIMEOUT_MS, validateOnly: true });
    return { ...this.#common('CreateTopics', 1), request };
  }

  #grow(): Step {
    const { dice, topics } = this.#context;
    const topic = dice.pick(topics);
    const { partitions } = topic;
    const count = dice.pick([2_147_483_647, partitions + 10_001, -2_147_483_648, partitions + 2, 0]);
    const lists = dice.pick([[[1], [1]], [[1], [1, 2]], [[1, 1], [1]], [[], []], [[2], [2]], [[1]]]);
    const assignments = dice.oneIn(2) ? lists.map((brokerIds) => newCreatePartitionsAssignment({ brokerIds })) : null;
    const name = dice.oneIn(6) ? dice.pick([MISSING, '', 'a/b']) : topic.name;
    const wanted = newCreatePartitionsTopic({ name, count, assignments });
    const others = dice.oneIn(4) ? [newCreatePartitionsTopic({ name: MISSING, count: 2 })] : [];
    const request = newCreatePartitionsRequest({
      topics: name === MISSING ? [wanted] : [wanted, ...others],
      timeoutMs: TIMEOUT_MS,
      validateOnly: true,
    });
    return { ...this.#common('CreatePartitions'), request };
  }

  #reassign(): Step {
    const { dice, topics } = this.#context;
    const partition = (): ReturnType<typeof newReassignablePartition> =>
      newReassignablePartition({
        partitionIndex: dice.pick([0, 0, 0, 9, -1]),
        replicas: dice.pick([[1], [1], null, [2], [1, 1], [], [1, 2], [-1]]),
      });
    const named = dice.some([...topics.map(({ name }) => name), MISSING, dice.oneIn(4) ? '' : MISSING]);
    const common = this.#common('AlterPartitionReassignments');
    const request = newAlterPartitionReassignmentsRequest({
      timeoutMs: TIMEOUT_MS,
      allowReplicationFactorChange: common.version < 1 || !dice.oneIn(3),
      topics: [...new Set(named)].map((name) => newReassignableTopic({ name, partitions: [partition()] })),
    });
    return { ...common, request };
  }

  /** Nothing that would work is asked for but with `validateOnly`: features are for ever. */
  #features(): Step {
    const { dice } = this.#context;
    const common = this.#common('UpdateFeatures', 1);
    const update = newFeatureUpdateKey({
      feature: dice.pick(['no.such.feature', '', 'NO.SUCH']),
      maxVersionLevel: dice.pick([0, 1, -1, 2]),
      upgradeType: dice.pick([1, 2, 3, 0, 4]),
    });
    const twice = dice.oneIn(6) ? [update, update] : [update];
    const featureUpdates = dice.oneIn(8) ? [] : twice;
    return { ...common, request: newUpdateFeaturesRequest({ featureUpdates, validateOnly: dice.oneIn(2) }) };
  }

  #elect(): Step {
    const { dice, topics } = this.#context;
    const named = dice.some([...topics.map(({ name }) => name), MISSING, '']);
    const topicPartitions = named.map((topic) =>
      newTopicPartitions({ topic, partitions: dice.pick([[0], [0, 9], [-1], []]) }),
    );
    const request = newElectLeadersRequest({
      electionType: dice.pick([0, 1, 2, -1]),
      topicPartitions,
      timeoutMs: TIMEOUT_MS,
    });
    return { ...this.#common('ElectLeaders', 1), request };
  }

  #listConfigResources(): Step {
    const { dice } = this.#context;
    const common = this.#common('ListConfigResources');
    const resourceTypes = common.version === 0 ? [] : dice.pick([[2], [2, 32], [16], [32], [99], [0], [4, 2]]);
    return { ...common, request: newListConfigResourcesRequest({ resourceTypes }) };
  }

  #resource(): { kind: ResourceKind; resourceType: number; resourceName: string } {
    const { dice, topics } = this.#context;
    const names: Readonly<Record<ResourceKind, readonly string[]>> = {
      topic: [dice.pick(topics).name, MISSING, ''],
      broker: ['1', '1', '1', '', '', '99', 'x', '-1'],
      logger: ['1', '1', '', '99', 'x'],
      group: [`${PREFIX_SIGN}g`, `${PREFIX_SIGN}g`, ''],
      metrics: [`${PREFIX_SIGN}m`, `${PREFIX_SIGN}m`, ''],
    };
    const kind = dice.pick<ResourceKind>([
      'broker',
      'broker',
      'broker',
      'group',
      'group',
      'metrics',
      'logger',
      'topic',
    ]);
    return { kind, resourceType: RESOURCE[kind], resourceName: dice.pick(names[kind]) };
  }

  #setting(kind: ResourceKind): Setting {
    const { dice } = this.#context;
    return dice.pick(dice.oneIn(2) ? GOOD_SETTINGS[kind] : BAD_SETTINGS[kind]);
  }

  #change(): Step {
    const { dice } = this.#context;
    const { kind, ...resource } = this.#resource();
    const [name, value] = this.#setting(kind);
    const configOperation = dice.pick([SET, SET, SET, DELETE, APPEND, SUBTRACT]);
    const setting = newAlterableConfig({ name, value: configOperation === DELETE ? null : value, configOperation });
    const wanted = newAlterConfigsResource({ ...resource, configs: [setting] });
    const request = newIncrementalAlterConfigsRequest({ resources: [wanted], validateOnly: dice.oneIn(4) });
    return { ...this.#common('IncrementalAlterConfigs'), request };
  }

  /** Of brokers validated only: it would take back what the broker was started with. */
  #replace(): Step {
    const { dice } = this.#context;
    const { kind, ...resource } = this.#resource();
    const [name, value] = this.#setting(kind);
    const configs = [newReplacedConfig({ name, value })];
    const validateOnly = kind === 'broker' || dice.oneIn(3);
    const request = newAlterConfigsRequest({
      resources: [newReplacedResource({ ...resource, configs })],
      validateOnly,
    });
    return { ...this.#common('AlterConfigs'), request };
  }

  #describe(): Step {
    const { dice } = this.#context;
    const { kind, ...resource } = this.#resource();
    const names = [...new Set([...GOOD_SETTINGS[kind], ...BAD_SETTINGS[kind]].map(([name]) => name))];
    const configurationKeys = kind === 'logger' ? ['root'] : dice.oneIn(3) ? names : null;
    const request = newDescribeConfigsRequest({
      resources: [newDescribeConfigsResource({ ...resource, configurationKeys })],
      includeSynonyms: !dice.oneIn(4),
    });
    return { ...this.#common('DescribeConfigs', 1), request };
  }
}

/** Steps about settings of topics, and about what administrators look at: producers, elections, reassignments. */
import {
  newAlterConfigsRequest,
  newAlterableConfig as newReplacedConfig,
  newAlterConfigsResource as newReplacedResource,
} from '../../src/codec/generated/33-alter-configs';
import { newElectLeadersRequest, newTopicPartitions } from '../../src/codec/generated/43-elect-leaders';
import {
  newAlterableConfig,
  newAlterConfigsResource,
  newIncrementalAlterConfigsRequest,
} from '../../src/codec/generated/44-incremental-alter-configs';
import {
  newListPartitionReassignmentsRequest,
  newListPartitionReassignmentsTopics,
} from '../../src/codec/generated/46-list-partition-reassignments';
import { newDescribeProducersRequest, newTopicRequest } from '../../src/codec/generated/61-describe-producers';
import { type PlanContext, PREFIX_SIGN, type Step, stepsOn } from './steps';

const MISSING = `${PREFIX_SIGN}missing`;
const TOPIC = 2;
/** Those that change nothing about which records are taken and how they are stored. */
const GOOD: readonly (readonly [string, string])[] = [
  ['retention.ms', '90000000'],
  ['retention.ms', '-1'],
  ['retention.bytes', '5000000'],
  ['segment.ms', '1000000'],
  ['segment.bytes', '2000000'],
  ['flush.messages', '5'],
  ['min.insync.replicas', '1'],
  ['file.delete.delay.ms', '1000'],
  ['preallocate', 'true'],
];
const BAD: readonly (readonly [string, string | null])[] = [
  ['foo', 'bar'],
  ['', 'x'],
  ['retention.ms', 'abc'],
  ['retention.ms', '-5'],
  ['retention.ms', ''],
  ['retention.ms', null],
  ['cleanup.policy', 'bogus'],
  ['min.insync.replicas', '0'],
  ['preallocate', 'maybe'],
  ['compression.type', 'brotli'],
  ['max.message.bytes', '-1'],
];
const SET = 0;
const DELETE = 1;
const APPEND = 2;
const SUBTRACT = 3;
const UNKNOWN_OPERATION = 9;

export class ConfigPlanner {
  readonly #context: PlanContext;
  readonly #common: ReturnType<typeof stepsOn>;

  constructor(context: PlanContext) {
    this.#context = context;
    this.#common = stepsOn('admin', context);
  }

  step(): Step {
    switch (this.#context.dice.integer(8)) {
      case 0:
        return this.#replace();
      case 1:
        return this.#describeProducers();
      case 2:
        return this.#elect();
      case 3:
        return this.#listReassignments();
      default:
        return this.#change();
    }
  }

  #resource(): { resourceType: number; resourceName: string } {
    const { dice, topics } = this.#context;
    if (!dice.oneIn(8)) return { resourceType: TOPIC, resourceName: dice.pick(topics).name };
    return dice.pick([
      { resourceType: TOPIC, resourceName: MISSING },
      { resourceType: TOPIC, resourceName: 'a b' },
      { resourceType: 0, resourceName: 'x' },
      { resourceType: 77, resourceName: 'x' },
      { resourceType: 4, resourceName: '99' },
    ]);
  }

  /** Of two faults in one request each broker may tell another one: only the first may be wrong. */
  #setting(at: number): readonly [string, string | null] {
    const { dice } = this.#context;
    return at === 0 && dice.oneIn(4) ? dice.pick(BAD) : dice.pick(GOOD);
  }

  /** AlterConfigs: what is not named goes back to its default. */
  #replace(): Step {
    const { dice } = this.#context;
    const settings = Array.from({ length: dice.pick([0, 1, 1, 2]) }, (_, at) => this.#setting(at));
    const configs = settings.map(([name, value]) => newReplacedConfig({ name, value }));
    const request = newAlterConfigsRequest({
      resources: [newReplacedResource({ ...this.#resource(), configs })],
      validateOnly: dice.oneIn(3),
    });
    return { ...this.#common('AlterConfigs'), request };
  }

  #change(): Step {
    const { dice } = this.#context;
    const count = dice.pick([1, 1, 2]);
    const wrongOperations = count === 1 ? [APPEND, SUBTRACT, UNKNOWN_OPERATION] : [APPEND, SUBTRACT];
    const settings = Array.from({ length: count }, (_, at) => {
      const [name, value] = this.#setting(at);
      if (at === 0 && dice.oneIn(8)) return { name, value, configOperation: dice.pick(wrongOperations) };
      if (dice.oneIn(4)) return { name, value: dice.oneIn(2) ? null : value, configOperation: DELETE };
      return { name, value, configOperation: SET };
    });
    const resource = { ...this.#resource(), configs: settings.map(newAlterableConfig) };
    const request = newIncrementalAlterConfigsRequest({
      resources: (dice.oneIn(12) ? [resource, resource] : [resource]).map(newAlterConfigsResource),
      validateOnly: dice.oneIn(4),
    });
    return { ...this.#common('IncrementalAlterConfigs'), request };
  }

  #describeProducers(): Step {
    const { dice, topics } = this.#context;
    const asked = dice
      .some([...topics, { name: MISSING, partitions: 1 }])
      .map(({ name, partitions }) =>
        newTopicRequest({ name, partitionIndexes: Array.from({ length: partitions }, (_, at) => at) }),
      );
    return { ...this.#common('DescribeProducers'), request: newDescribeProducersRequest({ topics: asked }) };
  }

  #elect(): Step {
    const { dice, topics } = this.#context;
    const common = this.#common('ElectLeaders', 1);
    const topicPartitions = dice
      .some([...topics, { name: MISSING, partitions: 1 }])
      .map(({ name, partitions }) => newTopicPartitions({ topic: name, partitions: [dice.integer(partitions + 1)] }));
    const electionType = dice.oneIn(4) ? 1 : 0;
    return { ...common, request: newElectLeadersRequest({ electionType, topicPartitions, timeoutMs: 5000 }) };
  }

  #listReassignments(): Step {
    const { dice, topics } = this.#context;
    const asked = dice
      .some([...topics, { name: MISSING, partitions: 1 }])
      .map(({ name, partitions }) =>
        newListPartitionReassignmentsTopics({ name, partitionIndexes: [dice.integer(partitions + 1)] }),
      );
    const request = newListPartitionReassignmentsRequest({ topics: dice.oneIn(2) ? null : asked, timeoutMs: 5000 });
    return { ...this.#common('ListPartitionReassignments'), request };
  }
}

/** Steps about groups: a few actors join, synchronise, beat, commit and leave, rightly and wrongly. */
import {
  newOffsetCommitRequest,
  newOffsetCommitRequestPartition,
  newOffsetCommitRequestTopic,
  type OffsetCommitRequestPartition,
} from '../../src/codec/generated/08-offset-commit';
import {
  newOffsetFetchRequest,
  newOffsetFetchRequestGroup,
  newOffsetFetchRequestTopic,
  newOffsetFetchRequestTopics,
} from '../../src/codec/generated/09-offset-fetch';
import { newFindCoordinatorRequest } from '../../src/codec/generated/10-find-coordinator';
import { newJoinGroupRequest, newJoinGroupRequestProtocol } from '../../src/codec/generated/11-join-group';
import { newHeartbeatRequest } from '../../src/codec/generated/12-heartbeat';
import { newLeaveGroupRequest, newMemberIdentity } from '../../src/codec/generated/13-leave-group';
import { newSyncGroupRequest } from '../../src/codec/generated/14-sync-group';
import { newDescribeGroupsRequest } from '../../src/codec/generated/15-describe-groups';
import { newListGroupsRequest } from '../../src/codec/generated/16-list-groups';
import { newDeleteGroupsRequest } from '../../src/codec/generated/42-delete-groups';
import {
  newOffsetDeleteRequest,
  newOffsetDeleteRequestPartition,
  newOffsetDeleteRequestTopic,
} from '../../src/codec/generated/47-offset-delete';
import { later, type PlanContext, PREFIX_SIGN, type Step, stepsOn } from './steps';

const ACTORS = 4;
const GROUPS = [`${PREFIX_SIGN}g0`, `${PREFIX_SIGN}g1`];

interface Actor {
  readonly index: number;
  readonly group: string;
  readonly groupInstanceId: string | null;
  readonly protocols: readonly string[];
}

export class GroupPlanner {
  readonly #context: PlanContext;
  readonly #common: ReturnType<typeof stepsOn>;
  readonly #actors: readonly Actor[];

  constructor(context: PlanContext) {
    this.#context = context;
    this.#common = stepsOn('groups', context);
    const { dice } = context;
    this.#actors = Array.from({ length: ACTORS }, (_, index) => ({
      index,
      group: GROUPS[index < 3 ? 0 : 1]!,
      groupInstanceId: dice.oneIn(4) ? `${PREFIX_SIGN}i${dice.integer(2)}` : null,
      protocols: dice.pick([
        ['range', 'roundrobin'],
        ['range', 'roundrobin', 'sticky'],
        ['range'],
        ['roundrobin', 'sticky'],
      ]),
    }));
  }

  step(): Step {
    const { dice } = this.#context;
    const actor = dice.pick(this.#actors);
    switch (dice.integer(20)) {
      case 0:
        return this.#leave(actor);
      case 1:
      case 2:
      case 3:
        return this.#heartbeat(actor);
      case 4:
      case 5:
        return this.#commit(actor);
      case 6:
        return this.#committed(actor);
      case 7:
      case 8:
        return this.#describe();
      case 9:
        return this.#list();
      case 10:
        return this.#deleteOffsets(actor);
      case 11:
        return this.#deleteGroups();
      case 12:
        return this.#findCoordinator();
      case 13:
      case 14:
      case 15:
        return this.#sync(actor);
      default:
        return this.#join(actor);
    }
  }

  /** The actor's member id, or a wrong one. */
  #memberId(actor: Actor): string {
    const { dice } = this.#context;
    if (dice.oneIn(15)) return dice.pick(['', 'nobody']);
    return later({ $: 'memberId', actor: dice.oneIn(20) ? dice.integer(ACTORS) : actor.index });
  }

  /**
   * For leaving: a group that only ever had members to be is gone with the last of them here, while Kafka keeps it for
   * some time.
   */
  #formerMemberId(actor: Actor): string {
    const { dice } = this.#context;
    if (dice.oneIn(8)) return dice.pick(['', 'nobody']);
    return later({ $: 'formerMemberId', actor: dice.oneIn(20) ? dice.integer(ACTORS) : actor.index });
  }

  #generation(actor: Actor): number {
    const { dice } = this.#context;
    return later({ $: 'generation', actor: actor.index, plus: dice.oneIn(12) ? dice.pick([-1, 1]) : 0 });
  }

  #join(actor: Actor): Step {
    const { dice } = this.#context;
    const common = this.#common('JoinGroup', actor.groupInstanceId === null ? 0 : 5);
    const request = newJoinGroupRequest({
      groupId: dice.oneIn(40) ? '' : actor.group,
      sessionTimeoutMs: dice.oneIn(20) ? dice.pick([1000, 5_000_000, -1]) : 30_000,
      rebalanceTimeoutMs: common.version >= 1 ? 60_000 : -1,
      memberId: this.#memberId(actor),
      groupInstanceId: actor.groupInstanceId,
      protocolType: dice.oneIn(30) ? 'connect' : 'consumer',
      protocols: actor.protocols.map((name) =>
        newJoinGroupRequestProtocol({ name, metadata: Buffer.from(`${name} ${actor.index}`) }),
      ),
      reason: common.version >= 8 ? 'a reason' : null,
    });
    return { ...common, request, connection: `actor ${actor.index}`, mayWait: true, actor: actor.index };
  }

  #sync(actor: Actor): Step {
    const { dice } = this.#context;
    const common = this.#common('SyncGroup', actor.groupInstanceId === null ? 0 : 3);
    const assigned = dice.oneIn(6)
      ? dice.some(this.#actors)
      : this.#actors.filter(({ group }) => group === actor.group);
    const request = newSyncGroupRequest({
      groupId: actor.group,
      generationId: this.#generation(actor),
      memberId: this.#memberId(actor),
      groupInstanceId: actor.groupInstanceId,
      ...(common.version >= 5 && {
        protocolType: dice.oneIn(12) ? dice.pick(['connect', null]) : 'consumer',
        protocolName: dice.oneIn(12) ? dice.pick(['sticky', null]) : dice.pick(['range', 'roundrobin', null]),
      }),
      assignments: assigned.map(({ index }) => ({
        memberId: later<string>({ $: 'memberId', actor: index }),
        assignment: Buffer.from(`to ${index} by ${actor.index}`),
      })),
    });
    return { ...common, request, connection: `actor ${actor.index}`, mayWait: true };
  }

  #heartbeat(actor: Actor): Step {
    const common = this.#common('Heartbeat', actor.groupInstanceId === null ? 0 : 3);
    const request = newHeartbeatRequest({
      groupId: actor.group,
      generationId: this.#generation(actor),
      memberId: this.#memberId(actor),
      groupInstanceId: actor.groupInstanceId,
    });
    return { ...common, request };
  }

  #leave(actor: Actor): Step {
    const { dice } = this.#context;
    const common = this.#common('LeaveGroup');
    if (common.version < 3) {
      const request = newLeaveGroupRequest({ groupId: actor.group, memberId: this.#formerMemberId(actor) });
      return { ...common, request };
    }
    const members = dice.some(this.#actors).map((one) => {
      const memberId = dice.oneIn(5) ? '' : this.#formerMemberId(one);
      const groupInstanceId = dice.oneIn(6) ? `${PREFIX_SIGN}i9` : one.groupInstanceId;
      return newMemberIdentity({ memberId, groupInstanceId });
    });
    return { ...common, request: newLeaveGroupRequest({ groupId: actor.group, members }) };
  }

  #commit(actor: Actor): Step {
    const { dice, topics } = this.#context;
    const common = this.#common('OffsetCommit');
    const isById = common.version >= 10;
    const asMember = dice.oneIn(2);
    const partition = (partitionIndex: number): OffsetCommitRequestPartition =>
      newOffsetCommitRequestPartition({
        partitionIndex,
        committedOffset: dice.pick([0, 1, 7, 1_000_000, -1]),
        committedLeaderEpoch: common.version >= 6 ? dice.pick([-1, 0, 3]) : -1,
        committedMetadata: dice.pick([null, '', 'note', 'x'.repeat(4097)]),
      });
    const [first] = topics;
    // One partition that works: Kafka's own view of a group is odd as long as nothing was written for it.
    const good = newOffsetCommitRequestPartition({ partitionIndex: 0, committedOffset: dice.integer(9) });
    const more = dice.some([...topics.slice(1), { name: `${PREFIX_SIGN}missing`, partitions: 1 }]);
    const named = (name: string): { name: string } | { topicId: string } =>
      isById ? { topicId: later<string>({ $: 'topicId', topic: name }) } : { name };
    const request = newOffsetCommitRequest({
      groupId: actor.group,
      generationIdOrMemberEpoch: asMember ? this.#generation(actor) : -1,
      memberId: asMember ? this.#memberId(actor) : '',
      groupInstanceId: asMember && common.version >= 7 ? actor.groupInstanceId : null,
      topics: [
        newOffsetCommitRequestTopic({ ...named(first!.name), partitions: [good] }),
        ...more.map(({ name, partitions }) => {
          const some = dice.some(Array.from({ length: partitions + 1 }, (_, at) => at)).map(partition);
          return newOffsetCommitRequestTopic({ ...named(name), partitions: some });
        }),
      ],
    });
    return { ...common, request };
  }

  #committed(actor: Actor): Step {
    const { dice, topics } = this.#context;
    const common = this.#common('OffsetFetch');
    const { version } = common;
    const named = dice.oneIn(8) ? [...topics, { name: `${PREFIX_SIGN}missing`, partitions: 1 }] : dice.some(topics);
    const isAll = version >= 2 && dice.oneIn(3);
    const requireStable = version >= 7 && dice.oneIn(2);
    if (version < 8) {
      const wanted = named.map(({ name, partitions }) =>
        newOffsetFetchRequestTopic({ name, partitionIndexes: Array.from({ length: partitions + 1 }, (_, at) => at) }),
      );
      const request = newOffsetFetchRequest({ groupId: actor.group, topics: isAll ? null : wanted, requireStable });
      return { ...common, request };
    }
    const groups = dice.some([...GROUPS, `${PREFIX_SIGN}nogroup`]).map((groupId) =>
      newOffsetFetchRequestGroup({
        groupId,
        topics: isAll
          ? null
          : named.map(({ name, partitions }) =>
              newOffsetFetchRequestTopics({
                ...(version >= 10 ? { topicId: later<string>({ $: 'topicId', topic: name }) } : { name }),
                partitionIndexes: Array.from({ length: partitions }, (_, at) => at),
              }),
            ),
      }),
    );
    return { ...common, request: newOffsetFetchRequest({ groups, requireStable }) };
  }

  #describe(): Step {
    const { dice } = this.#context;
    const common = this.#common('DescribeGroups');
    const groups = dice.some([...GROUPS, `${PREFIX_SIGN}nogroup`]);
    const includeAuthorizedOperations = common.version >= 3 && dice.oneIn(3);
    return { ...common, request: newDescribeGroupsRequest({ groups, includeAuthorizedOperations }) };
  }

  #list(): Step {
    const { dice } = this.#context;
    const common = this.#common('ListGroups');
    const statesFilter =
      common.version >= 4 && dice.oneIn(2) ? dice.some(['Stable', 'empty', 'PreparingRebalance', 'Foo']) : [];
    const typesFilter = common.version >= 5 && dice.oneIn(3) ? ['Classic'] : [];
    return { ...common, request: newListGroupsRequest({ statesFilter, typesFilter }) };
  }

  #deleteOffsets(actor: Actor): Step {
    const { dice, topics } = this.#context;
    const named = dice.oneIn(6) ? [...topics, { name: `${PREFIX_SIGN}missing`, partitions: 1 }] : dice.some(topics);
    const request = newOffsetDeleteRequest({
      groupId: dice.oneIn(6) ? `${PREFIX_SIGN}nogroup` : actor.group,
      topics: named.map(({ name, partitions }) =>
        newOffsetDeleteRequestTopic({
          name,
          // Not the one that every commit has: Kafka 4 keeps a group without offsets for a while.
          partitions: [
            newOffsetDeleteRequestPartition({
              partitionIndex: name === topics[0]!.name ? 1 : dice.integer(partitions + 1),
            }),
          ],
        }),
      ),
    });
    return { ...this.#common('OffsetDelete'), request };
  }

  #deleteGroups(): Step {
    const groupsNames = this.#context.dice.some([...GROUPS, `${PREFIX_SIGN}nogroup`]);
    return { ...this.#common('DeleteGroups'), request: newDeleteGroupsRequest({ groupsNames }) };
  }

  #findCoordinator(): Step {
    const { dice } = this.#context;
    const common = this.#common('FindCoordinator');
    const keyType = common.version >= 1 && dice.oneIn(6) ? 9 : 0;
    const key = common.version < 4 ? { key: GROUPS[0]! } : { coordinatorKeys: dice.some([...GROUPS, '']) };
    return { ...common, request: newFindCoordinatorRequest({ ...key, keyType }) };
  }
}

/**
 * The operations of group scripts, from text. Each begins with a client (or `?` for an administrator) and a verb; what
 * follows are `key=value` pairs and names. Group `g` and what the client remembers are the defaults.
 *
 *     a join v=3 protocols=range:x,sticky:y instance=i1 session=10000 rebalance=20000 type=consumer id=…
 *     a join topics=t,u                                          (a subscription as bytes)
 *     a sync gen=1 id=… type=… protocol=… assign=a:x0,b:x1      (clients or member ids)
 *     a heartbeat    a leave members=a,nobody,@i1,b@i1 v=3
 *     a commit t-0=5/text gen=… id=… retention=… at=…           a fetch t-0 t-1 | all, stable
 *     ? describe g h v=6   ? list   ? delete g h   ? delete-offsets t-0 group=g   ? topics-deleted t u
 */
import { assert } from '../base/assert';
import { ZERO_UUID } from '../base/random';
import { newOffsetCommitRequest } from '../codec/generated/08-offset-commit';
import { newOffsetFetchRequestGroup } from '../codec/generated/09-offset-fetch';
import { newJoinGroupRequest } from '../codec/generated/11-join-group';
import { newHeartbeatRequest } from '../codec/generated/12-heartbeat';
import { newLeaveGroupRequest, newMemberIdentity } from '../codec/generated/13-leave-group';
import { newSyncGroupRequest } from '../codec/generated/14-sync-group';
import { newOffsetDeleteRequest } from '../codec/generated/47-offset-delete';
import {
  encodeConsumerProtocolSubscription,
  newConsumerProtocolSubscription,
} from '../codec/generated/records/consumer-protocol-subscription';
import { Writer } from '../codec/writer';
import type { GroupOperation } from '../coordinator/group/group-operation';

/** What a script's client knows of itself. */
export interface ScriptClient {
  readonly name: string;
  memberId: string;
  generationId: number;
}

/** Whom to tell about a reply. */
export interface Asked {
  readonly client: ScriptClient | undefined;
  readonly op: GroupOperation;
}

export interface OperationContext {
  readonly token: { readonly id: number };
  readonly nowMs: number;
  client(name: string): ScriptClient;
  memberIdSuffix(): string;
}

const NEWEST_JOIN = 9;

class Arguments {
  readonly names: readonly string[];
  readonly #values: ReadonlyMap<string, string>;

  constructor(words: readonly string[], positional: RegExp) {
    const isPair = (word: string): boolean => word.includes('=') && !positional.test(word);
    this.names = words.filter((word) => !isPair(word));
    this.#values = new Map(
      words.filter(isPair).map((word) => [word.split('=')[0]!, word.slice(word.indexOf('=') + 1)]),
    );
  }

  text(key: string, otherwise: string): string {
    return this.#values.get(key) ?? otherwise;
  }

  optional(key: string): string | null {
    return this.#values.get(key) ?? null;
  }

  number(key: string, otherwise: number): number {
    const value = this.#values.get(key);
    return value === undefined ? otherwise : Number(value);
  }

  /** `a:x,b:y` as pairs, `none` as no pairs. */
  pairs(key: string): [string, string][] {
    const value = this.#values.get(key) ?? '';
    return value === '' || value === 'none' ? [] : value.split(',').map((pair) => pair.split(':') as [string, string]);
  }
}

/** `t-0=5/text` */
const OFFSET = /^(.+)-(\d+)=(-?\d+)(?:\/(.*))?$/;

export function parseOperation(line: string, context: OperationContext): Asked {
  const [who = '', verb = '', ...words] = line.split(' ');
  const args = new Arguments(words, OFFSET);
  const client = who === '?' ? undefined : context.client(who);
  const op = client ? memberOperation(verb, args, { ...context, self: client }) : adminOperation(verb, args, context);
  return { client, op };
}

type MemberContext = OperationContext & { readonly self: ScriptClient };

function memberOperation(verb: string, args: Arguments, context: MemberContext): GroupOperation {
  switch (verb) {
    case 'join':
      return join(args, context);
    case 'sync':
      return sync(args, context);
    case 'heartbeat': {
      const request = newHeartbeatRequest({ ...memberOf(args, context), generationId: generationOf(args, context) });
      return { kind: 'heartbeat', token: context.token, request };
    }
    case 'leave':
      return leave(args, context);
    case 'commit':
      return commit(args, context);
    case 'fetch':
      return fetch(args, context);
    default:
      throw new RangeError(`a member cannot ${verb}`);
  }
}

function memberOf(args: Arguments, { self }: MemberContext) {
  return {
    groupId: args.text('group', 'g'),
    memberId: args.text('id', self.memberId),
    groupInstanceId: args.optional('instance'),
  };
}

function generationOf(args: Arguments, { self }: MemberContext): number {
  return args.number('gen', self.generationId);
}

/** As consumers send it: version 0. */
function subscription(topics: string[]): Buffer {
  const writer = new Writer();
  writer.int16(0);
  encodeConsumerProtocolSubscription(writer, newConsumerProtocolSubscription({ topics }), 0);
  return writer.finishBuffer();
}

function join(args: Arguments, context: MemberContext): GroupOperation {
  const given = args.optional('protocols') === null ? [['range', 'x'] as const] : args.pairs('protocols');
  const topics = args.optional('topics');
  const protocols = given.map(([name, data]) => ({
    name,
    metadata: topics === null ? Buffer.from(data) : subscription(topics.split(',')),
  }));
  const request = newJoinGroupRequest({
    ...memberOf(args, context),
    sessionTimeoutMs: args.number('session', 10_000),
    rebalanceTimeoutMs: args.number('rebalance', 20_000),
    protocolType: args.text('type', 'consumer'),
    protocols,
  });
  return {
    kind: 'join-group',
    token: context.token,
    context: { apiVersion: args.number('v', NEWEST_JOIN), clientId: context.self.name, clientHost: '/host' },
    request,
    memberIdSuffix: context.memberIdSuffix(),
  };
}

function sync(args: Arguments, context: MemberContext): GroupOperation {
  const assignments = args.pairs('assign').map(([name, data]) => ({
    memberId: context.client(name).memberId || name,
    assignment: Buffer.from(data),
  }));
  const request = newSyncGroupRequest({
    ...memberOf(args, context),
    generationId: generationOf(args, context),
    protocolType: args.optional('type'),
    protocolName: args.optional('protocol'),
    assignments,
  });
  return { kind: 'sync-group', token: context.token, request };
}

function leave(args: Arguments, context: MemberContext): GroupOperation {
  const members = args
    .text('members', context.self.name)
    .split(',')
    .map((text) => {
      const [name = '', instance] = text.split('@');
      const memberId = name === '' ? '' : context.client(name).memberId || name;
      return newMemberIdentity({ memberId, groupInstanceId: instance ?? null });
    });
  const request = newLeaveGroupRequest({ groupId: args.text('group', 'g'), members });
  return { kind: 'leave-group', token: context.token, request };
}

function commit(args: Arguments, context: MemberContext): GroupOperation {
  const topics = args.names.map((text) => {
    const [, name = '', partition, offset, metadata] = OFFSET.exec(text) ?? [];
    const partitionIndex = Number(partition);
    const committed = {
      partitionIndex,
      committedOffset: Number(offset),
      committedLeaderEpoch: -1,
      commitTimestamp: args.optional('ago') === null ? -1 : context.nowMs - args.number('ago', 0),
      committedMetadata: metadata ?? null,
    };
    return { name, topicId: ZERO_UUID, partitions: [committed] };
  });
  const request = newOffsetCommitRequest({
    ...memberOf(args, context),
    generationIdOrMemberEpoch: generationOf(args, context),
    retentionTimeMs: args.number('retention', -1),
    topics,
  });
  return { kind: 'commit-offsets', token: context.token, apiVersion: args.number('v', 8), request };
}

function fetch(args: Arguments, context: OperationContext): GroupOperation {
  const names = args.names.filter((name) => name !== 'stable' && name !== 'all');
  const topics = names.map((text) => {
    const dash = text.lastIndexOf('-');
    return { name: text.slice(0, dash), topicId: ZERO_UUID, partitionIndexes: [Number(text.slice(dash + 1))] };
  });
  const isAll = args.names.includes('all');
  const group = newOffsetFetchRequestGroup({ groupId: args.text('group', 'g'), topics: isAll ? null : topics });
  return { kind: 'fetch-offsets', token: context.token, group, requireStable: args.names.includes('stable') };
}

function adminOperation(verb: string, args: Arguments, { token }: OperationContext): GroupOperation {
  switch (verb) {
    case 'describe':
      return { kind: 'describe-groups', token, apiVersion: args.number('v', 5), groupIds: args.names };
    case 'list':
      return { kind: 'list-groups', token };
    case 'delete':
      return { kind: 'delete-groups', token, groupIds: args.names };
    case 'delete-offsets': {
      const topics = args.names.map((text) => {
        const dash = text.lastIndexOf('-');
        return { name: text.slice(0, dash), partitions: [{ partitionIndex: Number(text.slice(dash + 1)) }] };
      });
      const request = newOffsetDeleteRequest({ groupId: args.text('group', 'g'), topics });
      return { kind: 'delete-offsets', token, request };
    }
    case 'topics-deleted':
      return { kind: 'drop-topic-offsets', token, topics: args.names.map((name) => ({ name, id: ZERO_UUID })) };
    default:
      assert(false, `an administrator cannot ${verb}`);
  }
}

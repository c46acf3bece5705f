/**
 * Groups of one member each, joined and stable, and the heartbeat of each as a whole frame. The members' connections
 * are closed once they have joined: a group does not mind where its members speak from.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { newFindCoordinatorRequest } from '../../../src/codec/generated/10-find-coordinator';
import {
  type JoinGroupRequest,
  type JoinGroupResponse,
  newJoinGroupRequest,
  newJoinGroupRequestProtocol,
} from '../../../src/codec/generated/11-join-group';
import { newHeartbeatRequest } from '../../../src/codec/generated/12-heartbeat';
import { newLeaveGroupRequest } from '../../../src/codec/generated/13-leave-group';
import { newSyncGroupRequest, newSyncGroupRequestAssignment } from '../../../src/codec/generated/14-sync-group';
import { apis } from '../../../src/codec/generated/apis';
import { ErrorCode } from '../../../src/codec/generated/errors';
import { requestFrame, WireClient } from '../../../src/testing/wire-client';

/** Version 3 of JoinGroup takes a member at once, without a second call with the id that it was given. */
const [FIND_VERSION, JOIN_VERSION, SYNC_VERSION, HEARTBEAT_VERSION, LEAVE_VERSION] = [2, 3, 3, 3, 2];
const CORRELATION_ID = 1;
const CLIENT_ID = 'load';
const SESSION_TIMEOUT_MS = 60_000;
/** Behind correlation id and throttle time. */
const HEARTBEAT_ERROR_AT = 8;
const ATTEMPTS = 300;
const PAUSE_MS = 100;
const NOT_YET: ReadonlySet<number> = new Set([
  ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
  ErrorCode.COORDINATOR_NOT_AVAILABLE,
  ErrorCode.NOT_COORDINATOR,
]);
/** Joined at once: each has a connection, since a join blocks what follows it. */
const AT_ONCE = 250;

interface Member {
  readonly groupId: string;
  readonly memberId: string;
  readonly generationId: number;
}

export interface JoinedGroups {
  /** One for each group. */
  readonly heartbeats: readonly Buffer[];
  /** Of the error code in a heartbeat's answer. */
  readonly errorAt: number;
  leave(): Promise<void>;
}

/** Asking for the coordinator makes the topic of the offsets; until its partition is loaded, joins are put off. */
async function joinWhenCoordinated(client: WireClient, request: JoinGroupRequest): Promise<JoinGroupResponse> {
  for (let attempt = 1; ; attempt++) {
    const finding = newFindCoordinatorRequest({ key: request.groupId });
    await client.call({ api: apis.FindCoordinator, version: FIND_VERSION, request: finding });
    const joined = await client.call({ api: apis.JoinGroup, version: JOIN_VERSION, request });
    if (joined.errorCode === ErrorCode.NONE) return joined;
    if (attempt === ATTEMPTS || !NOT_YET.has(joined.errorCode)) {
      throw new Error(`group ${request.groupId} was not joined: error ${joined.errorCode}`);
    }
    await sleep(PAUSE_MS);
  }
}

async function join(port: number, groupId: string): Promise<Member> {
  const client = await WireClient.connect(port, { clientId: CLIENT_ID });
  try {
    const protocols = [newJoinGroupRequestProtocol({ name: 'range', metadata: Buffer.alloc(20) })];
    const joining = newJoinGroupRequest({
      groupId,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      rebalanceTimeoutMs: SESSION_TIMEOUT_MS,
      protocolType: 'consumer',
      protocols,
    });
    const { memberId, generationId } = await joinWhenCoordinated(client, joining);
    const assignments = [newSyncGroupRequestAssignment({ memberId, assignment: Buffer.alloc(20) })];
    const request = newSyncGroupRequest({ groupId, memberId, generationId, assignments });
    const { errorCode } = await client.call({ api: apis.SyncGroup, version: SYNC_VERSION, request });
    if (errorCode !== 0) throw new Error(`group ${groupId} has no assignment: error ${errorCode}`);
    return { groupId, memberId, generationId };
  } finally {
    client.close();
  }
}

function heartbeatFrame(member: Member): Buffer {
  const request = newHeartbeatRequest(member);
  return requestFrame({ api: apis.Heartbeat, version: HEARTBEAT_VERSION, request }, CORRELATION_ID, CLIENT_ID);
}

async function leave(port: number, members: readonly Member[]): Promise<void> {
  const client = await WireClient.connect(port, { clientId: CLIENT_ID });
  try {
    for (const { groupId, memberId } of members) {
      const request = newLeaveGroupRequest({ groupId, memberId });
      const { errorCode } = await client.call({ api: apis.LeaveGroup, version: LEAVE_VERSION, request });
      if (errorCode !== 0) throw new Error(`group ${groupId} was not left: error ${errorCode}`);
    }
  } finally {
    client.close();
  }
}

export async function joinGroups(port: number, count: number): Promise<JoinedGroups> {
  const names = Array.from({ length: count }, (_, at) => `crowd-${at}`);
  const members: Member[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    members.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map((name) => join(port, name)))));
  }
  return {
    heartbeats: members.map(heartbeatFrame),
    errorAt: HEARTBEAT_ERROR_AT,
    leave: () => leave(port, members),
  };
}

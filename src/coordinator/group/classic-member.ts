/** One member of a classic group, as the coordinator sees it. Source of the rules: Kafka's `ClassicGroupMember`. */

import { assert } from '../../base/assert';
import type { JoinGroupResponse } from '../../codec/generated/11-join-group';
import type { SyncGroupResponse } from '../../codec/generated/14-sync-group';
import type { RequestToken } from '../shard';

export const EMPTY_ASSIGNMENT: Buffer = Buffer.alloc(0);

/** An assignment strategy that a member can follow, with its subscription as bytes that only clients read. */
export interface MemberProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

export interface MemberIdentity {
  readonly memberId: string;
  /** Set for static members (KIP-345): the name under which a restarted client takes its place again. */
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
}

export interface MemberTerms {
  readonly rebalanceTimeoutMs: number;
  readonly sessionTimeoutMs: number;
  /** In the member's order of preference. */
  readonly protocols: readonly MemberProtocol[];
}

export class ClassicMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  terms: MemberTerms;
  assignment: Buffer;
  /** The parked JoinGroup. Set and cleared by `ClassicGroup`, which counts them. */
  joinToken: RequestToken<JoinGroupResponse> | null = null;
  /** The parked SyncGroup. */
  syncToken: RequestToken<SyncGroupResponse> | null = null;
  /** Has not had the answer to its first join yet, so it does not know its id and cannot send heartbeats. */
  isNew = false;

  constructor(identity: MemberIdentity, terms: MemberTerms, assignment: Buffer = EMPTY_ASSIGNMENT) {
    this.memberId = identity.memberId;
    this.groupInstanceId = identity.groupInstanceId;
    this.clientId = identity.clientId;
    this.clientHost = identity.clientHost;
    this.terms = terms;
    this.assignment = assignment;
  }

  get isAwaitingJoin(): boolean {
    return this.joinToken !== null;
  }

  /** A member with a parked request is alive by that, except a new one: it may have given up and will not say so. */
  get sessionIsKept(): boolean {
    return !this.isNew && (this.joinToken !== null || this.syncToken !== null);
  }

  metadata(protocolName: string): Buffer {
    const protocol = this.terms.protocols.find(({ name }) => name === protocolName);
    assert(protocol !== undefined, `member ${this.memberId} does not support the protocol ${protocolName}`);
    return protocol.metadata;
  }

  /** Whether a new join brings the same protocols, byte for byte and in the same order. */
  hasProtocols(protocols: readonly MemberProtocol[]): boolean {
    const own = this.terms.protocols;
    return (
      own.length === protocols.length &&
      own.every(({ name, metadata }, at) => name === protocols[at]!.name && metadata.equals(protocols[at]!.metadata))
    );
  }

  /** The first of its protocols that is among `candidates`. */
  vote(candidates: ReadonlySet<string>): string {
    const choice = this.terms.protocols.find(({ name }) => candidates.has(name));
    assert(choice !== undefined, `member ${this.memberId} supports none of the candidates`);
    return choice.name;
  }
}

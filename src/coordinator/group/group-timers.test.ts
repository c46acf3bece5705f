/** One timer per member and per rebalance, each with its operation; names that look alike stay apart. */
import { silentLogger } from '../../base/logger';
import { EffectList } from '../shard';
import { ClassicGroup } from './classic-group';
import type { GroupConfig } from './group-config';
import type { Turn } from './group-operation';
import {
  startInitialDelay,
  startJoinDeadline,
  startSession,
  startSyncDeadline,
  stopJoinDeadline,
  stopSession,
  stopSyncDeadline,
} from './group-timers';

const turn = (): Turn => ({
  config: {} as GroupConfig,
  logger: silentLogger,
  nowMs: 1000,
  effects: new EffectList(),
});

describe('timers of a group', () => {
  it('come back as the operation they stand for', () => {
    const t = turn();
    const group = new ClassicGroup('g', 0);
    startSession(t, { groupId: 'g', memberId: 'm' }, 50);
    startInitialDelay(t, group, { delayMs: 10, remainingMs: 20 });
    startJoinDeadline(t, group);
    startSyncDeadline(t, group);
    expect(t.effects.timers.map((timer) => (timer.at === null ? null : { at: timer.at, op: timer.op }))).toEqual([
      { at: 1050, op: { kind: 'session-expired', groupId: 'g', memberId: 'm' } },
      { at: 1010, op: { kind: 'initial-delay-over', groupId: 'g', delayMs: 10, remainingMs: 20 } },
      { at: 1000, op: { kind: 'join-deadline', groupId: 'g' } },
      { at: 1000, op: { kind: 'sync-deadline', groupId: 'g', generationId: 0 } },
    ]);
  });

  it('are stopped by the key they were started with', () => {
    const t = turn();
    const group = new ClassicGroup('g', 0);
    startSession(t, { groupId: 'g', memberId: 'm' }, 50);
    startJoinDeadline(t, group);
    startSyncDeadline(t, group);
    stopSession(t, 'g', 'm');
    stopJoinDeadline(t, group);
    stopSyncDeadline(t, group);
    const keys = t.effects.timers.map(({ key }) => key);
    expect(keys.slice(3)).toEqual(keys.slice(0, 3));
    expect(new Set(keys).size).toBe(3);
  });

  it('do not mix up groups and members', () => {
    const t = turn();
    startSession(t, { groupId: 'a b', memberId: 'c' }, 1);
    startSession(t, { groupId: 'a', memberId: 'b c' }, 1);
    expect(new Set(t.effects.timers.map(({ key }) => key)).size).toBe(2);
  });
});

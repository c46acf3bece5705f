/** Votes, comparison of protocols, and what keeps a session. */
import { ClassicMember } from './classic-member';

const protocol = (name: string, data = '') => ({ name, metadata: Buffer.from(data) });

function member(...names: string[]) {
  const identity = { memberId: 'm', groupInstanceId: null, clientId: 'c', clientHost: '/h' };
  const protocols = names.map((name) => protocol(name, `data of ${name}`));
  return new ClassicMember(identity, { sessionTimeoutMs: 1, rebalanceTimeoutMs: 2, protocols });
}

describe('ClassicMember', () => {
  it('votes for its first choice among the candidates', () => {
    expect(member('a', 'b', 'c').vote(new Set(['c', 'b']))).toBe('b');
    expect(() => member('a').vote(new Set(['x']))).toThrow('none of the candidates');
  });

  it('gives the subscription of a protocol', () => {
    expect(member('a', 'b').metadata('b').toString()).toBe('data of b');
    expect(() => member('a').metadata('b')).toThrow('does not support');
  });

  it('compares names, bytes and order', () => {
    const own = member('a', 'b');
    const [a, b] = own.terms.protocols;
    expect(own.hasProtocols([a!, b!])).toBe(true);
    expect(own.hasProtocols([b!, a!])).toBe(false);
    expect(own.hasProtocols([a!])).toBe(false);
    expect(own.hasProtocols([a!, protocol('b', 'other')])).toBe(false);
  });

  it('is kept by a parked request once it is known', () => {
    const m = member('a');
    expect(m.sessionIsKept).toBe(false);
    m.joinToken = { id: 1 };
    expect([m.isAwaitingJoin, m.sessionIsKept]).toEqual([true, true]);
    m.isNew = true;
    expect(m.sessionIsKept).toBe(false);
    m.isNew = false;
    m.joinToken = null;
    m.syncToken = { id: 2 };
    expect(m.sessionIsKept).toBe(true);
  });
});

/** The list in which a shard collects what it wants done. */
import { EffectList, type RequestToken } from './shard';

describe('EffectList', () => {
  it('keeps records, replies and timers in order', () => {
    const effects = new EffectList<string, number>();
    const token: RequestToken<string> = { id: 7 };
    effects.record(1);
    effects.recordAll([2, 3]);
    effects.reply(token, 'yes');
    effects.startTimer('a', 10, 'op');
    effects.stopTimer('a');
    expect(effects.records).toEqual([1, 2, 3]);
    expect(effects.replies).toEqual([{ to: token, response: 'yes' }]);
    expect(effects.timers).toEqual([
      { key: 'a', at: 10, op: 'op' },
      { key: 'a', at: null },
    ]);
  });
});

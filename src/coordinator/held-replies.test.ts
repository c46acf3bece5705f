/** Replies leave with the high watermark, in order, or fail when it does not come. */
import { ManualClock } from '../testing/manual-clock';
import { HeldReplies } from './held-replies';
import type { Reply } from './shard';

function held(highWatermark: number) {
  const clock = new ManualClock();
  const delivered: unknown[] = [];
  const timedOut: unknown[] = [];
  const options = {
    clock,
    timeoutMs: 1000,
    deliver: ({ response }: Reply) => delivered.push(response),
    onTimeout: ({ response }: Reply) => timedOut.push(response),
  };
  return { clock, delivered, timedOut, replies: new HeldReplies(options, highWatermark) };
}

const reply = (response: string): Reply => ({ to: { id: 1 }, response });

describe('HeldReplies', () => {
  it('delivers at once what is committed', () => {
    const h = held(5);
    h.replies.add(5, [reply('a'), reply('b')]);
    expect(h.delivered).toEqual(['a', 'b']);
  });

  it('holds the rest until the high watermark has reached it', () => {
    const h = held(5);
    h.replies.add(6, [reply('a')]);
    h.replies.add(8, [reply('b')]);
    h.replies.add(8, []);
    h.replies.onHighWatermark(7);
    expect(h.delivered).toEqual(['a']);
    h.replies.onHighWatermark(8);
    expect(h.delivered).toEqual(['a', 'b']);
    expect(h.clock.timerCount).toBe(0);
  });

  it('never goes back', () => {
    const h = held(5);
    h.replies.onHighWatermark(3);
    h.replies.add(5, [reply('a')]);
    expect(h.delivered).toEqual(['a']);
  });

  it('fails what waits too long, and nothing twice', async () => {
    const h = held(5);
    h.replies.add(6, [reply('a')]);
    await h.clock.advance(999);
    h.replies.add(7, [reply('b')]);
    await h.clock.advance(1);
    expect(h.timedOut).toEqual(['a']);
    h.replies.onHighWatermark(7);
    expect(h.delivered).toEqual(['b']);
  });

  it('forgets everything when cleared', async () => {
    const h = held(5);
    h.replies.add(6, [reply('a')]);
    h.replies.clear();
    h.replies.onHighWatermark(6);
    await h.clock.advance(5000);
    expect([h.delivered, h.timedOut]).toEqual([[], []]);
  });
});

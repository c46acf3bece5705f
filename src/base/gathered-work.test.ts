/** Items that wait together are worked on together, and each hears of its own outcome. */
import { GatheredWork } from './gathered-work';
import { SerialQueue } from './serial-queue';

describe('GatheredWork', () => {
  it('does at once what waited while earlier work was under way', async () => {
    const calls: string[][] = [];
    const work = new GatheredWork(new SerialQueue(), async (items: readonly string[]) => {
      calls.push([...items]);
      await Promise.resolve();
      return items.map((item) => item.toUpperCase());
    });
    const first = work.add('a');
    await Promise.resolve();
    await Promise.resolve();
    expect(calls).toEqual([['a']]);
    const others = [work.add('b'), work.add('c')];
    expect(await Promise.all([first, ...others])).toEqual(['A', 'B', 'C']);
    expect(calls).toEqual([['a'], ['b', 'c']]);
  });

  it('takes its turn in the queue, and goes on after a failure', async () => {
    const queue = new SerialQueue();
    const order: string[] = [];
    const work = new GatheredWork(queue, async ([item]: readonly string[]) => {
      order.push(item!);
      if (item === 'bad') throw new Error('no');
      return ['done'];
    });
    const before = queue.run(() => order.push('before'));
    await expect(work.add('bad')).rejects.toThrow('no');
    await before;
    expect(await work.add('good')).toBe('done');
    expect(order).toEqual(['before', 'bad', 'good']);
  });
});

/** A value that is told at once, once, to the one who waits for it. */
import { Later } from './later';

function watched<T>(later: Later<T>): unknown[] {
  const heard: unknown[] = [];
  later.whenThere(
    (value) => heard.push(value),
    (error) => heard.push(['failed', error]),
  );
  return heard;
}

it('tells its value within `settle`, or at once where it is there', () => {
  const later = new Later<number>();
  const heard = watched(later);
  expect([heard, later.isThere]).toEqual([[], false]);
  later.settle(1);
  expect([heard, later.isThere, watched(later), watched(Later.of(2))]).toEqual([[1], true, [1], [2]]);
});

it('tells a failure the same way', () => {
  const later = new Later<number>();
  const heard = watched(later);
  later.fail('bug');
  expect([heard, later.isThere, watched(later)]).toEqual([[['failed', 'bug']], true, [['failed', 'bug']]]);
});

it('is there once, for one who waits', () => {
  const later = new Later<number>();
  watched(later);
  expect(() => watched(later)).toThrow('one waits');
  later.settle(1);
  expect(() => later.settle(2)).toThrow('there once');
  expect(() => later.fail('bug')).toThrow('there once');
});

it('passes on what is made of its value, and what goes wrong on the way', () => {
  const later = new Later<number>();
  const thrown = new Error('bug');
  const made = watched(
    later.map((value) => {
      if (value === 1) throw thrown;
      return value;
    }),
  );
  later.settle(1);
  expect(made).toEqual([['failed', thrown]]);
  expect(watched(Later.of(2).map((value) => value + 1))).toEqual([3]);
  const failed = new Later<number>();
  failed.fail('before');
  expect(watched(failed.map((value) => value + 1))).toEqual([['failed', 'before']]);
});

it('comes from a promise and becomes one', async () => {
  expect(await Later.from(Promise.resolve(1)).promise()).toBe(1);
  await expect(Later.from(Promise.reject(new Error('bug'))).promise()).rejects.toThrow('bug');
});

describe('all', () => {
  it('are told in order when the last is there', () => {
    const laters = [new Later<string>(), Later.of('b'), new Later<string>()];
    const heard = watched(Later.all(laters));
    laters[2]!.settle('c');
    expect(heard).toEqual([]);
    laters[0]!.settle('a');
    expect(heard).toEqual([['a', 'b', 'c']]);
    expect(watched(Later.all([]))).toEqual([[]]);
  });

  it('fail with the first that fails', () => {
    const laters = [new Later<string>(), new Later<string>(), Later.of('c')];
    const heard = watched(Later.all(laters));
    laters[1]!.fail('first');
    laters[0]!.fail('second');
    expect(heard).toEqual([['failed', 'first']]);
  });
});

/** Two stages at the end of one turn of the event loop. */
import { TurnWork } from './turn-work';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Notes where turns begin, as far as `turns` goes. */
async function turns(seen: string[], count: number): Promise<void> {
  for (let n = 1; n <= count; n++) {
    await turn();
    seen.push(`turn ${n}`);
  }
}

it('handles what was gathered, then what has followed, all before the next turn', async () => {
  const work = new TurnWork((run) => setImmediate(run));
  const seen: string[] = [];
  work.last(() => seen.push('last 1'));
  work.gather(() => {
    seen.push('gathered 1');
    work.last(() => seen.push('last 2'));
    void Promise.resolve().then(() => work.last(() => seen.push('last 3')));
  });
  work.gather(() => seen.push('gathered 2'));
  await turns(seen, 1);
  expect(seen).toEqual(['last 1', 'gathered 1', 'gathered 2', 'last 2', 'last 3', 'turn 1']);
});

it('leaves what is added by a stage to itself, or by the last to the first, to the next turn', async () => {
  const work = new TurnWork((run) => setImmediate(run));
  const seen: string[] = [];
  work.gather(() => {
    work.gather(() => seen.push('gathered again'));
    work.last(() => {
      seen.push('last');
      work.last(() => seen.push('last again'));
      work.gather(() => seen.push('gathered by the last'));
    });
  });
  await turns(seen, 2);
  const second = ['gathered again', 'gathered by the last', 'last again'];
  expect([seen.slice(0, 2), [...seen.slice(2, 5)].sort(), seen[5]]).toEqual([
    ['last', 'turn 1'],
    second.sort(),
    'turn 2',
  ]);
});

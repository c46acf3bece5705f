/** One task at a time, in order, whatever becomes of the one before. */
import { SerialQueue } from './serial-queue';

it('runs tasks one after the other in the order given', async () => {
  const queue = new SerialQueue();
  const seen: string[] = [];
  let open = (): void => undefined;
  const first = queue.run(async () => {
    seen.push('first starts');
    await new Promise<void>((resolve) => {
      open = resolve;
    });
    seen.push('first ends');
    return 1;
  });
  const second = queue.run(() => {
    seen.push('second');
    return 2;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual(['first starts']);
  open();
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(seen).toEqual(['first starts', 'first ends', 'second']);
});

it('goes on after a task that fails, and tells only its own caller', async () => {
  const queue = new SerialQueue();
  const failed = queue.run(() => Promise.reject(new Error('broken')));
  const next = queue.run(() => 'fine');
  await expect(failed).rejects.toThrow('broken');
  expect(await next).toBe('fine');
});

it('is idle when everything has ended', async () => {
  const queue = new SerialQueue();
  let ended = false;
  const task = queue.run(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    ended = true;
  });
  await queue.idle();
  expect(ended).toBe(true);
  await task;
});

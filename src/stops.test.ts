/** Newest first, all of them, whatever fails. */
import { Stops } from './stops';

it('undoes the newest first, goes on where one fails, and throws the first failure at the end', async () => {
  const stops = new Stops();
  const done: string[] = [];
  stops.add(() => void done.push('first'));
  stops.add(async () => {
    done.push('second');
    throw new Error('second');
  });
  stops.add(() => {
    throw new Error('third');
  });
  stops.add(({ onProgress }) => onProgress?.(1, 2));
  const progress: number[][] = [];
  const stopped = stops.run({ onProgress: (...counts) => void progress.push(counts) });
  await expect(stopped).rejects.toThrow('third');
  expect([done, progress]).toEqual([['second', 'first'], [[1, 2]]]);
  await stops.run();
  expect(done).toHaveLength(2);
});

/** The gate before a log: order of those who wait, and waiting for those who are inside. */
import { settle } from '../testing/manual-clock';
import { LogGate } from './log-gate';

it('lets through at once while it is open', async () => {
  const gate = new LogGate();
  const seen: string[] = [];
  const first = gate.pass(async () => void seen.push('first'));
  seen.push('then');
  await first;
  expect([seen, gate.isClosed]).toEqual([['first', 'then'], false]);
});

it('keeps the order of those who came while it was closed, also against those who come when it opens', async () => {
  const gate = new LogGate();
  const seen: string[] = [];
  let open = (): void => undefined;
  const closed = gate.whileClosed(() => new Promise<void>((resolve) => (open = resolve)));
  const come = (name: string) => gate.pass(async () => void seen.push(name));
  const waiting = [come('a'), come('b'), gate.stay(async () => void seen.push('c'))];
  await settle();
  expect([seen, gate.isClosed]).toEqual([[], true]);
  open();
  await closed;
  waiting.push(come('d'));
  await Promise.all(waiting);
  expect([seen, gate.isClosed]).toEqual([['a', 'b', 'c', 'd'], false]);
});

it('waits for guests before it runs, and opens after a failure', async () => {
  const gate = new LogGate();
  const seen: string[] = [];
  let leave = (): void => undefined;
  const guest = gate.stay(() => new Promise<void>((resolve) => (leave = resolve)));
  const closed = gate.whileClosed(async () => {
    seen.push('inside');
    throw new Error('failed');
  });
  await settle();
  expect([seen, gate.isClosed]).toEqual([[], true]);
  leave();
  await guest;
  await expect(closed).rejects.toThrow('failed');
  expect([seen, gate.isClosed]).toEqual([['inside'], false]);
});

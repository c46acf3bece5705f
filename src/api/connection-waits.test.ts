/** Cancellations run at most once, and only while their request has no answer. */
import { growthOfOldBytes } from '../testing/old-generation';
import { ConnectionWaits } from './connection-waits';

it('runs the cancellations of unanswered requests once, and later ones at once', () => {
  const waits = new ConnectionWaits();
  const ran: string[] = [];
  const [open, answered] = [waits.begin(), waits.begin()];
  open.onCancel(() => ran.push('open'));
  answered.onCancel(() => ran.push('answered'));
  answered.end();
  waits.cancel();
  waits.cancel();
  expect(ran).toEqual(['open']);
  open.onCancel(() => ran.push('more'));
  waits.begin().onCancel(() => ran.push('late'));
  expect(ran).toEqual(['open', 'more', 'late']);
});

it('lets the waits of answered requests die young', () => {
  const waits = new ConnectionWaits();
  waits.begin();
  const growthBytes = growthOfOldBytes(() => {
    const content = new Array(100).fill(0);
    const wait = waits.begin();
    wait.onCancel(() => void content.length);
    wait.end();
  }, 100_000);
  expect(growthBytes).toBeLessThan(1e6);
});

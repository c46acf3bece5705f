/** Cancellations run at most once, and only while their request has no answer. */
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

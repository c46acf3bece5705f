/** Topic changes of one request: refused or counted, and the pause that is left when the answer goes. */
import { ManualClock } from '../testing/manual-clock';
import { MutationQuota } from './mutation-quota';
import { TokenBucket } from './token-bucket';

const WINDOWS = { count: 11, sizeMs: 1000 };
const LIMIT = 2;

let clock: ManualClock;
let bucket: TokenBucket;

beforeEach(() => {
  clock = new ManualClock();
  bucket = new TokenBucket(WINDOWS);
});

function request(isStrict: boolean): MutationQuota {
  return new MutationQuota({ bucket, limit: LIMIT, isStrict, clock });
}

it('strict: what overdraws passes without a pause, what comes behind is refused until the debt is paid', async () => {
  const first = request(true);
  expect([first.admits(10), first.admits(20), first.pauseMs]).toEqual([true, true, 0]);
  expect([first.admits(1), first.pauseMs]).toEqual([false, 4000]);
  await clock.advance(1500);
  expect(first.pauseMs).toBe(2500);
  const second = request(true);
  expect([second.admits(1), second.pauseMs]).toEqual([false, 2500]);
  await clock.advance(2500);
  expect([request(true).admits(1), second.pauseMs]).toEqual([true, 0]);
});

it('permissive: everything passes, and the client pauses', async () => {
  const first = request(false);
  expect([first.admits(22), first.pauseMs]).toEqual([true, 0]);
  expect([first.admits(6), first.pauseMs]).toEqual([true, 3000]);
  expect([request(true).admits(1), request(false).admits(2), first.admits(0), first.pauseMs]).toEqual([
    false,
    true,
    true,
    4000,
  ]);
});

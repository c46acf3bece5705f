/** Counts by API and version, and the parts of a request's time. */
import { ApiKey } from '../codec/generated/apis';
import { measuredRequest } from '../testing/measured-request';
import { RequestNumbers } from './request-numbers';

it('counts answered requests by API and version', () => {
  const numbers = new RequestNumbers();
  for (const [key, version] of [
    [ApiKey.Metadata, 12],
    [ApiKey.Produce, 3],
    [ApiKey.Metadata, 12],
    [ApiKey.Metadata, 0],
  ] as const) {
    numbers.onAnswer(measuredRequest(key, { version }));
  }
  const counts = numbers.apis().map(({ name, countByVersion }) => [name, Object.entries(countByVersion)]);
  expect(counts).toEqual([
    ['Produce', [['3', 1]]],
    [
      'Metadata',
      [
        ['0', 1],
        ['12', 2],
      ],
    ],
  ]);
});

it('knows each part of the time, of what went out', () => {
  const numbers = new RequestNumbers();
  const parts = { queuedMs: 1, loopMs: 2, waitedMs: 40, heldBackMs: 8, sendMs: 16, throttleMs: 32 };
  numbers.onSent(measuredRequest(ApiKey.Fetch, parts));
  const { times } = numbers.apis()[0]!;
  const sums = Object.entries(times).map(([name, histogram]) => [name, histogram.sumMs, histogram.count]);
  expect(sums).toEqual([
    ['totaltimems', 67, 1],
    ['requestqueuetimems', 1, 1],
    ['localtimems', 2, 1],
    ['remotetimems', 40, 1],
    ['responsequeuetimems', 8, 1],
    ['responsesendtimems', 16, 1],
    ['throttletimems', 32, 1],
  ]);
});

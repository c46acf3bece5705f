/** What is read from the line that `load.c` ends with. */
import { parseLoadResult } from './load-result';

const LINE =
  'requests=10 unsent=2 sentBytes=100 receivedBytes=200 batches=3 closed=0 seconds=1.5 cpuSeconds=0.1 ' +
  'p50Us=1.5 p99Us=2 p999Us=3 maxUs=4';

test('all figures are read', () => {
  expect(parseLoadResult(`${LINE}\n`)).toEqual({
    requests: 10,
    unsent: 2,
    sentBytes: 100,
    receivedBytes: 200,
    batches: 3,
    closed: 0,
    seconds: 1.5,
    cpuSeconds: 0.1,
    latency: { p50Us: 1.5, p99Us: 2, p999Us: 3, maxUs: 4 },
  });
});

test('end to end is there when it was measured', () => {
  const line = `${LINE} endToEnd.p50Us=5 endToEnd.p99Us=6 endToEnd.p999Us=7 endToEnd.maxUs=8`;
  expect(parseLoadResult(line).endToEnd).toEqual({ p50Us: 5, p99Us: 6, p999Us: 7, maxUs: 8 });
});

test('a figure that is missing is named', () => {
  expect(() => parseLoadResult(LINE.replace('seconds=1.5', ''))).toThrow('did not tell seconds');
});

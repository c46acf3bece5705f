/** What is read from the table of `rdkafka_performance`. */
import { consumed, lastRow, produced } from './rdkafka-load';

/** As the program writes a row: each cell eleven wide, nothing behind the last but a blank. */
function row(...cells: readonly (string | number)[]): string {
  return cells.map((cell) => `| ${String(cell).padStart(10)} `).join('');
}

const PRODUCED = [
  '% Sending 300000 messages of size 1024 bytes',
  row('elapsed', 'msgs', 'bytes', 'rtt', 'dr', 'dr_m/s', 'dr_MB/s', 'dr_err', 'tx_err', 'outq', 'offset'),
  row(1000, 168733, 172782592, 61, 68733, 68683, '70.33', 0, 132, 100000, 68732),
  '% 371 backpressures for 300000 produce calls: 0.124% backpressure rate',
  row(4520, 300000, 307200000, 73, 300000, 66365, '67.96', 0, 371, 0, 299999),
].join('\n');
const CONSUMED = [
  row('elapsed', 'msgs', 'bytes', 'rtt', 'm/s', 'MB/s', 'rx_err', 'offset'),
  row(0, 0, 0, 0, 0, '0.00', 0, 0),
  row(2075, 300000, 307200000, 7, 144577, '148.05', 0, 299999),
  '% Average application fetch latency: 8us',
].join('\n');

test('the last row counts', () => {
  expect(produced(PRODUCED, 300_000)).toEqual({ records: 300_000, bytes: 307_200_000, ms: 4520 });
  expect(consumed(CONSUMED, 300_000)).toEqual({ records: 300_000, bytes: 307_200_000, ms: 2075 });
});

test('records that are missing and deliveries that failed are no result', () => {
  expect(() => produced(PRODUCED, 300_001)).toThrow('300000 of 300001 delivered, 0 failed');
  expect(() => produced(PRODUCED.replaceAll('|          0 |', '|          2 |'), 300_000)).toThrow('2 failed');
  expect(() => consumed(CONSUMED, 300_001)).toThrow('300000 of 300001 read, 0 errors');
  expect(consumed(CONSUMED, 299_999).records).toBe(300_000);
});

test('a table that is not there is said', () => {
  expect(() => lastRow('% no broker\n', 11)).toThrow('unexpected:\n% no broker');
});

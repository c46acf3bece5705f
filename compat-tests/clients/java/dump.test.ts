/** Sound output passes, everything else is a complaint. */
import { dumpComplaints } from './dump';

it('takes what the tool prints of sound files', () => {
  const said = [
    'Dumping /d/t-0/00000000000000000000.log',
    'Log starting offset: 0',
    'baseOffset: 0 lastOffset: 0 count: 1 position: 0 compresscodec: none crc: 391 isvalid: true',
    '| offset: 0 CreateTime: 1 keySize: 1 valueSize: 2 sequence: 0 headerKeys: [] payload: 1',
    'offset: 54 position: 4159',
    'timestamp: 1796052574699 offset: 17',
    '/d/t-0/00000000000000000000.index is empty.',
    'producerId: 3 producerEpoch: 0 coordinatorEpoch: -1',
    '',
  ];
  expect(dumpComplaints(said.join('\n'))).toEqual([]);
});

it('takes nothing else', () => {
  const said = [
    'baseOffset: 0 lastOffset: 0 count: 1 position: 0 compresscodec: none crc: 391 isvalid: false',
    'Mismatches in :/d/t-0/00000000000000000000.index',
    '  Index offset: 1, log offset: 2',
    'Found 3 invalid bytes at the end of 00000000000000000000.log',
  ];
  expect(dumpComplaints(said.join('\n'))).toEqual(said);
});

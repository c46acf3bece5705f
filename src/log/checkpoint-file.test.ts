/** The text files in Kafka's formats, good and damaged ones. */
import { ZERO_UUID } from '../base/random';
import { FaultyFileSystem } from '../testing/faulty-file-system';
import { TOPIC_ID } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import {
  formatEpochs,
  formatOffsets,
  parseEpochs,
  parseOffsets,
  partitionOfDirectory,
  readIfPresent,
  readTopicId,
  writeTopicId,
} from './checkpoint-file';
import { MemoryFileSystem } from './memory-file-system';
import { OpenFiles } from './open-files';

describe('offset checkpoints', () => {
  it('are what Kafka writes', () => {
    const offsets: [{ topic: string; partition: number }, number][] = [
      [{ topic: 'a-b', partition: 0 }, 12],
      [{ topic: '__consumer_offsets', partition: 49 }, 0],
    ];
    const content = formatOffsets(offsets);
    expect(content.toString()).toBe('0\n2\na-b 0 12\n__consumer_offsets 49 0\n');
    expect(parseOffsets(content)).toEqual(
      new Map([
        ['a-b-0', 12],
        ['__consumer_offsets-49', 0],
      ]),
    );
    expect(parseOffsets(formatOffsets([]))).toEqual(new Map());
  });

  it.each([
    '',
    '1\n0\n',
    '0\n1\n',
    '0\n2\na 0 1\n',
    '0\n1\na 0\n',
    '0\n1\na 0 x\n',
    '0\n1\na 0 1 2\n',
    '0\nx\n',
    '\0\0\0\0',
  ])('are refused when damaged: %j', (text) => expect(parseOffsets(Buffer.from(text))).toBeUndefined());
});

describe('epoch checkpoints', () => {
  it('are what Kafka writes', () => {
    const epochs = [
      { epoch: 0, startOffset: 0 },
      { epoch: 7, startOffset: 300 },
    ];
    expect(formatEpochs(epochs).toString()).toBe('0\n2\n0 0\n7 300\n');
    expect(parseEpochs(formatEpochs(epochs))).toEqual(epochs);
    expect(parseEpochs(Buffer.from('0\n1\n3\n'))).toBeUndefined();
  });
});

describe('partition metadata', () => {
  const files = new MemoryFileSystem(new ManualClock());
  files.createDirectory('/d');

  it('keeps the topic id', () => {
    expect(readTopicId(files, '/d')).toBe(ZERO_UUID);
    writeTopicId(new OpenFiles(files, 10), '/d', TOPIC_ID);
    expect(readTopicId(files, '/d')).toBe(TOPIC_ID);
    files.writeFile('/d/partition.metadata', Buffer.from(`version: 0\ntopic_id: ${TOPIC_ID}`));
    expect(readTopicId(files, '/d')).toBe(TOPIC_ID);
  });

  it.each(['', 'version: 1\ntopic_id: x', `version: 0\ntopic_id: ${TOPIC_ID}extra`])(
    'is unknown when damaged: %j',
    (text) => {
      files.writeFile('/d/partition.metadata', Buffer.from(text));
      expect(readTopicId(files, '/d')).toBe(ZERO_UUID);
    },
  );
});

it('reads a file that may be missing', () => {
  const files = new MemoryFileSystem(new ManualClock());
  expect(readIfPresent(files, '/none')).toBeUndefined();
  expect(() => readIfPresent(files, '/')).toThrow('EISDIR');
});

it.each([
  ['a-0', { topic: 'a', partition: 0 }],
  ['a-b-12', { topic: 'a-b', partition: 12 }],
  ['a', undefined],
  ['a-b', undefined],
  ['a-0.0123-delete', undefined],
  ['a-0.0123-future', undefined],
  ['a-0.0123-stray', undefined],
  ['__cluster_metadata-0', undefined],
])('takes directory %s for %j', (name, expected) => expect(partitionOfDirectory(name)).toEqual(expected));

it.each(['write', 'rename'] as const)('keeps the topic id whole where a %s fails', (on) => {
  const disk = new FaultyFileSystem(new ManualClock());
  disk.createDirectory('/data/t-0');
  writeTopicId(new OpenFiles(disk, 10), '/data/t-0', TOPIC_ID);
  const full = disk.inject({ on, code: 'ENOSPC', path: /metadata/, partialBytes: 20 });
  expect(() => writeTopicId(new OpenFiles(disk, 10), '/data/t-0', ZERO_UUID)).toThrow('ENOSPC');
  full.lift();
  expect(readTopicId(disk, '/data/t-0')).toBe(TOPIC_ID);
});

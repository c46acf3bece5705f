/**
 * Kafka's dump tool (`kafka-dump-log`, class DumpLogSegments): what the files of a partition hold, a line an entry.
 * Owns the choice by the name of the file, and what is said at the end about all of them. It prints what is there and
 * goes on where something is wrong; whether a data directory is sound is asked of verify.
 */
import { basename, resolve } from 'node:path';
import { MalformedMessage } from '../codec/malformed';
import { LEADER_EPOCH_CHECKPOINT } from '../log/checkpoint-file';
import { type FileSystem, FileSystemError } from '../log/file-system';
import {
  LOG_SUFFIX,
  OFFSET_INDEX_SUFFIX,
  offsetOfFileName,
  SNAPSHOT_SUFFIX,
  TIME_INDEX_SUFFIX,
  TRANSACTION_INDEX_SUFFIX,
} from '../log/log-file-name';
import { BatchDump, type DumpBatchesOptions } from './dump-batches';
import {
  type DumpIndexOptions,
  dumpLeaderEpochs,
  dumpOffsetIndex,
  dumpProducerSnapshot,
  dumpTimeIndex,
  dumpTransactionIndex,
  type IndexFiles,
  type IndexMismatches,
} from './dump-indexes';
import type { DumpOutput } from './dump-output';

export interface DumpOptions extends DumpBatchesOptions, DumpIndexOptions {}

const KRAFT_SUFFIX = '.checkpoint';
const BOOTSTRAP_NAME = 'bootstrap.checkpoint';

/** What is told at the end, by the path of the file. */
interface Complaints {
  readonly gaps: Map<string, readonly [number, number][]>;
  readonly indexes: Map<string, IndexMismatches>;
}

/** Dumps `names` one after the other; false when one of them could not be read. */
export async function dumpLog(
  fileSystem: FileSystem,
  names: readonly string[],
  { options, output }: { options: DumpOptions; output: DumpOutput },
): Promise<boolean> {
  const complaints: Complaints = { gaps: new Map(), indexes: new Map() };
  let allRead = true;
  for (const name of names) {
    output.line(`Dumping ${name}`);
    try {
      await dumpFile({ fileSystem, name, path: resolve(name) }, { options, output, complaints });
    } catch (error) {
      if (!(error instanceof FileSystemError || error instanceof MalformedMessage)) throw error;
      output.problem(`Cannot read ${name}: ${error.message}`);
      allRead = false;
    }
    await output.drained();
  }
  complain(complaints, output);
  await output.drained();
  return allRead;
}

interface DumpContext {
  readonly options: DumpOptions;
  readonly output: DumpOutput;
  readonly complaints: Complaints;
}

type NamedFile = Pick<IndexFiles, 'fileSystem' | 'name' | 'path'>;

async function dumpFile(file: NamedFile, context: DumpContext): Promise<void> {
  const { output, options, complaints } = context;
  const fileName = basename(file.path);
  const suffix = /\.[^.]*$/.exec(fileName)?.[0] ?? '';
  if (fileName === LEADER_EPOCH_CHECKPOINT) return dumpLeaderEpochs(file, output);
  if (suffix === KRAFT_SUFFIX) return dumpBatches(file, context, kraftLine(fileName));
  const baseOffset = offsetOfFileName(fileName, suffix);
  if (baseOffset === undefined) return output.problem(`Ignoring unknown file ${file.name}`);
  const files = { ...file, baseOffset };
  switch (suffix) {
    case LOG_SUFFIX:
      return dumpBatches(file, context, `Log starting offset: ${baseOffset}`);
    case OFFSET_INDEX_SUFFIX:
      complaints.indexes.set(file.path, await dumpOffsetIndex(files, options, output));
      return;
    case TIME_INDEX_SUFFIX:
      complaints.indexes.set(file.path, await dumpTimeIndex(files, options, output));
      return;
    case TRANSACTION_INDEX_SUFFIX:
      return dumpTransactionIndex(files, output);
    case SNAPSHOT_SUFFIX:
      return dumpProducerSnapshot(file, output);
    default:
      output.problem(`Ignoring unknown file ${file.name}`);
  }
}

function kraftLine(fileName: string): string {
  if (fileName === BOOTSTRAP_NAME) return 'KRaft bootstrap snapshot';
  const [, offset, epoch] = /^(\d{20})-(\d{10})\./.exec(fileName) ?? [];
  return `Snapshot end offset: ${Number(offset)}, epoch: ${Number(epoch)}`;
}

async function dumpBatches(
  { fileSystem, path }: NamedFile,
  { options, output, complaints }: DumpContext,
  firstLine: string,
): Promise<void> {
  output.line(firstLine);
  const handle = fileSystem.open(path, 'read');
  try {
    const gaps = await new BatchDump({ handle, name: basename(path) }, options, output).run();
    if (gaps.length > 0) complaints.gaps.set(path, gaps);
  } finally {
    handle.close();
  }
}

type Pairs = readonly (readonly [number, number])[];

function complain({ gaps, indexes }: Complaints, output: DumpOutput): void {
  const about = (title: string, select: (found: IndexMismatches) => Pairs, line: PairLine): void => {
    for (const [path, mismatches] of indexes)
      complainOf({ title: title + path, pairs: select(mismatches) }, line, output);
  };
  about(
    'Mismatches in :',
    ({ offsets }) => [...offsets].reverse(),
    (index, log) => `  Index offset: ${index}, log offset: ${log}`,
  );
  about(
    'Found timestamp mismatch in :',
    ({ timestamps }) => timestamps,
    (index, log) => `  Index timestamp: ${index}, log timestamp: ${log}`,
  );
  about(
    'Found out of order timestamp in :',
    ({ disorder }) => disorder,
    (index, previous) => `  Index timestamp: ${index}, Previously indexed timestamp: ${previous}`,
  );
  about(
    'The following indexed offsets are not found in :',
    ({ notFound }) => notFound,
    (index, log) => `Indexed offset: ${index}, found log offset: ${log}`,
  );
  for (const [path, pairs] of gaps)
    complainOf(
      { title: `Non-consecutive offsets in ${path}`, pairs },
      (one, other) => `  ${one} is followed by ${other}`,
      output,
    );
}

type PairLine = (one: number, other: number) => string;

function complainOf({ title, pairs }: { title: string; pairs: Pairs }, line: PairLine, output: DumpOutput): void {
  if (pairs.length === 0) return;
  output.problem(title);
  for (const [one, other] of pairs) output.problem(line(one, other));
}

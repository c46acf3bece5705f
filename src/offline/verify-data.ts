/**
 * Checks data directories as a whole while no broker works on them: identity, metadata, checkpoints, and every
 * partition byte by byte. Changes nothing. The directories of one broker belong together: what one lacks may be in
 * another.
 */
import { basename, join } from 'node:path';
import { ZERO_UUID } from '../base/random';
import { err, ok, type Result } from '../base/result';
import { partitionKey } from '../base/topic-partition';
import {
  CLEANER_OFFSET_CHECKPOINT,
  HIGH_WATERMARK_CHECKPOINT,
  LOG_START_OFFSET_CHECKPOINT,
  PARTITION_METADATA_FILE,
  partitionOfDirectory,
  RECOVERY_POINT_CHECKPOINT,
  readIfPresent,
  readTopicId,
} from '../log/checkpoint-file';
import { type FileSystem, FileSystemError } from '../log/file-system';
import { LOG_SUFFIX } from '../log/log-file-name';
import { readMetaProperties } from '../log/meta-properties';
import { type DataDirectoryContent, type FoundPartition, readDataDirectory } from './data-directory-content';
import { type Finding, Findings, type Severity } from './finding';
import { type KnownTopics, NOTHING_KNOWN, readKnownTopics } from './known-topics';
import { PartitionCheck } from './partition-check';

export interface VerifyOptions {
  readonly fileSystem: FileSystem;
  /** All data directories of a broker, absolute, the first one of `log.dirs` first. */
  readonly directories: readonly string[];
  readonly onFinding: (finding: Finding) => void;
  /** Told now and then how far it is. */
  readonly onProgress?: (at: {
    readonly bytes: number;
    readonly totalBytes: number;
    readonly partition: string;
  }) => void;
}

export interface VerifySummary {
  readonly partitions: number;
  /** Of partitions, on their way to another directory. */
  readonly copies: number;
  /** Directories that were not looked into; a note tells of each. */
  readonly skipped: number;
  /** Of segments. */
  readonly bytes: number;
  readonly problems: number;
  readonly notes: number;
}

const NO_START = 'the broker does not start';

/** The error says why there is nothing to check. */
export async function verifyData(options: VerifyOptions): Promise<Result<VerifySummary, string>> {
  const { fileSystem, directories } = options;
  const findings = new Findings(options.onFinding);
  try {
    for (const path of directories) {
      const refusal = refusalOf(fileSystem, path);
      if (refusal !== undefined) return err(refusal);
    }
    const contents = directories.map((path) => readDataDirectory(fileSystem, path, findings));
    const known = await readKnownTopics(fileSystem, directories);
    if (!known.ok) findings.add({ severity: 'problem', file: directories[0]!, what: known.error, atStart: NO_START });
    const topics = known.ok ? known.value : NOTHING_KNOWN;
    checkIdentity(options, topics, findings);
    checkPlaces(contents, topics, findings);
    const verified = await verifyPartitions(options, { contents, topics, findings });
    findings.end();
    return ok({ ...verified, problems: findings.problems, notes: findings.notes });
  } catch (error) {
    if (error instanceof FileSystemError) return err(error.message);
    throw error;
  }
}

/** Why a path cannot be checked, undefined when it can. */
function refusalOf(fileSystem: FileSystem, path: string): string | undefined {
  const status = fileSystem.stat(path);
  if (!status) return `${path} does not exist`;
  if (!status.isDirectory) return `${path} is no directory: name data directories (log.dirs), not files in them`;
  const entries = fileSystem.list(path);
  if (entries.some(({ name, isDirectory }) => !isDirectory && name.endsWith(LOG_SUFFIX)))
    return `${path} is the directory of a partition: name the data directory around it`;
  const isData = entries.some(({ name, isDirectory }) =>
    isDirectory ? isPartition(fileSystem, path, name) : /^(meta\.properties$|odradek-metadata\.)/.test(name),
  );
  return isData ? undefined : `${path} is no data directory: it has neither meta.properties nor partitions`;
}

/** By its name and by what is in it: other programs have directories that end in a number as well. */
function isPartition(fileSystem: FileSystem, path: string, name: string): boolean {
  if (!partitionOfDirectory(name)) return false;
  return fileSystem.list(join(path, name)).some((file) => /\.log$|^partition\.metadata$/.test(file.name));
}

function checkIdentity({ fileSystem, directories }: VerifyOptions, known: KnownTopics, findings: Findings): void {
  const tornBytes = known.stored?.tornBytes ?? 0;
  if (tornBytes > 0) {
    const what = `${tornBytes} bytes of a line that was never acknowledged at its end`;
    findings.add({ severity: 'note', file: known.source, what, atStart: 'wiped out' });
  }
  let clusterId = known.stored?.clusterId;
  let brokerId: number | undefined;
  for (const path of directories) {
    const file = join(path, 'meta.properties');
    const problem = (what: string): void => findings.add({ severity: 'problem', file, what, atStart: NO_START });
    const meta = readMetaProperties(fileSystem, path);
    if (!meta.ok) problem(meta.error);
    else if (!meta.value) {
      const atStart = 'made anew, with the cluster id that the metadata say';
      findings.add({ severity: 'problem', file, what: 'is missing', atStart });
    } else {
      const { clusterId: ownCluster, brokerId: ownBroker } = meta.value;
      if (clusterId !== undefined && ownCluster !== undefined && ownCluster !== clusterId)
        problem(`cluster.id is ${ownCluster}, and elsewhere ${clusterId}`);
      if (brokerId !== undefined && ownBroker !== undefined && ownBroker !== brokerId)
        problem(`the broker is ${ownBroker}, and in another directory ${brokerId}`);
      clusterId ??= ownCluster;
      brokerId ??= ownBroker;
    }
  }
}

/** Every partition in one place, and only those of topics. */
function checkPlaces(contents: readonly DataDirectoryContent[], known: KnownTopics, findings: Findings): void {
  const paths = new Map<string, string>();
  for (const { topicPartition, path } of contents.flatMap(({ partitions }) => partitions)) {
    const key = partitionKey(topicPartition.topic, topicPartition.partition);
    const other = paths.get(key);
    if (other !== undefined)
      findings.add({ severity: 'problem', file: path, what: `the partition is in ${other}, too`, atStart: NO_START });
    paths.set(key, path);
  }
  for (const [name, { partitions }] of known.topics ?? []) {
    for (let partition = 0; partition < partitions; partition++) {
      const key = partitionKey(name, partition);
      if (paths.has(key)) continue;
      const what = `${known.source} knows the partition, and it is in no directory that was named`;
      // The end of a process may come between the two.
      const severity = contents.every(({ hadCleanShutdown }) => hadCleanShutdown) ? 'problem' : 'note';
      findings.add({ severity, file: join(contents[0]!.path, key), what, atStart: 'an empty one is made' });
    }
  }
}

interface Verified {
  readonly contents: readonly DataDirectoryContent[];
  readonly topics: KnownTopics;
  readonly findings: Findings;
}

async function verifyPartitions(
  { fileSystem, onProgress }: VerifyOptions,
  { contents, topics, findings }: Verified,
): Promise<Omit<VerifySummary, 'problems' | 'notes'>> {
  const partitions = contents.flatMap((content) => content.partitions.map((partition) => ({ content, partition })));
  const places = new Set(partitions.map(({ partition: { path } }) => basename(path)));
  const copies = contents.flatMap((content) => content.copies.map((partition) => ({ content, partition })));
  const all = [...partitions, ...copies];
  const totalBytes = all.reduce((sum, { partition }) => sum + partition.bytes, 0);
  let bytes = 0;
  for (const { content, partition } of all) {
    const { topic, partition: number } = partition.topicPartition;
    const key = partitionKey(topic, number);
    const progress = (more: number): void => {
      bytes += more;
      onProgress?.({ bytes, totalBytes, partition: key });
    };
    progress(0);
    checkTopicId(fileSystem, partition, { known: topics, findings, hadCleanShutdown: content.hadCleanShutdown });
    // Without the partition itself, the copy is what a start takes for it.
    const isCopy = content.copies.includes(partition) && places.has(key);
    if (content.copies.includes(partition)) {
      const [what, atStart] = isCopy
        ? ['a copy on its way here; its newest segment is not looked into', 'copied on, that segment anew']
        : ['a copy whose partition is gone', 'takes the place of the partition, if that waits for its removal'];
      findings.add({ severity: 'note', file: partition.path, what, atStart });
    }
    try {
      const check = { content, partition, isCopy, mayHaveGaps: mayHaveGaps(topics, content, partition) };
      await partitionCheck(check, { fileSystem, findings, progress }).run();
    } catch (error) {
      if (!(error instanceof FileSystemError)) throw error;
      const atStart = 'the partition is offline until the next start';
      findings.add({ severity: 'problem', file: partition.path, what: error.message, atStart });
    }
  }
  const skipped = contents.reduce((sum, content) => sum + content.skipped, 0);
  return { partitions: partitions.length, copies: copies.length, skipped, bytes: totalBytes };
}

function partitionCheck(
  {
    content,
    partition,
    isCopy,
    mayHaveGaps: gaps,
  }: { content: DataDirectoryContent; partition: FoundPartition; isCopy: boolean; mayHaveGaps: boolean },
  context: ConstructorParameters<typeof PartitionCheck>[0],
): PartitionCheck {
  const { topic, partition: number } = partition.topicPartition;
  const offset = (name: string): number | undefined => content.offsets.get(name)?.get(partitionKey(topic, number));
  return new PartitionCheck(context, {
    directory: partition.path,
    // All but the newest segment of a copy are relied on however the broker ended.
    hadCleanShutdown: isCopy || content.hadCleanShutdown,
    mayHaveGaps: gaps,
    isCopy,
    checkpoints: {
      recoveryPoint: offset(RECOVERY_POINT_CHECKPOINT),
      logStartOffset: offset(LOG_START_OFFSET_CHECKPOINT),
      highWatermark: offset(HIGH_WATERMARK_CHECKPOINT),
      cleanOffset: offset(CLEANER_OFFSET_CHECKPOINT),
    },
  });
}

/** Where the topic is not known, or was compacted once, gaps may be right. */
function mayHaveGaps({ topics }: KnownTopics, content: DataDirectoryContent, partition: FoundPartition): boolean {
  const { topic, partition: number } = partition.topicPartition;
  const known = topics?.get(topic);
  if (!known || content.offsets.get(CLEANER_OFFSET_CHECKPOINT)?.has(partitionKey(topic, number))) return true;
  return known.configs.get('cleanup.policy')?.includes('compact') === true;
}

interface IdContext {
  readonly known: KnownTopics;
  readonly findings: Findings;
  readonly hadCleanShutdown: boolean;
}

function checkTopicId(
  fileSystem: FileSystem,
  { topicPartition, path }: FoundPartition,
  { known: { topics, deleting, source }, findings, hadCleanShutdown }: IdContext,
): void {
  const file = join(path, PARTITION_METADATA_FILE);
  const add = (severity: Severity, what: string, atStart: string): void =>
    findings.add({ severity, file, what, atStart });
  const id = readTopicId(fileSystem, path);
  const isThere = readIfPresent(fileSystem, file) !== undefined;
  const anew = 'taken for a log from before topic ids, and given that of the metadata';
  // The end of a process may come while it is written.
  if (isThere && id === ZERO_UUID) add(hadCleanShutdown ? 'problem' : 'note', 'has no topic id that can be read', anew);
  if (!isThere) add('note', 'is missing', anew);
  const { topic, partition } = topicPartition;
  if (deleting.has(topic)) add('note', `topic ${topic} is being deleted`, 'removed');
  if (!topics || deleting.has(topic)) return;
  const known = topics.get(topic);
  const aside = 'set aside: the directory gets a name that ends in -stray';
  if (!known) add('problem', `${source} knows no topic ${topic}`, aside);
  else if (partition >= known.partitions)
    add('problem', `topic ${topic} has ${known.partitions} partitions by ${source}, and this is ${partition}`, aside);
  else if (id !== ZERO_UUID && known.id !== ZERO_UUID && id !== known.id)
    add('problem', `the topic id is ${id}, and ${known.id} by ${source}`, aside);
}

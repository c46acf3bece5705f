/**
 * Makes data directories ready for a real Kafka 4.x, one KRaft node: its identity in `meta.properties`, and a snapshot
 * of `__cluster_metadata-0` that knows every topic here by its id; without it Kafka sets all logs aside. Logs, offsets
 * and producer state are Kafka's formats already. Either a copy is made, or the directories themselves change hands.
 * Invariant: until the last step of the latter, this broker starts on them as before.
 */
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import type { Clock } from '../base/clock';
import { type Random, randomUuid } from '../base/random';
import { err, ok, type Result } from '../base/result';
import { partitionKey } from '../base/topic-partition';
import { metadataPath, readStoredMetadata, type StoredMetadata } from '../cluster/stored-metadata';
import { partitionOfDirectory } from '../log/checkpoint-file';
import { type FileSystem, FileSystemError } from '../log/file-system';
import {
  CLUSTER_METADATA_DIRECTORY,
  DELETED_DIRECTORY_SUFFIX,
  FUTURE_DIRECTORY_SUFFIX,
  STRAY_DIRECTORY_SUFFIX,
} from '../log/log-file-name';
import { type MetaProperties, readMetaProperties, writeMetaProperties } from '../log/meta-properties';
import { type CopyProgress, copyDirectory } from './copy-directory';
import { kraftRecords } from './kraft-records';
import { kraftSnapshot, snapshotName } from './kraft-snapshot';

export interface ExportOptions {
  readonly fileSystem: FileSystem;
  readonly random: Random;
  readonly clock: Clock;
  /** All data directories of a broker, absolute, the first one of `log.dirs` first. No broker works on them. */
  readonly directories: readonly string[];
  /**
   * Where the copy goes, a directory that is empty or not there, free of symbolic links as the others; undefined: the
   * directories become Kafka's.
   */
  readonly target: string | undefined;
  /** The one name of a directory, free of symbolic links. */
  realPath(path: string): string;
  readonly onProgress?: CopyProgress;
}

export interface ExportSummary {
  readonly directories: readonly string[];
  readonly topics: number;
  readonly partitions: number;
  readonly clusterId: string;
  readonly brokerId: number;
  /** What an operator should hear of. */
  readonly remarks: readonly string[];
}

/** Ends the names of our files, and of the metadata of a former Kafka, once they are out of use. */
const RETIRED_SUFFIX = '.former';
const UUID = /^[A-Za-z0-9_-]{22}$/;
const METADATA_ENDINGS = ['.journal', '.snapshot'];

interface Source {
  /** Without topics whose deletion was decided. */
  readonly metadata: StoredMetadata;
  /** `partitionKey` of each partition of a topic. */
  readonly partitions: ReadonlySet<string>;
  readonly metas: readonly MetaProperties[];
  readonly clusterId: string;
  readonly brokerId: number;
}

/** The error is for the operator; nothing was changed then, but a copy may have begun. */
export async function exportData(options: ExportOptions): Promise<Result<ExportSummary, string>> {
  try {
    const source = await readSource(options);
    if (!source.ok) return source;
    const { target, directories } = options;
    if (target === undefined) return ok(await convert(options, source.value, directories));
    if (directories.length > 1) return err('several data directories cannot become one: export them in place');
    const refusal = targetRefusal(options, target, directories[0]!);
    if (refusal !== undefined) return err(refusal);
    await copyAll(options, source.value, target);
    return ok(await convert(options, source.value, [target]));
  } catch (error) {
    if (error instanceof FileSystemError) return err(error.message);
    throw error;
  }
}

async function readSource({ fileSystem, directories }: ExportOptions): Promise<Result<Source, string>> {
  const metas: MetaProperties[] = [];
  for (const path of directories) {
    if (!fileSystem.stat(path)?.isDirectory) return err(`${path} is no directory`);
    const meta = readMetaProperties(fileSystem, path);
    if (!meta.ok) return meta;
    if (!meta.value) return err(`${path} is no data directory of Odradek: it has no meta.properties`);
    metas.push(meta.value);
    const stranger = fileSystem.list(path).find(({ name, isDirectory }) => isDirectory && !isKafkaDirectory(name));
    if (stranger)
      return err(`Kafka does not start on directories other than partitions: move ${path}/${stranger.name} away`);
  }
  const path = metadataPath(directories[0]!);
  const stored = await readStoredMetadata(fileSystem, path);
  if (!stored.ok) return stored;
  if (!stored.value)
    return err(`${path}.journal is missing: name the data directory in which Odradek keeps its metadata`);
  const clusterId = stored.value.clusterId ?? metas[0]!.clusterId;
  const { brokerId } = metas[0]!;
  if (clusterId === undefined || brokerId === undefined) return err(`${directories[0]} does not tell whose it is`);
  const gone = new Set(stored.value.deletions.map(({ id }) => id));
  const topics = stored.value.topics.filter(({ id }) => !gone.has(id));
  const keys = topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partition }) => partitionKey(name, partition)),
  );
  return ok({ metadata: { ...stored.value, topics }, partitions: new Set(keys), metas, clusterId, brokerId });
}

function isKafkaDirectory(name: string): boolean {
  if (name === CLUSTER_METADATA_DIRECTORY || partitionOfDirectory(name)) return true;
  return [DELETED_DIRECTORY_SUFFIX, STRAY_DIRECTORY_SUFFIX, FUTURE_DIRECTORY_SUFFIX].some((end) => name.endsWith(end));
}

function targetRefusal(options: ExportOptions, target: string, source: string): string | undefined {
  const { fileSystem } = options;
  if (isWithin(target, source)) return `${target} lies within the data directory ${source}`;
  if (isWithin(source, target)) return `${target} holds the data directory ${source}`;
  // Partitions may be links to other disks.
  for (const { name, isDirectory } of fileSystem.list(source))
    if (isDirectory && isWithin(target, options.realPath(join(source, name))))
      return `${target} lies within a partition of the data directory, ${join(source, name)}`;
  const status = fileSystem.stat(target);
  if (!status) return undefined;
  if (!status.isDirectory) return `${target} is no directory`;
  return fileSystem.list(target).length > 0 ? `${target} is not empty` : undefined;
}

function isWithin(path: string, outer: string): boolean {
  const way = relative(outer, path);
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

/** The partitions of topics, and the files about them; what is ours or waits for its removal stays. */
async function copyAll(options: ExportOptions, { partitions }: Source, target: string): Promise<void> {
  const { fileSystem, directories, onProgress } = options;
  const ours = basename(metadataPath(''));
  const isWanted = (name: string, isDirectory: boolean): boolean =>
    isDirectory ? partitions.has(name) : !name.startsWith('.lock') && !name.startsWith(ours) && !name.endsWith('.tmp');
  await copyDirectory(fileSystem, { from: directories[0]!, to: target, onProgress }, isWanted);
}

/** A copy is another directory; one that had no id, or that of another one, gets its own. */
function directoryIdsOf(metas: readonly MetaProperties[], { random, target }: ExportOptions): string[] {
  const ids: string[] = [];
  for (const { directoryId } of metas) {
    const isUsable = target === undefined && directoryId !== undefined && UUID.test(directoryId);
    ids.push(isUsable && !ids.includes(directoryId) ? directoryId : randomUuid(random));
  }
  return ids;
}

/** Writes what Kafka lacks into `directories`, and retires what it must not see any more. */
async function convert(options: ExportOptions, source: Source, directories: readonly string[]): Promise<ExportSummary> {
  const { fileSystem, clock } = options;
  const { metadata, partitions, metas, clusterId, brokerId } = source;
  const directoryIds = directoryIdsOf(metas, options);
  for (const [at, path] of directories.entries())
    await writeMetaProperties(fileSystem, path, { version: 1, clusterId, brokerId, directoryId: directoryIds[at]! });

  const { values, remarks: said } = kraftRecords({
    brokerId,
    metadata,
    directoryId: (topic, partition) => {
      const name = partitionKey(topic, partition);
      const at = directories.findIndex((path) => fileSystem.stat(join(path, name)) !== undefined);
      return directoryIds[Math.max(0, at)]!;
    },
  });
  const remarks = [...said];
  await writeMetadataLog(fileSystem, directories[0]!, { values, timestampMs: clock.nowMs() });
  retireOwnFiles(fileSystem, directories[0]!);
  await fileSystem.syncDirectory(directories[0]!);
  const strays = directories.flatMap((path) =>
    fileSystem.list(path).filter(({ name }) => partitionOfDirectory(name) !== undefined && !partitions.has(name)),
  );
  if (strays.length > 0)
    remarks.push(`no topic has these partitions, Kafka sets them aside: ${strays.map(({ name }) => name).join(', ')}`);
  return { directories, topics: metadata.topics.length, partitions: partitions.size, clusterId, brokerId, remarks };
}

async function writeMetadataLog(
  fileSystem: FileSystem,
  directory: string,
  snapshot: { values: readonly Buffer[]; timestampMs: number },
): Promise<void> {
  const path = join(directory, CLUSTER_METADATA_DIRECTORY);
  fileSystem.createDirectory(path);
  for (const { name, isDirectory } of fileSystem.list(path))
    if (!isDirectory && !name.endsWith(RETIRED_SUFFIX))
      fileSystem.rename(join(path, name), join(path, name + RETIRED_SUFFIX));
  const content = kraftSnapshot(snapshot.values, snapshot.timestampMs);
  // As long as the records of the log would have been.
  await fileSystem.replaceFile(join(path, snapshotName(snapshot.values.length)), content, { durable: true });
}

/** From here on the directory is Kafka's: with these files, Odradek would go on from what it last knew. */
function retireOwnFiles(fileSystem: FileSystem, directory: string): void {
  const path = metadataPath(directory);
  for (const ending of METADATA_ENDINGS)
    if (fileSystem.stat(path + ending)) fileSystem.rename(path + ending, path + ending + RETIRED_SUFFIX);
}

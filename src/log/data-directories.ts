/**
 * Claims the data directories at the start: makes them, becomes their owner, and settles whose they are. The numbers in
 * `meta.properties` win over defaults and must agree with what is configured and with each other; new directories are
 * marked. Nothing of a directory is touched before it is owned, nor when it belongs to another broker or cluster.
 */
import { resolve } from 'node:path';
import { type DirectoryLock, lockDirectory, type StandInLock } from '../base/directory-lock';
import { type Random, randomUuid } from '../base/random';
import { err, ok, type Result } from '../base/result';
import { type FileSystem, FileSystemError } from './file-system';
import { type MetaProperties, readMetaProperties, writeMetaProperties } from './meta-properties';

export interface ClaimOptions {
  readonly fileSystem: FileSystem;
  /** As configured: relative ones start at the working directory. */
  readonly paths: readonly string[];
  readonly random: Random;
  /** As configured; undefined: that of the directories, or 1. */
  readonly brokerId: number | undefined;
  /** For new directories; undefined: a random one. */
  readonly clusterId?: string | undefined;
  /** What other files of the first directory say, for one that lost its `meta.properties`. */
  readonly storedClusterId?: ((directory: string) => Promise<Result<string | undefined, string>>) | undefined;
  /** Undefined where nobody else can see the directories (in memory). */
  readonly locking?:
    | {
        /** The one name of a directory, free of symbolic links. */
        realPath(path: string): string;
        readonly standIn: StandInLock;
      }
    | undefined;
}

export interface DataDirectories {
  /** Absolute, free of symbolic links; without those that failed. */
  readonly paths: readonly string[];
  /** All of them, in the order of the settings. */
  readonly all: readonly string[];
  /** Those that cannot be used; the first one, which holds the metadata, is not among them. */
  readonly failed: readonly FailedDirectory[];
  readonly brokerId: number;
  readonly clusterId: string;
  /** Whether none of them had belonged to a broker before. */
  readonly isNew: boolean;
  /** Gives up ownership. */
  release(): Promise<void>;
}

export interface FailedDirectory {
  readonly path: string;
  readonly reason: string;
}

const FIRST_BROKER_ID = 1;

interface Claimed {
  readonly path: string;
  readonly lock: DirectoryLock | undefined;
}

async function claim(
  o: ClaimOptions,
  configured: string,
  earlier: readonly Claimed[],
): Promise<Result<Claimed, string>> {
  const absolute = resolve(configured);
  o.fileSystem.createDirectory(absolute);
  const path = o.locking ? o.locking.realPath(absolute) : absolute;
  if (earlier.some((other) => other.path === path)) return err(`The data directory ${configured} is named twice`);
  if (!o.locking) return ok({ path, lock: undefined });
  const locked = await lockDirectory({ directory: path, standIn: o.locking.standIn });
  if (!locked.ok) return err(`The data directory ${path} ${locked.error}`);
  return ok({ path, lock: locked.value });
}

interface Identity {
  readonly brokerId: number;
  readonly clusterId: string;
}

/** Who the owner is by all directories together, or what does not fit. */
async function settle(
  o: ClaimOptions,
  firstPath: string,
  metas: ReadonlyMap<string, MetaProperties>,
): Promise<Result<Identity, string>> {
  let brokerId = o.brokerId;
  let brokerIdFrom = 'the configuration';
  let clusterId: string | undefined;
  let clusterIdFrom = '';
  for (const [path, meta] of metas) {
    if (meta.brokerId !== undefined && brokerId !== undefined && meta.brokerId !== brokerId) {
      return err(
        `The data directory ${path} belongs to broker ${meta.brokerId}, but ${brokerIdFrom} asks for ${brokerId}. ` +
          'Set broker.id (node.id) to the number of the directory, or use another directory',
      );
    }
    if (meta.clusterId !== undefined && clusterId !== undefined && meta.clusterId !== clusterId) {
      return err(
        `The data directory ${path} belongs to cluster ${meta.clusterId}, but ${clusterIdFrom} to ${clusterId}`,
      );
    }
    if (brokerId === undefined && meta.brokerId !== undefined) [brokerId, brokerIdFrom] = [meta.brokerId, path];
    if (clusterId === undefined && meta.clusterId !== undefined) [clusterId, clusterIdFrom] = [meta.clusterId, path];
  }
  if (clusterId === undefined) {
    const stored = (await o.storedClusterId?.(firstPath)) ?? ok(undefined);
    if (!stored.ok) return stored;
    clusterId = stored.value ?? o.clusterId ?? randomUuid(o.random);
  }
  return ok({ brokerId: brokerId ?? FIRST_BROKER_ID, clusterId });
}

/** Settles whose the directories are, and marks those that do not say it yet. */
async function identify(
  o: ClaimOptions,
  paths: readonly string[],
): Promise<Result<Identity & { isNew: boolean }, string>> {
  const metas = new Map<string, MetaProperties>();
  for (const path of paths) {
    const meta = readMetaProperties(o.fileSystem, path);
    if (!meta.ok) return meta;
    if (meta.value) metas.set(path, meta.value);
  }
  const identity = await settle(o, paths[0]!, metas);
  if (!identity.ok) return identity;
  for (const path of paths) {
    const meta = metas.get(path);
    if (meta?.brokerId !== undefined && meta.clusterId !== undefined) continue;
    await writeMetaProperties(o.fileSystem, path, {
      version: meta?.version ?? 1,
      ...identity.value,
      directoryId: meta ? meta.directoryId : randomUuid(o.random),
    });
  }
  return ok({ ...identity.value, isNew: metas.size === 0 });
}

/**
 * As `claim`, and looks whether the directory can be read. A disk that failed is left out and must not keep the others
 * from serving (Kafka: LogManager.createAndValidateLogDirs), but for the first directory.
 */
async function claimWorking(
  o: ClaimOptions,
  configured: string,
  earlier: readonly Claimed[],
): Promise<Result<Claimed | FailedDirectory, string>> {
  let lock: DirectoryLock | undefined;
  try {
    const claimed = await claim(o, configured, earlier);
    if (!claimed.ok) return claimed;
    lock = claimed.value.lock;
    readMetaProperties(o.fileSystem, claimed.value.path);
    o.fileSystem.list(claimed.value.path);
    return claimed;
  } catch (error) {
    await lock?.release();
    if (!(error instanceof FileSystemError) || earlier.length === 0) throw error;
    return ok({ path: resolve(configured), reason: error.message });
  }
}

/** Becomes the owner of all data directories; the error is for the operator, and leaves nothing owned. */
export async function claimDataDirectories(o: ClaimOptions): Promise<Result<DataDirectories, string>> {
  const claimed: Claimed[] = [];
  const failed: FailedDirectory[] = [];
  const all: string[] = [];
  const release = async (): Promise<void> => {
    for (const { lock } of claimed.reverse()) await lock?.release();
  };
  try {
    for (const configured of o.paths) {
      const one = await claimWorking(o, configured, claimed);
      if (!one.ok) {
        await release();
        return one;
      }
      all.push(one.value.path);
      if ('reason' in one.value) failed.push(one.value);
      else claimed.push(one.value);
    }
    const paths = claimed.map(({ path }) => path);
    const identified = await identify(o, paths);
    if (identified.ok) return ok({ paths, all, failed, ...identified.value, release });
    await release();
    return identified;
  } catch (error) {
    await release();
    if (error instanceof FileSystemError) return err(`The data directory cannot be used: ${error.message}`);
    throw error;
  }
}

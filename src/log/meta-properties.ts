/**
 * `meta.properties`: which broker of which cluster a data directory belongs to. Reads Kafka's versions 0 (ZooKeeper
 * era) and 1 (KRaft) and writes them back as they were; a new directory gets version 1. Owns the file alone, not the
 * decision what to do when it does not fit (data-directories.ts).
 */
import { join } from 'node:path';
import { err, ok, type Result } from '../base/result';
import { formatProperties, parseProperties } from '../config/properties';
import type { FileSystem } from './file-system';

export interface MetaProperties {
  readonly version: 0 | 1;
  readonly clusterId: string | undefined;
  readonly brokerId: number | undefined;
  readonly directoryId: string | undefined;
}

const FILE_NAME = 'meta.properties';

/** Name of the broker's number in each version. */
const BROKER_ID_KEY = ['broker.id', 'node.id'] as const;

function parseMeta(path: string, source: string): Result<MetaProperties, string> {
  const properties = parseProperties(source);
  const version = Number(properties.get('version') ?? 0);
  if (version !== 0 && version !== 1) return err(`${path} has the unknown version ${properties.get('version')}`);
  const idText = properties.get(BROKER_ID_KEY[version]);
  const clusterId = properties.get('cluster.id');
  if (idText !== undefined && !/^\d+$/.test(idText)) return err(`${path} has the broker number ${idText}`);
  if (version === 1 && (idText === undefined || clusterId === undefined)) {
    return err(`${path} lacks node.id or cluster.id`);
  }
  return ok({
    version,
    clusterId,
    brokerId: idText === undefined ? undefined : Number(idText),
    directoryId: properties.get('directory.id'),
  });
}

/** The content of the file in `directory`, undefined where there is none; the error is for the operator. */
export function readMetaProperties(
  fileSystem: FileSystem,
  directory: string,
): Result<MetaProperties | undefined, string> {
  const path = join(directory, FILE_NAME);
  if (!fileSystem.stat(path)) return ok(undefined);
  return parseMeta(path, fileSystem.readFile(path).toString('utf8'));
}

/** Writes the file so that a crash leaves the old one or the new one. */
export async function writeMetaProperties(
  fileSystem: FileSystem,
  directory: string,
  meta: MetaProperties,
): Promise<void> {
  const entries: [string, string][] = [['version', String(meta.version)]];
  if (meta.clusterId !== undefined) entries.push(['cluster.id', meta.clusterId]);
  if (meta.brokerId !== undefined) entries.push([BROKER_ID_KEY[meta.version], String(meta.brokerId)]);
  if (meta.directoryId !== undefined) entries.push(['directory.id', meta.directoryId]);
  const path = join(directory, FILE_NAME);
  await fileSystem.replaceFile(path, Buffer.from(formatProperties(entries)), { durable: true });
}

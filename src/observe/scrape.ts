/**
 * What the rows of the table of metrics read from: the parts of the broker, and what must be asked for once per scrape
 * because it takes time or counts from scrape to scrape.
 */
import type { BrokerServices } from '../api/broker-services';
import type { NetworkNumbers } from '../base/transport';
import { newListGroupsRequest } from '../codec/generated/16-list-groups';
import { type FileSystem, FileSystemError } from '../log/file-system';
import type { LogDirDescription } from '../log/log-dir-description';
import type { LogManager } from '../log/log-manager';
import type { LoopWatch } from './loop-watch';
import type { RequestNumbers } from './request-numbers';

export interface Sources {
  readonly services: Pick<
    BrokerServices,
    'brokerId' | 'clock' | 'metadata' | 'replicaManager' | 'groups' | 'fetchSessions' | 'telemetry' | 'describeLogDirs'
  >;
  readonly logManager: Pick<LogManager, 'logs' | 'flushTimes' | 'cleanerNumbers'>;
  readonly fileSystem: Pick<FileSystem, 'readFile'>;
  readonly network: () => NetworkNumbers;
  readonly requests: RequestNumbers;
  readonly loop: Pick<LoopWatch, 'takeIdleShare' | 'takeLongestHoldMs'>;
}

export interface Scrape extends Pick<Sources, 'services' | 'logManager' | 'requests'> {
  /** The monotonic clock's. */
  readonly nowMs: number;
  readonly network: NetworkNumbers;
  readonly logDirs: readonly LogDirDescription[];
  /** Groups by the name of their state. */
  readonly groupStates: ReadonlyMap<string, number>;
  readonly idleShare: number;
  readonly longestHoldMs: number;
  readonly disk: DiskBytes;
}

/** What Linux counts of this process. */
export interface DiskBytes {
  readonly readBytes: number;
  readonly writeBytes: number;
}

export async function openScrape(sources: Sources): Promise<Scrape> {
  const { services, logManager, requests, loop } = sources;
  const [logDirs, groupStates] = await Promise.all([services.describeLogDirs(), countGroups(services.groups)]);
  return {
    services,
    logManager,
    requests,
    nowMs: services.clock.monotonicMs(),
    network: sources.network(),
    logDirs,
    groupStates,
    idleShare: loop.takeIdleShare(),
    longestHoldMs: loop.takeLongestHoldMs(),
    disk: diskBytes(sources.fileSystem),
  };
}

async function countGroups(groups: BrokerServices['groups']): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { groupState } of (await groups.listGroups(newListGroupsRequest())).groups) {
    counts.set(groupState, (counts.get(groupState) ?? 0) + 1);
  }
  return counts;
}

const NO_DISK: DiskBytes = { readBytes: 0, writeBytes: 0 };

/** Zero where the system does not tell. */
function diskBytes(fileSystem: Sources['fileSystem']): DiskBytes {
  try {
    const text = fileSystem.readFile('/proc/self/io').toString('latin1');
    const read = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return { readBytes: read('read_bytes'), writeBytes: read('write_bytes') };
  } catch (error) {
    if (!(error instanceof FileSystemError)) throw error;
    return NO_DISK;
  }
}

/**
 * What the rows of the table of metrics read from: the parts of the broker, and what must be asked for once per scrape
 * because it takes time or counts from scrape to scrape.
 */
import type { BrokerServices } from '../api/broker-services';
import type { TopicPartition } from '../base/topic-partition';
import type { NetworkNumbers } from '../base/transport';
import { newOffsetFetchRequestGroup } from '../codec/generated/09-offset-fetch';
import { newListGroupsRequest } from '../codec/generated/16-list-groups';
import { type FileSystem, FileSystemError } from '../log/file-system';
import type { LogDirDescription } from '../log/log-dir-description';
import type { LogManager } from '../log/log-manager';
import type { LoopWatch } from './loop-watch';
import type { RequestNumbers } from './request-numbers';

/** Groups that are read before others have their turn. */
const GROUPS_PER_TURN = 100;

export interface Sources {
  readonly services: Pick<
    BrokerServices,
    | 'brokerId'
    | 'clock'
    | 'metadata'
    | 'replicaManager'
    | 'groups'
    | 'fetchSessions'
    | 'telemetry'
    | 'clientSoftware'
    | 'describeLogDirs'
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
  readonly groups: readonly GroupFacts[];
  readonly idleShare: number;
  readonly longestHoldMs: number;
  readonly disk: DiskBytes;
}

/** A group that this broker coordinates. */
export interface GroupFacts {
  readonly groupId: string;
  readonly state: string;
  readonly committed: readonly CommittedOffset[];
}

export interface CommittedOffset extends TopicPartition {
  readonly offset: number;
}

/** What Linux counts of this process. */
export interface DiskBytes {
  readonly readBytes: number;
  readonly writeBytes: number;
}

export async function openScrape(sources: Sources): Promise<Scrape> {
  const { services, logManager, requests, loop } = sources;
  const [logDirs, groups] = await Promise.all([services.describeLogDirs(), readGroups(services)]);
  return {
    services,
    logManager,
    requests,
    nowMs: services.clock.monotonicMs(),
    network: sources.network(),
    logDirs,
    groups,
    idleShare: loop.takeIdleShare(),
    longestHoldMs: loop.takeLongestHoldMs(),
    disk: diskBytes(sources.fileSystem),
  };
}

/** One group after the other, with a turn of the loop for others now and then. */
async function readGroups({ groups, clock }: Sources['services']): Promise<GroupFacts[]> {
  const facts: GroupFacts[] = [];
  for (const { groupId, groupState } of (await groups.listGroups(newListGroupsRequest())).groups) {
    const { topics } = await groups.fetchOffsets(newOffsetFetchRequestGroup({ groupId, topics: null }), false);
    const committed = topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, committedOffset }) => {
        return { topic: name, partition: partitionIndex, offset: committedOffset };
      }),
    );
    facts.push({ groupId, state: groupState, committed });
    if (facts.length % GROUPS_PER_TURN === 0) await new Promise<void>((resolve) => clock.immediate(resolve));
  }
  return facts;
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

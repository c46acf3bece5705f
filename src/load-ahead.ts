/**
 * Loads what the first requests need, once the broker is ready: whoever waits for it to be ready does not wait for
 * this, and the first produce does not either. Owns the list, in the order in which clients ask; what a start itself
 * needs is not in it. A module for each turn of the loop, so that requests that come meanwhile get theirs.
 * It also sees to it that what is loaded on demand is there when the process has no descriptors left.
 */
import type { Clock } from './base/clock';
import { loadLogger } from './base/logger';
import { crc32c } from './records/checksum';

/** Handlers bring the messages that they answer with. */
const STEPS: readonly (() => unknown)[] = [
  loadLogger,
  () => require('./codec/generated/18-api-versions'),
  () => require('./api/metadata'),
  () => require('./log/recovery'),
  () => require('./log/used-log'),
  () => crc32c(Buffer.alloc(0)),
  () => require('./api/produce'),
  () => require('./api/fetch'),
  () => require('./api/list-offsets'),
  () => require('./api/find-coordinator'),
  () => require('./coordinator/group/group-shard'),
  () => require('./api/join-group'),
  () => require('./api/sync-group'),
  () => require('./api/heartbeat'),
  () => require('./api/offset-fetch'),
  () => require('./api/offset-commit'),
  () => require('./api/leave-group'),
  () => require('./api/init-producer-id'),
  () => require('./records/compression-lz4'),
  () => require('./records/compression-snappy'),
  () => require('./records/compression-zstd'),
  () => require('./log/log-compaction'),
];

/**
 * Resolves when all is loaded, `isOver` says that the broker has been told to stop, or something cannot be loaded: then
 * whoever needs it tries again, and hears why.
 */
export async function loadAhead(clock: Pick<Clock, 'immediate'>, isOver = (): boolean => false): Promise<void> {
  for (const step of STEPS) {
    await new Promise<void>((resolve) => clock.immediate(resolve));
    if (isOver()) return;
    try {
      step();
    } catch {
      return;
    }
  }
}

/**
 * Loads what the first requests need, once the broker is ready: whoever waits for it to be ready does not wait for
 * this, and the first produce does not either. Owns the list, in the order in which clients ask; what a start itself
 * needs is not in it. A module for each turn of the loop, so that requests that come meanwhile get theirs.
 */
import type { Clock } from './base/clock';
import { loadLogger } from './base/logger';
import { crc32c } from './records/checksum';

/** Handlers bring the messages that they answer with. */
const STEPS: readonly (() => unknown)[] = [
  () => require('./codec/generated/18-api-versions'),
  () => require('./api/metadata'),
  () => require('./log/recovery'),
  () => require('./log/used-log'),
  () => crc32c(Buffer.alloc(0)),
  () => require('./api/produce'),
  () => require('./api/fetch'),
  () => require('./api/list-offsets'),
  loadLogger,
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
];

/** Resolves when all is loaded. */
export async function loadAhead(clock: Pick<Clock, 'immediate'>): Promise<void> {
  for (const step of STEPS) {
    await new Promise<void>((resolve) => clock.immediate(resolve));
    step();
  }
}

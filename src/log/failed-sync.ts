/**
 * What an fsync that failed leaves for the next start. The system may then take the pages in its cache for written,
 * though the disk does not have them: a scan finds them whole, a later fsync succeeds, and a power cut takes them. So a
 * mark stays in the partition's directory, and the next start writes all anew that was not known to be durable.
 * (Kafka scans from the recovery point and trusts what it reads.)
 * Invariant: the mark goes only when all is durable. It need not be durable itself: with the machine the cache is gone.
 */
import { join } from 'node:path';
import { PARTITION_METADATA_FILE, readIfPresent } from './checkpoint-file';
import type { FileSystem } from './file-system';
import type { OpenFiles } from './open-files';
import type { Segment } from './segment';

export const FAILED_SYNC_FILE = 'failed-sync';

const PIECE_BYTES = 1024 * 1024;
const CONTENT = /^recovery-point (\d{1,16})\n$/;

/** Leaves the mark, unless an older one is there; below `recoveryPoint` all is durable. Throws on a disk error. */
export function markFailedSync(fileSystem: FileSystem, directory: string, recoveryPoint: number): void {
  const path = join(directory, FAILED_SYNC_FILE);
  if (!fileSystem.stat(path)) fileSystem.writeFile(path, Buffer.from(`recovery-point ${recoveryPoint}\n`));
}

/** Up to where the marked log was durable; 0 where the mark does not say. */
export function failedSyncPoint(fileSystem: FileSystem, directory: string): number {
  const content = readIfPresent(fileSystem, join(directory, FAILED_SYNC_FILE));
  return Number(CONTENT.exec(String(content))?.[1] ?? 0);
}

/** Writes what lies from `recoveryPoint` on over itself, and makes it durable. Rejects on a disk error. */
export async function rewriteUnsynced(
  files: OpenFiles,
  segments: readonly Segment[],
  recoveryPoint: number,
): Promise<void> {
  for (const [index, segment] of segments.entries()) {
    if ((segments[index + 1]?.baseOffset ?? Number.POSITIVE_INFINITY) < recoveryPoint) continue;
    const from = segment.positionOf(recoveryPoint) ?? segment.sizeInBytes;
    const { handle, release } = files.lendForWriting(segment.logPath);
    try {
      for (let at = from; at < segment.sizeInBytes; at += PIECE_BYTES) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, segment.sizeInBytes - at));
        await handle.writeAsync([piece.subarray(0, await handle.readAsync(piece, at))], at);
      }
      await handle.sync();
    } finally {
      release();
    }
  }
}

/** After `rewriteUnsynced`: the small files follow, then the mark goes. Rejects on a disk error. */
export async function forgetFailedSync(files: OpenFiles, directory: string): Promise<void> {
  const { fileSystem } = files;
  const metadata = join(directory, PARTITION_METADATA_FILE);
  const content = readIfPresent(fileSystem, metadata);
  if (content) await files.replaceFile(metadata, content, { durable: true });
  fileSystem.remove(join(directory, FAILED_SYNC_FILE));
  await fileSystem.syncDirectory(directory);
}

/**
 * Compacts one log once: maps the keys of its dirty part, then writes its segments anew, group by group, and swaps each
 * group in as soon as it is done. Runs beside appends and reads; only the swap takes a turn of the appender's queue.
 * A failure before a swap leaves the log as it was; one within it takes the log offline. (Kafka: Cleaner.doClean.)
 */
import { err, ok, type Result } from '../base/result';
import type { CleanableRange } from './cleanable-range';
import { CleanedTransactions } from './cleaned-transactions';
import { CleaningRun, CleaningStopped, type CleaningTools, DamagedSegment } from './cleaning-run';
import { mapDirtyKeys } from './dirty-keys';
import { FileSystemError } from './file-system';
import { GroupCleaner } from './group-cleaner';
import { isPassing, type LogState } from './log-state';
import type { Segment } from './segment';
import { groupSegments } from './segment-groups';
import { swapSegments } from './segment-swap';

/** stopped: it may be tried again at once; no-room: later; failed: not before a restart. */
export type CleaningFailure = 'stopped' | 'no-room' | 'failed';

export interface CompactedLog {
  /** What lies below is clean now. */
  readonly endOffset: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Different keys in the part that was dirty. */
  readonly keys: number;
}

/** Runs a task when no append is under way. */
export type Exclusive = (task: () => void) => Promise<void>;

export async function compactLog(
  state: LogState,
  range: CleanableRange,
  options: { readonly tools: CleaningTools; readonly exclusive: Exclusive },
): Promise<Result<CompactedLog, CleaningFailure>> {
  const run = new CleaningRun(state, options.tools);
  try {
    return ok(await compact(run, range, options.exclusive));
  } catch (error) {
    if (error instanceof CleaningStopped) return err('stopped');
    if (error instanceof DamagedSegment) return err('failed', error.message);
    if (!(error instanceof FileSystemError)) throw error;
    if (state.isClosed || state.isOffline) return err('stopped');
    return err(isPassing(error) ? 'no-room' : 'failed', error.message);
  }
}

async function compact(run: CleaningRun, range: CleanableRange, exclusive: Exclusive): Promise<CompactedLog> {
  const { state } = run;
  const { map } = run.tools;
  run.check();
  await mapDirtyKeys(run, range);
  const endOffset = map.latestOffset + 1;
  const source = state.segments.filter(
    ({ baseOffset }) => baseOffset < Math.min(endOffset, range.firstUncleanableOffset),
  );
  const sourceEnd = state.segments[source.length]?.baseOffset ?? range.firstUncleanableOffset;
  const transactions = new CleanedTransactions();
  let deleteHorizonMs = Number.POSITIVE_INFINITY;
  let bytesWritten = 0;
  for (const group of groupSegments(source, { config: state.config, endOffset: sourceEnd })) {
    run.check(group);
    const next = source[source.indexOf(group.at(-1)!) + 1];
    const cleaner = new GroupCleaner(run, transactions, group);
    try {
      await cleanGroup(run, cleaner, { group, endOffset: next?.baseOffset ?? sourceEnd, exclusive });
    } catch (error) {
      // Of a log that is going the directory may not be ours any more; it goes with all that is in it.
      if (!state.isClosed && !state.isOffline) cleaner.discard();
      throw error;
    }
    deleteHorizonMs = Math.min(deleteHorizonMs, cleaner.deleteHorizonMs);
    bytesWritten += cleaner.bytesWritten;
  }
  run.check();
  state.cleanOffset = endOffset;
  state.deleteHorizonMs = deleteHorizonMs;
  return { endOffset, bytesRead: run.bytesRead, bytesWritten, keys: map.size };
}

async function cleanGroup(
  run: CleaningRun,
  cleaner: GroupCleaner,
  options: { readonly group: readonly Segment[]; readonly endOffset: number; readonly exclusive: Exclusive },
): Promise<void> {
  const { group, endOffset, exclusive } = options;
  for (const [i, segment] of group.entries()) await cleaner.take(segment, group[i + 1]?.baseOffset ?? endOffset);
  if (!cleaner.hasChanged && group.length === 1) return;
  await cleaner.finish();
  await swap(run, cleaner, { group, exclusive });
}

async function swap(
  run: CleaningRun,
  cleaner: GroupCleaner,
  { group, exclusive }: { readonly group: readonly Segment[]; readonly exclusive: Exclusive },
): Promise<void> {
  const { state } = run;
  const { environment, directory, config } = state;
  let deleted: string[] = [];
  await exclusive(() => {
    run.check(group);
    try {
      deleted = swapSegments(state, cleaner.segments, group);
    } catch (error) {
      state.takeOffline(error);
      throw error;
    }
  });
  try {
    await environment.files.fileSystem.syncDirectory(directory);
  } catch (error) {
    if (!state.isClosed) state.takeOffline(error);
    throw error;
  }
  environment.removeLater(deleted, config.fileDeleteDelayMs);
}

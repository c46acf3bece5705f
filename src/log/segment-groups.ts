/**
 * Which segments become one when a log is compacted: neighbours, as many as fit into one by their present sizes, so
 * that segments do not get smaller and smaller. Pure. (Kafka: Cleaner.groupSegmentsBySize.)
 */
import type { LogConfig } from '../config/log-config';

export interface GroupedSegment {
  readonly baseOffset: number;
  readonly sizeInBytes: number;
  readonly offsetIndex: { readonly count: number };
  readonly timeIndex: { readonly count: number };
}

const OFFSET_ENTRY_BYTES = 8;
const TIME_ENTRY_BYTES = 12;
/** An index holds offsets relative to its segment's base, as int32. */
const LARGEST_OFFSET_RANGE = 2 ** 31 - 1;

/** `segments` in groups, in order; `endOffset` is where the segment behind the last one begins. */
export function groupSegments<S extends GroupedSegment>(
  segments: readonly S[],
  limits: { config: LogConfig; endOffset: number },
): S[][] {
  const { segmentBytes, segmentIndexBytes } = limits.config;
  const groups: S[][] = [];
  let group: S[] = [];
  let bytes = 0;
  let offsetEntries = 0;
  let timeEntries = 0;
  for (const [i, segment] of segments.entries()) {
    const lastOffset = (segments[i + 1]?.baseOffset ?? limits.endOffset) - 1;
    const first = group[0];
    const fits =
      first !== undefined &&
      bytes + segment.sizeInBytes <= segmentBytes &&
      (offsetEntries + segment.offsetIndex.count) * OFFSET_ENTRY_BYTES <= segmentIndexBytes &&
      (timeEntries + segment.timeIndex.count) * TIME_ENTRY_BYTES <= segmentIndexBytes &&
      (segment.sizeInBytes === 0 || lastOffset - first.baseOffset <= LARGEST_OFFSET_RANGE);
    if (!fits) {
      group = [];
      groups.push(group);
      bytes = 0;
      offsetEntries = 0;
      timeEntries = 0;
    }
    group.push(segment);
    bytes += segment.sizeInBytes;
    offsetEntries += segment.offsetIndex.count;
    timeEntries += segment.timeIndex.count;
  }
  return groups;
}

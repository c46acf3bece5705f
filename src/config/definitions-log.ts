/** Rows of the configuration table: segments, retention, compaction, flushing. */
import { atLeast, int, long } from './definition';

export const logDefinitions = {
  'log.segment.bytes': int(1073741824, 'Size at which a segment is closed and the next one begun.', {
    check: atLeast(1048576),
    update: 'cluster-wide',
  }),
  'log.retention.bytes': long(-1, 'Size a partition may reach before its oldest segments go; -1 for any.', {
    update: 'cluster-wide',
  }),
};

/**
 * How the file descriptors that the system allows are divided: a broker that accepts connections until none is left
 * could not read or write its logs any more. Pure.
 */

export interface DescriptorBudget {
  /** Files of the log layer that are kept open; those that are being sent come on top. */
  readonly openFiles: number;
  readonly connections: number;
}

/**
 * Kept open where the system allows many: a request for a thousand partitions opens and closes each file, at half of
 * its cost, where fewer are kept than it goes through.
 */
const MOST_OPEN_FILES = 4000;
/** Kept open where nobody knows what it allows. */
const SAFE_OPEN_FILES = 500;
/** For the runtime, listening sockets, checkpoints and files that are being sent. */
const RESERVED = 128;
/** Files get one of so many. */
const SHARES = 4;
const LEAST = 16;

/** `limit`: descriptors that the process may have, undefined where nobody knows. */
export function descriptorBudget(limit: number | undefined): DescriptorBudget {
  if (limit === undefined) return { openFiles: SAFE_OPEN_FILES, connections: Number.POSITIVE_INFINITY };
  const free = limit - RESERVED;
  const openFiles = Math.max(LEAST, Math.min(MOST_OPEN_FILES, Math.floor(free / SHARES)));
  return { openFiles, connections: Math.max(LEAST, free - openFiles) };
}

/**
 * Memory for small messages, which are written one behind the other, so that each takes what it needs and no more.
 * Invariant: one writer at a time has an arena; what lies before `at` belongs to messages and is never written again.
 */

const ARENA_SIZE = 16 * 1024;
/** Bytes that a message finds at least. */
export const FIRST_SIZE = 512;

export interface Arena {
  readonly bytes: Buffer;
  /** Where the next message begins. */
  at: number;
}

/** For the writer that comes next. */
let idle: Arena | undefined;

export function takeArena(): Arena {
  const arena = idle ?? { bytes: Buffer.allocUnsafeSlow(ARENA_SIZE), at: 0 };
  idle = undefined;
  return arena;
}

/** When a message is finished, `at` behind it; an arena without room for another is left to its messages. */
export function giveBackArena(arena: Arena): void {
  if (arena.at + FIRST_SIZE <= ARENA_SIZE) idle = arena;
}

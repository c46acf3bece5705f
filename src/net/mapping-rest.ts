/**
 * Lets go of mappings that nobody writes from any more (`base/mapped-writes.ts`): they count as memory of the process,
 * and the system keeps what is mapped longer than it would otherwise. Owns when that is looked at.
 */
import type { Clock } from '../base/clock';
import { unmapIdle } from '../base/mapped-writes';

const LOOK_MS = 100;
/** A second without use. */
const IDLE_LOOKS = 10;

/** Those whose next look is due. */
const looking = new WeakSet<Pick<Clock, 'schedule'>>();

/** There may be mappings, from now on. */
export function watchMappings(clock: Pick<Clock, 'schedule'>): void {
  if (looking.has(clock)) return;
  looking.add(clock);
  clock.schedule(LOOK_MS, () => {
    looking.delete(clock);
    if (unmapIdle(IDLE_LOOKS)) watchMappings(clock);
  });
}

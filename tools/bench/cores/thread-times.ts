/** How long the threads of a process were on a processor, as the scheduler counts it (Linux). */
import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds so far: of the first thread, which runs the event loop of a program's start, and of all others. */
export function threadTimes(pid: number): readonly [loop: number, others: number] {
  let [loop, others] = [0, 0];
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const us = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000;
    if (Number(thread) === pid) loop = us;
    else others += us;
  }
  return [loop, others];
}

/** What of a tool's output is compared. Owns everything that may differ between two sound sides. */
import type { Side } from './side';
import type { Step } from './step';
import type { Outcome } from './tool-runner';

/** Lines that no user reads as an answer: stack traces, and what the client was doing when its time was up. */
const NOISE = /^\s+at |^\s*\.\.\. \d+ (more|common frames)|^Caused by: .*DisconnectException|SLF4J|StatusLogger/;

const BLURRED: readonly (readonly [RegExp, string])[] = [
  [/TopicId: \S+/g, 'TopicId: ID'],
  // How Scala writes a set, before that code became Java.
  [/Set\(([^)]*)\)/g, '[$1]'],
  // Clients are numbered within a process.
  [/\badminclient-\d+/g, 'adminclient-N'],
  [/^.*TimeoutException: (Call\(.*|Timed out waiting for a node assignment.*)$/gm, 'TimeoutException'],
  [/Call\(callName=.* timed out at \d+ after \d+ attempt\(s\)/g, 'TIMEOUT'],
  // A member's id ends with a random UUID.
  [/-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '-UUID'],
];

/** Exit code, standard output and standard error, with what differs by nature taken out. */
export function comparable({ exitCode, stdout, stderr }: Outcome, side: Side, step: Step): string {
  const text = (said: string): string => {
    let neutral = side.neutral(said);
    for (const [pattern, instead] of [...BLURRED, ...(step.blur ?? [])]) neutral = neutral.replace(pattern, instead);
    return neutral
      .split('\n')
      .filter((line) => !NOISE.test(line))
      .map((line) => line.trimEnd())
      .join('\n');
  };
  return `exit code ${exitCode}\n${text(stdout)}\nstderr:\n${text(stderr)}`;
}

/** All scenarios in the order in which they run, and the choice among them by words of the command line. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { commandExists } from '../../compat-tests/checks';
import { KAFKA_VERSION } from './candidates';
import type { Scenario } from './scenario';
import { CONSUME_SCENARIOS } from './scenarios/consume';
import { crowd } from './scenarios/crowd';
import { librdkafka } from './scenarios/librdkafka';
import { limit } from './scenarios/limit';
import { mixed } from './scenarios/mixed';
import { PRODUCE_SCENARIOS } from './scenarios/produce';
import { END_SCENARIOS, START_SCENARIOS } from './scenarios/start';
import { unbatched } from './scenarios/unbatched';

export const SCENARIOS: readonly Scenario[] = [
  ...START_SCENARIOS,
  ...PRODUCE_SCENARIOS,
  ...CONSUME_SCENARIOS,
  ...librdkafka,
  ...unbatched,
  ...mixed,
  ...limit,
  ...crowd,
  ...END_SCENARIOS,
];

/** `group: name`, as the lists show it and as words are looked for in it. */
export function title({ group, name }: Scenario): string {
  return `${group}: ${name}`;
}

/** The one that is called exactly so, or all with the word in their title. Throws with all titles where none is. */
function found(word: string, from: readonly Scenario[]): Scenario[] {
  const named = from.filter((scenario) => [scenario.name, title(scenario)].includes(word));
  if (named.length > 0) return named;
  const having = from.filter((scenario) => title(scenario).toLowerCase().includes(word.toLowerCase()));
  if (word !== '' && having.length > 0) return having;
  throw new Error(`no scenario has '${word}' in its title; there are:\n${from.map(title).join('\n')}`);
}

/** Those that one of the words finds, in their own order; all when there are no words. */
export function chosen(words: readonly string[], from: readonly Scenario[] = SCENARIOS): Scenario[] {
  if (words.length === 0) return [...from];
  const wanted = new Set(words.flatMap((word) => found(word, from)));
  return from.filter((scenario) => wanted.has(scenario));
}

/** What this machine lacks, and what that leaves out. */
export interface Lack {
  readonly command: string;
  readonly why: string;
  /** Which scenarios cannot run without it. */
  readonly scenarios: readonly Scenario[];
}

const JARS = path.join(__dirname, '..', '..', '.cache', `kafka-${KAFKA_VERSION}`);

const NEEDED = [
  { command: 'java', why: 'Java 17 or newer runs Apache Kafka and its tools', by: (): boolean => true },
  { command: 'mvn', why: 'Maven fetches Apache Kafka, once', by: (): boolean => !existsSync(JARS) },
  {
    command: 'cc',
    why: "a C compiler makes the bench's own load and the limit",
    by: ({ needs = [] }: Scenario): boolean => needs.includes('cc'),
  },
  {
    command: 'make',
    why: "make builds librdkafka's own load, once",
    by: ({ needs = [] }: Scenario): boolean => needs.includes('make'),
  },
];

/** The commands that some of the scenarios need and that are not there. */
export function lacks(scenarios: readonly Scenario[], exists: (command: string) => boolean = commandExists): Lack[] {
  return NEEDED.map(({ command, why, by }) => ({ command, why, scenarios: scenarios.filter(by) })).filter(
    ({ command, scenarios: of }) => of.length > 0 && !exists(command),
  );
}

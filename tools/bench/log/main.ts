/** `node tools/run.js tools/bench/log/main.ts COMMAND [options]`: the log's benchmarks, each with its own `--help`. */
import { appendCost } from './append-cost';
import { compaction } from './compaction';
import { partitions } from './partitions';
import { randomReads } from './random-reads';

const COMMANDS: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = {
  partitions,
  'random-reads': randomReads,
  'append-cost': appendCost,
  compaction,
};

const HELP = `Usage: node tools/run.js tools/bench/log/main.ts COMMAND [options]; COMMAND --help tells them

  partitions     very many partitions with few descriptors: memory, start-up, all of them used
  random-reads   random reads of a large log beside a small one
  append-cost    what an append costs with 1, 10, … 10000 partitions
  compaction     very many keys under a small key map, and what that costs a producer
`;

async function main(): Promise<void> {
  const [name = '--help', ...words] = process.argv.slice(2);
  if (name === '--help') return console.log(HELP);
  const command = COMMANDS[name];
  if (command === undefined) {
    console.error(`There is no command ${name}; there are: ${Object.keys(COMMANDS).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  await command(words);
}

void main();

/**
 * `npm run fuzz -- [--inputs N] [--seed S] [FAMILY]…`: hostile bytes for every decoder. Without names all families, one
 * after the other; 10^7 inputs each take some minutes. Prints a line a family with count and seed, and what was found;
 * ends with 1 if anything was. Owns options and output.
 */
import { parseArgs } from 'node:util';
import { type Family, runFamily } from './family';
import { messageFamilies } from './message-families';
import { recordFamilies } from './record-families';

const DEFAULT_INPUTS = '1000000';
const LONGEST_SHOWN = 4000;

async function runOne(family: Family, inputs: number, seed: number): Promise<boolean> {
  const startedMs = performance.now();
  const { read, refused, findings } = await runFamily(family, { inputs, seed });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
  console.log(
    `${family.name}: ${read + refused} inputs, seed ${seed}, ${family.targets.length} kinds: ${read} read, ` +
      `${refused} refused, ${findings.length} findings (${seconds} s, ${memory} MB)`,
  );
  for (const { target, hex, problem } of findings)
    console.log(`  ${target}: ${problem}\n    ${hex.slice(0, LONGEST_SHOWN)}`);
  return findings.length === 0;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { inputs: { type: 'string', default: DEFAULT_INPUTS }, seed: { type: 'string' } },
    allowPositionals: true,
  });
  // The stack of a refusal costs more than the refusal.
  Error.stackTraceLimit = 0;
  const inputs = Number(values.inputs);
  const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
  if (!(inputs >= 1) || !Number.isInteger(seed)) throw new Error('--inputs takes a count, --seed a whole number');
  const families = [...messageFamilies(), ...(await recordFamilies())];
  const unknown = positionals.filter((name) => !families.some((family) => family.name === name));
  if (unknown.length > 0) throw new Error(`no family ${unknown[0]}; ${families.map(({ name }) => name).join(', ')}`);
  let isClean = true;
  for (const family of families)
    if (positionals.length === 0 || positionals.includes(family.name))
      isClean = (await runOne(family, inputs, seed)) && isClean;
  process.exitCode = isClean ? 0 : 1;
}

void main();

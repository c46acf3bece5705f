/**
 * Compares every codec with Kafka's own generated classes, and writes golden vectors of the served APIs. `node
 * tools/run.js tools/capture-vectors/main.ts JARS…`: each JARS is a folder with the jars of one Kafka release
 * (clients, coordinators, metadata, storage, Jackson), newest first; needs Java 17. `--write` replaces
 * protocol/vectors. Owns the comparison; exits 1 on any difference. Random messages go to Java as bytes; its bytes
 * and its JSON come back.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { Reader } from '../../src/codec/reader';
import { Writer } from '../../src/codec/writer';
import { messageArbitrary } from '../codegen/message-arbitrary';
import { type AnyMessage, type MessageCodec, messageCodecs } from '../codegen/message-codecs';
import { matchesJson } from './kafka-json';

const root = path.resolve(__dirname, '../..');
const vectorFolder = path.join(root, 'protocol/vectors');
const RANDOM_SAMPLES = 6;
/** Kafka changed these without a new version before their release, so that 3.9 and 4.0 know another form of them. */
const EARLY_ACCESS = /^(ReadShareGroupStateSummary|ShareGroup(StatePartition)?Metadata|ShareSnapshot|ShareUpdate)/;
const JAVA_TIMEOUT_MS = 240_000;

interface Sample {
  readonly codec: MessageCodec;
  readonly version: number;
  readonly message: AnyMessage;
  readonly hex: string;
  /** Where it goes into the vectors: `filled` has every field, `empty` has defaults; random ones are compared only. */
  readonly kind: 'filled' | 'empty' | 'random';
}

function samplesOf(codec: MessageCodec): Sample[] {
  const samples: Sample[] = [];
  const { low, high } = codec.message.versions;
  for (let version = low; version <= high; version++) {
    const add = (kind: Sample['kind'], message: AnyMessage): void => {
      const writer = new Writer();
      codec.encode(writer, message, version);
      samples.push({ codec, version, message, hex: writer.finishBuffer().toString('hex'), kind });
    };
    const filled = messageArbitrary(codec, version, { minElements: 1, maxElements: 2, nulls: false });
    add('filled', fc.sample(filled, { numRuns: 1, seed: version + 1 })[0]!);
    add('empty', codec.create());
    for (const message of fc.sample(messageArbitrary(codec, version), { numRuns: RANDOM_SAMPLES, seed: version }))
      add('random', message);
  }
  return samples;
}

function echo(jars: string, samples: readonly Sample[]): string[] {
  const program = path.join(root, 'compat-tests/java/MessageEcho.java');
  const input = samples.map((sample) => `${sample.codec.name} ${sample.version} ${sample.hex}\n`).join('');
  const java = spawnSync('java', ['-cp', `${path.resolve(jars)}/*`, program], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    timeout: JAVA_TIMEOUT_MS,
  });
  if (java.status !== 0) throw new Error(`java ended with ${java.status}: ${java.stderr}`);
  return java.stdout.trimEnd().split('\n');
}

/** What is wrong with Kafka's answer to a sample; null: nothing. */
function difference(sample: Sample, answer: string): string | null {
  const [status, hex, ...json] = answer.split(' ');
  if (status === 'absent') return null;
  if (status !== 'ok' || hex === undefined) return answer;
  const again = sample.codec.decode(new Reader(Buffer.from(hex, 'hex')), sample.version);
  const writer = new Writer();
  sample.codec.encode(writer, again, sample.version);
  if (writer.finishBuffer().toString('hex') !== hex) return `Kafka's bytes do not survive: ${hex}`;
  if (hex !== sample.hex) return `Kafka writes ${hex}`;
  return matchesJson(sample.message, JSON.parse(json.join(' ')), sample.codec.message.struct);
}

function writeVectors(samples: readonly Sample[], answers: readonly (string | undefined)[]): void {
  for (const file of readdirSync(vectorFolder)) if (file.endsWith('.jsonl')) rmSync(path.join(vectorFolder, file));
  const files = new Map<string, string[]>();
  for (const [index, sample] of samples.entries()) {
    const answer = answers[index];
    if (sample.codec.api?.served !== true || sample.kind === 'random' || answer === undefined) continue;
    const [, hex, ...json] = answer.split(' ');
    const line = `{"version":${sample.version},"hex":"${hex}","json":${json.join(' ')}}`;
    files.set(sample.codec.name, [...(files.get(sample.codec.name) ?? []), line]);
  }
  for (const [name, lines] of files) writeFileSync(path.join(vectorFolder, `${name}.jsonl`), `${lines.join('\n')}\n`);
}

function main(): void {
  const folders = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const samples = messageCodecs().flatMap(samplesOf);
  const best: (string | undefined)[] = samples.map(() => undefined);
  let differences = 0;
  for (const jars of folders) {
    let compared = 0;
    for (const [index, answer] of echo(jars, samples).entries()) {
      const sample = samples[index]!;
      if (jars !== folders[0] && EARLY_ACCESS.test(sample.codec.name)) continue;
      const problem = difference(sample, answer);
      if (answer !== 'absent') compared++;
      if (problem === null) {
        if (answer !== 'absent') best[index] ??= answer;
        continue;
      }
      differences++;
      const what = `${sample.codec.name} v${sample.version} ${sample.kind} (${path.basename(jars)})`;
      console.error(`${what}: ${problem}\n  ours ${sample.hex}`);
    }
    console.log(`${path.basename(jars)}: ${compared} of ${samples.length} messages compared`);
  }
  const unseen = new Set(
    samples.filter((_, index) => best[index] === undefined).map((sample) => `${sample.codec.name} v${sample.version}`),
  );
  console.log(`${differences} differences; known to none of these releases: ${[...unseen].join(', ') || 'nothing'}`);
  if (process.argv.includes('--write')) writeVectors(samples, best);
  process.exitCode = differences > 0 ? 1 : 0;
}

main();

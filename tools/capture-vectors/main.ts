/**
 * `npm run vectors -- [--write] [VERSION]…`: compares every codec with Kafka's own generated classes, in the releases
 * named, newest first; needs Java 17 and Maven. The instances are made by `compat-tests/java/MessageVectors.java`. A
 * class of Kafka's without a codec of ours is a difference, and a version of ours that no release knows another.
 * `--write` replaces the vectors in `protocol/vectors` and `protocol/releases.txt`. Ends with 1 on any difference.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../../compat-tests/checks';
import { kafkaJars } from '../../compat-tests/clients/java/jars';
import { shapeOf } from '../codegen/emit-shapes';
import { type MessageCodec, messageCodecs } from '../codegen/message-codecs';
import { batchProblems, writeBatchVectors } from './batch-vectors';
import { type Expected, type MessageVector, vectorProblem, writeVectors } from './message-vectors';

const ROOT = path.resolve(__dirname, '../..');
const RELEASES = ['4.4.0', '4.0.2', '3.9.2'];
/** The last release that writes the formats from before record batches. */
const BATCH_RELEASE = '3.9.2';
const JAVA_TIMEOUT_MS = 300_000;
const SHOWN_CHARACTERS = 600;

/** Kafka changed these without a new version before their release: in older releases they have another form. */
const EARLY_ACCESS =
  /^(ReadShareGroupStateSummary|ShareGroup(StatePartition|Partition)?Metadata|ShareSnapshot|ShareUpdate)/;
/** Older releases number the keys of internal topics by their version, 4.1 and later ones by an id in front of it. */
const TOPIC_KEY = /Key$/;
/** Not messages of the protocol: header classes are vectors of `src/codec/header.ts`. */
const HEADERS: ReadonlySet<string> = new Set(['RequestHeader', 'ResponseHeader']);
/** Kafka calls a key by another name today; the old name has the same bytes and another JSON. */
const RENAMED: ReadonlySet<string> = new Set([
  'ListClientMetricsResourcesRequest',
  'ListClientMetricsResourcesResponse',
]);

/** Fields that older releases call by another name. */
const FORMER_FIELDS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  TxnOffsetCommitRequest: [['generationId', 'generationIdOrMemberEpoch']],
  VoteRequest: [
    ['candidateEpoch', 'replicaEpoch'],
    ['candidateId', 'replicaId'],
    ['candidateDirectoryId', 'replicaDirectoryId'],
  ],
};

interface ApiRange {
  readonly key: number;
  readonly lowest: number;
  readonly highest: number;
}

interface Release {
  readonly version: string;
  readonly apis: readonly ApiRange[];
  readonly vectors: readonly MessageVector[];
}

async function readRelease(version: string): Promise<Release> {
  const program = path.join(ROOT, 'compat-tests/java/MessageVectors.java');
  const jars = await kafkaJars(version);
  const text = await run('java', ['-cp', `${jars}/*`, program], { timeoutMs: JAVA_TIMEOUT_MS });
  const apis: ApiRange[] = [];
  const vectors: MessageVector[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const words = line.split(' ');
    if (words[0] === 'api') apis.push({ key: Number(words[1]), lowest: Number(words[3]), highest: Number(words[4]) });
    else {
      const [, message = '', versionText, kind = '', hex = '', ...json] = words;
      const about = { message, version: Number(versionText), kind, kafka: version, hex };
      vectors.push({ ...about, json: parseJson(message, json.join(' ')) });
    }
  }
  return { version, apis, vectors };
}

function parseJson(message: string, text: string): unknown {
  let today = text;
  for (const [former, name] of FORMER_FIELDS[message] ?? []) today = today.replaceAll(`"${former}":`, `"${name}":`);
  return JSON.parse(today);
}

function instance(vector: Pick<MessageVector, 'message' | 'version' | 'kind'>): string {
  return `${vector.message} v${vector.version} ${vector.kind}`;
}

function problemOf(vector: MessageVector, expected: Expected): string | null {
  try {
    return vectorProblem(vector, expected);
  } catch (failure) {
    return String(failure);
  }
}

class Comparison {
  readonly problems: string[] = [];
  /** The newest release's vectors of each message and version. */
  readonly kept = new Map<string, MessageVector[]>();
  private readonly codecs = new Map(messageCodecs().map((codec) => [codec.name, codec]));

  constructor(private readonly newest: string) {}

  add(release: Release): void {
    const filled = new Map(release.vectors.map((vector) => [instance(vector), vector.hex]));
    let compared = 0;
    for (const vector of release.vectors) {
      const { message, kind } = vector;
      const isOlder = release.version !== this.newest;
      if (isOlder && (EARLY_ACCESS.test(message) || TOPIC_KEY.test(message))) continue;
      if (!HEADERS.has(message) && !RENAMED.has(message)) {
        const writtenHex = kind === 'tags' ? filled.get(instance({ ...vector, kind: 'filled' })) : vector.hex;
        this.compare(vector, writtenHex ?? '');
        compared++;
      }
      this.keep(vector);
    }
    console.log(`${release.version}: ${compared} instances compared`);
  }

  private compare(vector: MessageVector, writtenHex: string): void {
    const codec = this.codecs.get(vector.message);
    const problem =
      codec === undefined ? 'no schema' : problemOf(vector, { codec, shape: shapeOf(codec.message), writtenHex });
    if (problem === null) return;
    const shown = `${instance(vector)} of ${vector.kafka}: ${problem}`.slice(0, SHOWN_CHARACTERS);
    this.problems.push(`${shown}\n  Kafka: ${vector.hex.slice(0, SHOWN_CHARACTERS)}`);
  }

  private keep(vector: MessageVector): void {
    const name = `${vector.message} v${vector.version}`;
    const known = this.kept.get(name);
    if (known === undefined) this.kept.set(name, [vector]);
    else if (known[0]!.kafka === vector.kafka) known.push(vector);
  }

  /** Messages and versions of ours that no release has. */
  unseen(): string[] {
    return [...this.codecs.values()].flatMap(({ name, message: { versions } }) => {
      const all = Array.from({ length: versions.high - versions.low + 1 }, (_, index) => index + versions.low);
      return all.map((version) => `${name} v${version}`).filter((one) => !this.kept.has(one));
    });
  }

  bySource(): Map<string, MessageVector[]> {
    const files = new Map<string, MessageVector[]>();
    for (const vector of [...this.kept.values()].flat()) {
      const codec: MessageCodec | undefined = this.codecs.get(vector.message);
      const source = codec?.source ?? (HEADERS.has(vector.message) ? 'schemas/headers' : undefined);
      if (source !== undefined) files.set(source, [...(files.get(source) ?? []), vector]);
    }
    const inOrder = (a: MessageVector, b: MessageVector): number =>
      a.message < b.message ? -1 : a.message > b.message ? 1 : a.version - b.version;
    for (const vectors of files.values()) vectors.sort(inOrder);
    return files;
  }
}

function releasesText(releases: readonly Release[]): string {
  const [newest, oldest] = [releases[0]!, releases.at(-1)!];
  const range = (release: Release, key: number): string => {
    const api = release.apis.find((candidate) => candidate.key === key);
    return api === undefined || api.highest < api.lowest ? '-' : `${api.lowest}-${api.highest}`;
  };
  const keys = new Set(releases.flatMap((release) => release.apis.map((api) => api.key)));
  const rows = [...keys].sort((a, b) => a - b).map((key) => `${key} ${range(oldest, key)} ${range(newest, key)}`);
  return [`# key, versions of Kafka ${oldest.version}, versions of Kafka ${newest.version}`, ...rows, ''].join('\n');
}

async function main(): Promise<void> {
  const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const versions = named.length > 0 ? named : RELEASES;
  const comparison = new Comparison(versions[0]!);
  const releases: Release[] = [];
  for (const version of versions) {
    const release = await readRelease(version);
    comparison.add(release);
    releases.push({ ...release, vectors: [] });
  }
  for (const problem of comparison.problems) console.error(problem);
  const unseen = comparison.unseen();
  console.log(
    `${comparison.problems.length} differences; known to none of these releases: ${unseen.join(', ') || 'nothing'}`,
  );
  const jars = await kafkaJars(BATCH_RELEASE);
  const objections = await batchProblems(jars);
  for (const problem of objections) console.error(problem.slice(0, SHOWN_CHARACTERS));
  console.log(`${objections.length} differences in how Kafka reads our record batches`);
  if (process.argv.includes('--write')) {
    console.log(`${await writeBatchVectors(jars)} vectors of record batches and message sets`);
    writeVectors(comparison.bySource());
    writeFileSync(path.join(ROOT, 'protocol/releases.txt'), releasesText(releases));
  }
  process.exitCode = comparison.problems.length + unseen.length + objections.length > 0 ? 1 : 0;
}

void main();

/** Differences that are meant: where an answer of Odradek is not Kafka 4's, and why. Each is counted and told. */
import { readFileSync } from 'node:fs';
import { ZERO_UUID } from '../../src/base/random';
import type { JoinGroupResponse } from '../../src/codec/generated/11-join-group';
import { ErrorCode } from '../../src/codec/generated/errors';
import { factsFile, parseFacts, RELEASES } from '../../tools/config-facts/facts';
import type { FieldDifference } from './normalise';
import type { Step } from './steps';

interface Found {
  readonly step: Step;
  /** All steps of the round. */
  readonly round: readonly Step[];
  readonly field: FieldDifference;
  readonly answers: readonly [unknown, unknown];
}

interface KnownDifference {
  readonly reason: string;
  /** One broker has now something that the other has not: the round cannot go on. */
  readonly endsRound?: boolean;
  matches(found: Found): boolean;
}

const [NEWEST = [], ...FORMER] = RELEASES.map((version) => parseFacts(readFileSync(factsFile(version), 'utf8')));
const NEWEST_SETTINGS = new Set(NEWEST.map(({ name }) => name));
/** Settings of releases before the newest one. */
const FORMER_SETTINGS = new Set(FORMER.flat().flatMap(({ name }) => (NEWEST_SETTINGS.has(name) ? [] : [name])));
/** Where a broker stands, and who its controllers are. */
const PLACES = ['listeners', 'log.dir', 'log.dirs', 'controller.listener.names', 'controller.quorum.voters'];

function isAbout({ field: { path } }: Found, names: Iterable<string>): boolean {
  return [...names].some(
    (name) => path === `configs.${name}` || path.includes(`.configs.${name}.`) || path.endsWith(`.configs.${name}`),
  );
}

/** What plans ask for where a limit shall matter. */
const SMALL_LIMIT = 1000;

/** Kafka's answer to the partition of which `field` is a part: the error, as far as `path` leads there. */
function errorBeside({ field: { path }, answers }: Found, side: 0 | 1): unknown {
  const found = path
    .split(/[.[\]]+/)
    .slice(0, -1)
    .reduce<unknown>((value, name) => {
      if (Array.isArray(value))
        return value[Number(name)] ?? value.find((one) => (one as { name?: unknown }).name === name);
      return (value as Record<string, unknown> | undefined)?.[name];
    }, answers[side]);
  return (found as { errorCode?: unknown } | undefined)?.errorCode;
}

/** Whether Kafka refuses the whole request for what it met in one partition. */
function everyPartitionFails({ answers: [, kafka] }: Found): boolean {
  const { responses } = kafka as { responses: { partitionResponses: { errorCode: number }[] }[] };
  const codes = new Set(responses.flatMap(({ partitionResponses }) => partitionResponses.map((one) => one.errorCode)));
  return codes.size === 1 && (codes.has(ErrorCode.CORRUPT_MESSAGE) || codes.has(ErrorCode.UNKNOWN_SERVER_ERROR));
}

const KNOWN: readonly KnownDifference[] = [
  {
    reason: 'a batch whose size or codec makes no sense spoils its own partition, not the whole request',
    endsRound: true,
    matches: (found) =>
      found.step.api === 'Produce' && typeof found.answers[1] === 'object' && everyPartitionFails(found),
  },
  {
    reason: 'bytes that no codec made are INVALID_RECORD, not an internal error',
    matches: (found) =>
      found.step.api === 'Produce' &&
      [ErrorCode.INVALID_RECORD, ErrorCode.INVALID_REQUIRED_ACKS].includes(errorBeside(found, 0) as 87) &&
      errorBeside(found, 1) === ErrorCode.UNKNOWN_SERVER_ERROR,
  },
  {
    reason: 'records with wrong offsets or sequences are stored where Kafka fails while it compresses them anew',
    endsRound: true,
    matches: (found) =>
      found.step.api === 'Produce' &&
      /"damage"|"sequence":-1/.test(JSON.stringify(found.step.request)) &&
      errorBeside(found, 0) === ErrorCode.NONE &&
      errorBeside(found, 1) === ErrorCode.UNKNOWN_SERVER_ERROR,
  },
  {
    reason: 'what whole batches leave of a limit goes to the next partition, where Kafka fills it with part of a batch',
    matches: ({ step, field }) =>
      step.api === 'Fetch' &&
      (step.request as { maxBytes: number }).maxBytes <= SMALL_LIMIT &&
      field.kind.endsWith('.records.length') &&
      (field.values[0] as unknown[]).length > (field.values[1] as unknown[]).length,
  },
  {
    reason: 'an isolation level that means nothing reads what is not committed, where Kafka fails on itself',
    matches: (found) =>
      found.step.api === 'ListOffsets' &&
      found.step.spoil !== undefined &&
      errorBeside(found, 0) === ErrorCode.NONE &&
      errorBeside(found, 1) === ErrorCode.UNKNOWN_SERVER_ERROR,
  },
  {
    reason: 'a session that goes on with an older version is served, where Kafka has an answer that does not fit it',
    matches: ({ step, answers: [, kafka] }) =>
      step.api === 'Fetch' && (kafka as { errorCode?: number }).errorCode === ErrorCode.UNSUPPORTED_VERSION,
  },
  {
    reason: 'damaged batches that Kafka stored but cannot convert spoil no answer to an old version of Fetch',
    matches: (found) =>
      found.step.api === 'Fetch' &&
      found.step.version < 4 &&
      /"damage"/.test(JSON.stringify(found.round)) &&
      errorBeside(found, 1) === ErrorCode.UNKNOWN_SERVER_ERROR,
  },
  {
    reason: 'the hard limits of Fetch before version 3 hold for what was converted, too',
    matches: ({ step, field }) =>
      step.api === 'Fetch' &&
      step.version < 3 &&
      field.kind.endsWith('.records.length') &&
      /"partitionMaxBytes":(0|1|200|1000)\b/.test(JSON.stringify(step.request)),
  },
  {
    reason: 'what is wrong with a batch is told also where the acks are wrong',
    matches: ({ step, field }) =>
      step.api === 'Produce' &&
      field.path.endsWith('errorCode') &&
      [ErrorCode.CORRUPT_MESSAGE, ErrorCode.INVALID_RECORD].includes(field.values[0] as 2) &&
      field.values[1] === ErrorCode.INVALID_REQUIRED_ACKS,
  },
  {
    reason: 'what was read is converted to an old format in full, where Kafka stops at the bytes that it had before',
    matches: ({ step, field }) =>
      step.api === 'Fetch' &&
      step.version < 4 &&
      field.kind.endsWith('.records.length') &&
      (field.values[0] as unknown[]).length > (field.values[1] as unknown[]).length,
  },
  {
    reason: 'what means nothing has an error of its own where Kafka has an internal one',
    matches: ({ step: { api }, field }) =>
      api !== 'Produce' &&
      api !== 'Fetch' &&
      field.path.endsWith('errorCode') &&
      Number(field.values[0]) > 0 &&
      field.values[1] === ErrorCode.UNKNOWN_SERVER_ERROR,
  },
  {
    reason: 'wrong offsets of records are corrected in batches without compression too',
    matches: ({ step, field, round }) =>
      (step.api === 'Fetch' && /\.records\[\d+\](\.records\[\d+\]\[0\]|\.offset)$/.test(field.path)) ||
      // The log start, or a time, then falls on another record.
      (step.api === 'ListOffsets' && /"codec":0[^[\]]*"damage"/.test(JSON.stringify(round))),
  },
  {
    reason: 'a batch that is compressed anew keeps its base timestamp, whatever its first record says',
    matches: ({ step, field }) => step.api === 'Fetch' && field.path.endsWith('.baseTimestamp'),
  },
  {
    reason: 'append times are told of topics that have them, not of a duplicate with the producer’s own',
    matches: ({ step, field }) =>
      step.api === 'Produce' && field.path.endsWith('.logAppendTimeMs') && field.values[0] === -1,
  },
  {
    reason: 'a reader of committed records always gets a list of aborted transactions',
    matches: ({ step, field }) =>
      step.api === 'Fetch' && field.path.endsWith('.abortedTransactions') && field.values[1] === null,
  },
  {
    reason: 'the offset of the largest timestamp is never one before the log start',
    matches: ({ step, field }) =>
      step.api === 'ListOffsets' &&
      JSON.stringify(step.request).includes('"timestamp":-3') &&
      (field.values[0] === -1 ||
        (field.path.endsWith('.offset') && Number(field.values[0]) > Number(field.values[1])) ||
        (field.path.endsWith('.timestamp') && Number(field.values[0]) < Number(field.values[1]))),
  },
  {
    reason: 'compressed records are looked at in full: sizes that do not add up are refused',
    endsRound: true,
    matches: (found) =>
      found.step.api === 'Produce' &&
      /"codec":[1-4],"mendCrc":(true|false)[^[\]]*"damage"/.test(JSON.stringify(found.step.request)) &&
      errorBeside(found, 0) === ErrorCode.INVALID_RECORD,
  },
  {
    reason: 'a pending member that joins as a static one is unknown, where Kafka fails on itself',
    matches: ({ step, answers: [, kafka] }) =>
      step.api === 'JoinGroup' && (kafka as { errorCode?: number }).errorCode === ErrorCode.UNKNOWN_SERVER_ERROR,
  },
  {
    reason: 'who leads when the leader has left is anyone’s choice',
    endsRound: true,
    matches: ({ step, answers }) => {
      const [odradek, kafka] = answers as [Partial<JoinGroupResponse>, Partial<JoinGroupResponse>];
      const haveJoined = odradek.errorCode === ErrorCode.NONE && kafka.errorCode === ErrorCode.NONE;
      return step.api === 'JoinGroup' && haveJoined && odradek.leader !== kafka.leader;
    },
  },
  {
    reason: 'when a member joins again while it waits, its earlier request is answered, not left alone',
    endsRound: true,
    matches: ({ step, answers: [odradek, kafka] }) =>
      ['JoinGroup', 'SyncGroup'].includes(step.api) &&
      (odradek as { errorCode?: number }).errorCode === ErrorCode.REBALANCE_IN_PROGRESS &&
      kafka === '<no answer>',
  },
  {
    reason: 'topics of codec zstd are not for Fetch before version 10, as in Kafka before 4.0 (KIP-110)',
    matches: (found) =>
      found.step.api === 'Fetch' &&
      found.step.version < 10 &&
      errorBeside(found, 0) === ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
  },
  {
    reason: 'no cluster-wide min.insync.replicas is made up, which KRaft does for eligible leader replicas',
    matches: ({ field }) => field.path.includes('configs.min.insync.replicas'),
  },
  {
    reason: 'settings of Kafka 3.9 and 4.0 that the newest release has no more are there',
    matches: (found) => isAbout(found, FORMER_SETTINGS),
  },
  {
    reason: 'each broker has a place of its own, and only Kafka has controllers',
    matches: (found) => isAbout(found, [...PLACES, 'process.roles']),
  },
  {
    reason: 'a group’s first rebalance does not wait unless that is set',
    matches: (found) => isAbout(found, ['group.initial.rebalance.delay.ms']),
  },
  {
    reason: 'settings that do not go together are told of in own words',
    matches: ({ step, field: { path, values } }) =>
      /AlterConfigs$/.test(step.api) &&
      path.endsWith('errorMessage') &&
      /^requirement failed: |^Error parsing configuration property/.test(String(values[1])),
  },
  {
    reason: 'Kafka puts the name of a Java class around the sentence',
    matches: ({ field: { path, values } }) =>
      path.endsWith('errorMessage') && String(values[1]).includes(`ConfigException: ${values[0]} `),
  },
  {
    reason: 'a refusal has a sentence where Kafka has none, or fails on itself',
    matches: ({ field: { path, values } }) =>
      path.endsWith('errorMessage') && (values[1] === null || values[1] === '/ by zero'),
  },
  {
    reason: 'a segment may be as small as in 3.9',
    matches: ({ field: { values } }) =>
      /segment.bytes: Value must be at least 14$/.test(String(values[0])) &&
      /at least 1048576$/.test(String(values[1])),
  },
  {
    reason: 'there are no eligible leader replicas, for which KRaft keeps a cluster-wide min.insync.replicas',
    matches: ({ step, answers }) =>
      step.api === 'AlterConfigs' && JSON.stringify(answers[1]).includes('Cluster-level min.insync.replicas'),
  },
  {
    reason: 'listeners do not change while the broker runs',
    matches: ({ step, field }) =>
      /AlterConfigs$/.test(step.api) &&
      JSON.stringify(step.request).includes('"listeners"') &&
      /^responses\[\d*\]\.error/.test(field.path),
  },
  {
    reason: 'a topic that is only validated has no id',
    matches: ({ step, field }) =>
      step.api === 'CreateTopics' && field.path.endsWith('.topicId') && field.values[0] === ZERO_UUID,
  },
  {
    reason: 'assignments are told of stable groups only, as in Kafka before 4.0',
    matches: ({ step, field }) =>
      step.api === 'DescribeGroups' && field.path.endsWith('.memberAssignment') && field.values[0] === '',
  },
];

/** Why this difference is none; undefined for one that nobody has explained. */
export function knownDifference(found: Found): KnownDifference | undefined {
  return KNOWN.find(({ matches }) => matches(found));
}

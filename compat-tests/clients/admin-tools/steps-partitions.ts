/** Offsets, records, directories, elections and reassignments: the tools that look at partitions. */
import { type Step, tool } from './step';

const topics = tool('TopicCommand');
const produce = tool('ConsoleProducer');
const offsets = tool('GetOffsetShell');
const deleteRecords = tool('DeleteRecordsCommand');
const dirs = tool('LogDirsCommand');
const elect = tool('LeaderElectionCommand');
const reassign = tool('reassign.ReassignPartitionsCommand');
const replicas = tool('ReplicaVerificationTool');

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join('');

const OFFSETS: readonly Step[] = [
  topics('--create --topic cut --partitions 2'),
  topics('--create --topic cut-more --partitions 1'),
  topics('--create --topic compacted --partitions 1 --config cleanup.policy=compact'),
  topics('--describe --topic compacted', { until: /Leader: 1/ }),
  produce('--topic cut --property parse.key=true --property key.separator=e', { input: LINES }),
  offsets('--topic cut', { until: /cut:1:\d/ }),
  offsets('--exclude-internal-topics'),
  offsets("--topic 'cut.*'"),
  offsets('--topic cut --partitions 1'),
  offsets('--topic cut --partitions 0,7'),
  offsets('--topic cut --partitions x'),
  offsets('--topic-partitions cut:0,cut-more'),
  offsets('--topic-partitions cut:0-1'),
  offsets('--topic-partitions cut:1-'),
  offsets("--topic-partitions 'cut.*:-1'"),
  offsets('--topic-partitions cut --topic cut'),
  offsets('--topic cut --time -1'),
  offsets('--topic cut --time latest'),
  offsets('--topic cut --time -2'),
  offsets('--topic cut --time earliest'),
  // Records of one millisecond: which of them is named depends on when they were sent.
  produce('--topic cut-more', { input: 'only\n' }),
  offsets('--topic cut-more --time -3', { until: /:0/ }),
  offsets('--topic cut-more --time max-timestamp'),
  offsets('--topic cut --time -4'),
  offsets('--topic cut --time earliest-local'),
  offsets('--topic cut --time -5'),
  offsets('--topic cut --time latest-tiered'),
  offsets('--topic cut-more --time -6'),
  offsets('--topic cut-more --time earliest-pending-upload'),
  offsets('--topic cut --time 0'),
  offsets('--topic cut --time 1000'),
  offsets('--topic cut --time 4000000000000'),
  offsets('--topic cut --time bogus'),
  offsets('--topic missing'),
  offsets('--topic compacted --time max-timestamp'),
];

const RECORDS: readonly Step[] = [
  deleteRecords('--offset-json-file FILE:CUT'),
  offsets('--topic cut --time earliest'),
  deleteRecords('--offset-json-file FILE:CUT_ALL'),
  deleteRecords('--offset-json-file FILE:CUT_TOO_FAR'),
  deleteRecords('--offset-json-file FILE:CUT_COMPACTED'),
  deleteRecords('--command-config FILE:QUICK --offset-json-file FILE:CUT_MISSING'),
  deleteRecords('--offset-json-file FILE:CUT_TWICE'),
  deleteRecords('--offset-json-file FILE:NO_JSON'),
  offsets('--topic cut --time earliest'),
];

const DIRECTORIES: readonly Step[] = [
  dirs('--describe --topic-list cut,compacted'),
  dirs('--describe --topic-list missing'),
  dirs('--describe --broker-list 1,2'),
  dirs('--describe --broker-list 1 --topic-list cut'),
  dirs('--describe --broker-list x'),
];

const ELECTIONS: readonly Step[] = [
  elect('--election-type preferred --topic cut --partition 0'),
  elect('--election-type unclean --topic cut --partition 0'),
  elect('--election-type unclean --topic cut --partition 7'),
  elect('--election-type preferred --topic missing --partition 0'),
  elect('--election-type preferred --all-topic-partitions'),
  elect('--election-type unclean --all-topic-partitions'),
  elect('--election-type preferred --path-to-json-file FILE:ELECT'),
  elect('--election-type preferred --path-to-json-file FILE:NO_JSON'),
];

const REASSIGNMENTS: readonly Step[] = [
  reassign('--generate --topics-to-move-json-file FILE:MOVE --broker-list 1'),
  reassign('--generate --topics-to-move-json-file FILE:MOVE --broker-list 1 --disable-rack-aware'),
  reassign('--generate --topics-to-move-json-file FILE:MOVE --broker-list 2'),
  reassign('--generate --topics-to-move-json-file FILE:MOVE_MISSING --broker-list 1'),
  reassign('--execute --throttle 1000000 --reassignment-json-file FILE:REASSIGN'),
  topics('--describe --topic cut'),
  reassign('--verify --reassignment-json-file FILE:REASSIGN --preserve-throttles'),
  topics('--describe --topic cut'),
  reassign('--verify --reassignment-json-file FILE:REASSIGN'),
  topics('--describe --topic cut'),
  reassign('--execute --reassignment-json-file FILE:ELSEWHERE'),
  reassign('--command-config FILE:QUICK --verify --reassignment-json-file FILE:ELSEWHERE'),
  reassign('--execute --reassignment-json-file FILE:REASSIGN_MISSING'),
  reassign('--execute --reassignment-json-file FILE:REASSIGN_TWICE'),
  reassign('--execute --reassignment-json-file FILE:REASSIGN --disallow-replication-factor-change'),
  reassign('--cancel --reassignment-json-file FILE:REASSIGN'),
  reassign('--list'),
  replicas("--broker-list BOOTSTRAP --topics-include 'cut.*' --time -1", { start: 'replicas' }),
  replicas('', { stop: 'replicas', blur: [[/^[-\d]+ [:,\d]+/gm, 'TIME']] }),
];

/** What the words `FILE:NAME` of these steps stand for. */
export const PARTITION_FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries({
      CUT: { version: 1, partitions: [{ topic: 'cut', partition: 0, offset: 3 }] },
      CUT_ALL: { version: 1, partitions: [{ topic: 'cut', partition: 0, offset: -1 }] },
      CUT_TOO_FAR: { version: 1, partitions: [{ topic: 'cut', partition: 1, offset: 5000 }] },
      CUT_COMPACTED: { version: 1, partitions: [{ topic: 'compacted', partition: 0, offset: 0 }] },
      CUT_MISSING: { version: 1, partitions: [{ topic: 'missing', partition: 0, offset: 0 }] },
      CUT_TWICE: {
        version: 1,
        partitions: [
          { topic: 'cut', partition: 0, offset: 1 },
          { topic: 'cut', partition: 0, offset: 2 },
        ],
      },
      ELECT: { partitions: [{ topic: 'cut', partition: 1 }] },
      MOVE: { version: 1, topics: [{ topic: 'cut' }] },
      MOVE_MISSING: { version: 1, topics: [{ topic: 'missing' }] },
      REASSIGN: { version: 1, partitions: [{ topic: 'cut', partition: 0, replicas: [1], log_dirs: ['any'] }] },
      ELSEWHERE: { version: 1, partitions: [{ topic: 'cut', partition: 0, replicas: [2], log_dirs: ['any'] }] },
      REASSIGN_MISSING: { version: 1, partitions: [{ topic: 'missing', partition: 0, replicas: [1] }] },
      REASSIGN_TWICE: { version: 1, partitions: [{ topic: 'cut', partition: 0, replicas: [1, 1] }] },
    }).map(([name, content]) => [name, JSON.stringify(content)]),
  ),
  NO_JSON: 'no json',
};

export const PARTITION_STEPS: readonly Step[] = [
  ...OFFSETS,
  ...RECORDS,
  ...DIRECTORIES,
  ...ELECTIONS,
  ...REASSIGNMENTS,
];

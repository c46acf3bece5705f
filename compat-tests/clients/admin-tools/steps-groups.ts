/** kafka-consumer-groups, kafka-groups and their sisters: groups without members, with members, and none at all. */
import { type Step, tool } from './step';

const groups = tool('consumer.group.ConsumerGroupCommand');
const all = tool('GroupsCommand');
const shares = tool('consumer.group.ShareGroupCommand');
const streams = tool('streams.StreamsGroupCommand');
const topics = tool('TopicCommand');
const produce = tool('ConsoleProducer');
const consume = tool('consumer.ConsoleConsumer');

const LINES = Array.from({ length: 60 }, (_, at) => `key ${at % 7}\tvalue ${at}\n`).join('');
/** Streams groups are of 4.1 and later. */
/** Java's own sets come in another order in each process. */
const UNORDERED = [[/(Valid \w+ are:? ).*/g, '$1…']] as const;
const BEFORE_STREAMS = ['4.0.2'];

const PREPARE: readonly Step[] = [
  topics('--create --topic read --partitions 3'),
  topics('--create --topic aside --partitions 1'),
  topics('--describe --topic aside', { until: /Leader: 1/ }),
  produce('--topic read --property parse.key=true', { input: LINES }),
  produce('--topic aside', { input: LINES }),
  consume(
    '--topic read --group readers --from-beginning --max-messages 60 --timeout-ms 20000 --property print.key=true',
  ),
  consume('--topic aside --group readers --from-beginning --max-messages 20 --timeout-ms 20000'),
  consume('--topic aside --group others --from-beginning --max-messages 5 --timeout-ms 20000'),
];

const LOOK: readonly Step[] = [
  groups('--list', { until: /others.*readers|readers.*others/s }),
  groups('--list --state', { until: /others +Empty.*readers +Empty|readers +Empty.*others +Empty/s }),
  groups('--list --state Empty,stable'),
  groups('--list --state Dead'),
  groups('--list --state bogus', { blur: UNORDERED }),
  groups('--list --type'),
  groups('--list --type classic'),
  groups('--list --type consumer,classic --state empty'),
  groups('--list --type bogus'),
  groups('--describe --group readers'),
  groups('--describe --group readers --offsets --verbose'),
  groups('--describe --group readers --members'),
  groups('--describe --group readers --members --verbose'),
  groups('--describe --group readers --state'),
  groups('--describe --group readers --state --verbose'),
  groups('--describe --group readers --group others'),
  groups('--describe --all-groups'),
  groups('--describe --all-groups --state'),
  groups('--describe --all-groups --members --verbose'),
  groups('--describe --group missing'),
  groups('--describe --group missing --members'),
  groups('--describe --group missing --state'),
  groups("--validate-regex 'a.*[b]'"),
  groups("--validate-regex 'a(?=b)'"),
];

const RESET: readonly Step[] = [
  groups('--reset-offsets --group readers --topic read --to-earliest --dry-run'),
  groups('--reset-offsets --group readers --topic read --to-earliest'),
  groups('--reset-offsets --group readers --topic read --to-earliest --execute'),
  groups('--describe --group readers'),
  groups('--reset-offsets --group readers --topic read:0,2 --to-latest --execute'),
  groups('--reset-offsets --group readers --topic read:7 --to-latest --execute'),
  groups('--reset-offsets --group readers --topic read:x --to-latest --execute'),
  groups('--reset-offsets --group readers --topic read:1 --to-offset 5 --execute'),
  groups('--reset-offsets --group readers --topic read --to-offset 1000 --execute'),
  groups('--reset-offsets --group readers --topic read --to-offset -3 --execute'),
  groups('--reset-offsets --group readers --all-topics --to-current --execute'),
  groups('--reset-offsets --group readers --topic read --shift-by -3 --execute'),
  groups('--reset-offsets --group readers --topic read --shift-by 2 --execute'),
  groups('--reset-offsets --group readers --topic read --shift-by -1000 --execute'),
  groups('--reset-offsets --group readers --all-topics --by-duration P1D --execute'),
  groups('--reset-offsets --group readers --all-topics --by-duration PT0S --execute'),
  groups('--reset-offsets --group readers --all-topics --by-duration bogus --execute'),
  groups('--reset-offsets --group readers --all-topics --to-datetime 2020-01-01T00:00:00.000 --execute'),
  groups('--reset-offsets --group readers --all-topics --to-datetime 2099-01-01T00:00:00.000+01:00 --execute'),
  groups('--reset-offsets --group readers --all-topics --to-datetime bogus --execute'),
  groups('--reset-offsets --group readers --topic read --topic aside --to-offset 4 --export', { save: 'PLAN' }),
  groups('--reset-offsets --group readers --from-file FILE:PLAN --dry-run'),
  groups('--reset-offsets --group readers --from-file FILE:PLAN --execute'),
  groups('--reset-offsets --group readers --from-file FILE:MISSING --execute'),
  groups('--reset-offsets --group readers --group others --all-topics --to-earliest --export'),
  groups('--reset-offsets --all-groups --topic aside --to-offset 7 --execute'),
  groups('--reset-offsets --group fresh --topic read --to-offset 3 --execute'),
  groups('--reset-offsets --group fresh --topic missing --to-offset 3 --execute'),
  groups('--reset-offsets --group fresh --all-topics --to-current --execute'),
  groups('--reset-offsets --group nobody --all-topics --to-earliest --execute'),
  groups('--reset-offsets --group readers --to-earliest --execute'),
  groups('--describe --all-groups'),
];

const MEMBERS: readonly Step[] = [
  consume(
    '--topic read --group active --consumer-property client.id=m1 --consumer-property auto.commit.interval.ms=100',
    { start: 'm1' },
  ),
  groups('--describe --group active --state', { until: /Stable +1/ }),
  groups('--describe --group active', { until: /read +0 +\d/ }),
  groups('--describe --group active --offsets --verbose'),
  groups('--describe --group active --members'),
  groups('--describe --group active --members --verbose'),
  groups('--describe --group active --state --verbose'),
  groups('--list --state stable'),
  groups('--reset-offsets --group active --topic read --to-earliest --execute'),
  groups('--reset-offsets --group active --topic read --to-earliest --dry-run'),
  groups('--delete --group active'),
  groups('--delete-offsets --group active --topic read'),
  groups('--delete-offsets --group active --topic aside'),
  groups('--delete --all-groups --timeout 5000'),
  all('--list'),
  all('--list --consumer'),
  all('--list --group-type classic'),
  all('--list --group-type share'),
  all('--list --group-type bogus'),
  all('--list --protocol consumer'),
  all('--list --protocol consumer --group-type classic'),
  all('--list --share'),
  all('--list --streams', { except: BEFORE_STREAMS }),
  consume('', { stop: 'm1' }),
  groups('--describe --group active --state', { until: /Empty/ }),
  groups('--describe --group active --members'),
];

const DELETE: readonly Step[] = [
  groups('--reset-offsets --group doomed --topic read --topic aside --to-offset 4 --execute'),
  groups('--delete-offsets --group doomed --topic read:1'),
  groups('--delete-offsets --group doomed --topic read:9'),
  groups('--delete-offsets --group doomed --topic missing'),
  groups('--delete-offsets --group doomed --topic aside'),
  groups('--delete-offsets --group missing --topic read'),
  groups('--describe --group doomed'),
  groups('--delete --group doomed'),
  groups('--delete --group doomed'),
  groups('--delete --group doomed --group active'),
  groups('--describe --group doomed'),
  groups('--delete --all-groups'),
  groups('--list'),
];

const OTHER_KINDS: readonly Step[] = [
  shares('--list'),
  shares('--describe --group missing', { instead: /does not support SHARE_GROUP_DESCRIBE/ }),
  shares('--delete --group missing'),
  streams('--list', { except: BEFORE_STREAMS }),
  streams('--describe --group missing', {
    except: BEFORE_STREAMS,
    instead: /does not support STREAMS_GROUP_DESCRIBE/,
  }),
  streams('--delete --group missing', { except: BEFORE_STREAMS }),
];

export const GROUP_STEPS: readonly Step[] = [...PREPARE, ...LOOK, ...RESET, ...MEMBERS, ...DELETE, ...OTHER_KINDS];

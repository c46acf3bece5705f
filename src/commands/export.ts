/** `odradek export`: data directories for a real Kafka. Exit code 1 where nothing was exported. */
import type { Command } from 'commander';
import { systemClock } from '../base/clock';
import { systemRandom } from '../base/random';
import { StartFailure } from '../base/start-failure';
import { diskLocking } from '../disk-locking';
import { fail, say } from './command-line';
import { ownDirectories, placeOf } from './directory-owner';
import { ProgressLine } from './progress-line';

interface ExportCommandOptions {
  readonly inPlace?: true;
}

const HELP = `
Makes what a single Apache Kafka 4.x node (broker and controller in one) needs to start on the data and serve the same
records at the same offsets, with topics, settings, quotas, committed offsets and the state of producers. Needs room
for a copy; with --in-place the directories themselves become Kafka's, and odradek-metadata.* get names that end in
.former. Odradek takes a directory that Kafka had back like any other of Kafka's.

The broker must be stopped. Then start Kafka, without formatting, with these properties (ports as you like):

  process.roles=broker,controller
  node.id=N                       the number that this command tells
  controller.quorum.voters=N@localhost:9093
  listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093
  controller.listener.names=CONTROLLER
  log.dirs=TARGET                 in place: the same directories in the same order
  offsets.topic.replication.factor=1
  transaction.state.log.replication.factor=1
  transaction.state.log.min.isr=1

ACLs, users, tokens and settings of the broker's own file do not go along: what server.properties said, or --override,
Kafka has to be told again, log.retention.* above all. The cluster is one of metadata.version 4.0; kafka-features
upgrades it.

Examples:
  odradek export data kafka-data
  odradek export --in-place /disk1/odradek /disk2/odradek
`;

/** The directories to be read, and where a copy goes. */
function places(
  words: readonly string[],
  inPlace: boolean,
): { sources: readonly string[]; target: string | undefined } {
  if (inPlace) return { sources: words, target: undefined };
  if (words.length === 2) return { sources: words.slice(0, 1), target: placeOf(words[1]!) };
  throw new StartFailure(
    words.length === 1
      ? 'where to? Name a directory for the copy, or use --in-place'
      : 'several data directories cannot become one: use --in-place',
  );
}

async function exportDirectories(words: readonly string[], options: ExportCommandOptions): Promise<void> {
  const { sources, target } = places(words, options.inPlace === true);
  const owned = await ownDirectories(sources, { exclusively: true });
  const { exportData } = require('../offline/export-data') as typeof import('../offline/export-data');
  const { nodeFileSystem } = require('../log/node-file-system') as typeof import('../log/node-file-system');
  const { realPath } = diskLocking();
  const progress = new ProgressLine('export');
  const exported = await exportData({
    fileSystem: nodeFileSystem,
    random: systemRandom,
    clock: systemClock,
    directories: owned.paths,
    target,
    realPath,
    onProgress: (at) => progress.show(at),
  });
  progress.wipe();
  await owned.release();
  if (!exported.ok) throw new StartFailure(exported.error);
  const { directories, topics, partitions, clusterId, brokerId, remarks } = exported.value;
  for (const remark of remarks) say(`note: ${remark}`);
  say(`exported ${topics} topics, ${partitions} partitions to ${directories.join(', ')}`);
  say(`start Kafka with node.id=${brokerId} and log.dirs=${directories.join(',')}; cluster.id is ${clusterId}`);
}

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('make data directories that a real Kafka 4.x starts on')
    .argument('<directory...>', 'the data directory and where the copy goes; in place: all data directories')
    .option('--in-place', 'make no copy: the directories become those of Kafka')
    .addHelpText('after', HELP)
    .action((words: string[], options: ExportCommandOptions) =>
      exportDirectories(words, options).catch((error) => fail(error)),
    );
}

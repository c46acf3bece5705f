/**
 * `odradek verify`: a check of whole data directories. Findings go to standard output, one a line; progress to standard
 * error. Exit codes: 0 all is well, 1 problems were found, 2 there is nothing that can be checked.
 */
import type { Command } from 'commander';
import { StartFailure } from '../base/start-failure';
import type { Finding } from '../offline/finding';
import type { VerifySummary } from '../offline/verify-data';
import { fail, say } from './command-line';
import { ownDirectories } from './directory-owner';
import { ProgressLine } from './progress-line';

interface VerifyCommandOptions {
  readonly json?: true;
}

const HELP = `
Name all data directories (log.dirs) of a broker together, the first one first. Reads every batch and compares it with
its checksum, its records, its indexes, producer snapshots, leader epochs, checkpoints and the broker's metadata.
Changes nothing. A broker that runs on the directories is told of: what it is writing may look damaged. None starts on
them meanwhile.

A line is \`problem\` or \`note: FILE[ at byte N]: what is wrong; at start: what the broker does about it\`. Notes are
no faults: leftovers that a start clears away, indexes that it builds anew after a crash.

Exit code: 0 no problems, 1 problems, 2 nothing that can be checked.

Examples:
  odradek verify data
  odradek verify --json /disk1/kafka /disk2/kafka > findings.jsonl
`;

const PROBLEMS = 1;
const CANNOT_CHECK = 2;
const GIGABYTE = 1e9;

function summaryText({ partitions, copies, skipped, bytes, problems, notes }: VerifySummary): string {
  const size = bytes < GIGABYTE / 10 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / GIGABYTE).toFixed(1)} GB`;
  const also = copies > 0 ? ` and ${copies} copies on their way` : '';
  const left = skipped > 0 ? `, skipped ${skipped} directories` : '';
  return `verified ${partitions} partitions${also}, ${size}${left}: ${problems} problems, ${notes} notes`;
}

async function verify(directories: readonly string[], { json }: VerifyCommandOptions): Promise<void> {
  const owned = await ownDirectories(directories, { exclusively: false });
  const { findingText } = require('../offline/finding') as typeof import('../offline/finding');
  const { verifyData } = require('../offline/verify-data') as typeof import('../offline/verify-data');
  const { nodeFileSystem } = require('../log/node-file-system') as typeof import('../log/node-file-system');
  const progress = new ProgressLine('verify');
  const verified = await verifyData({
    fileSystem: nodeFileSystem,
    directories: owned.paths,
    onProgress: (at) => progress.show(at, at.partition),
    onFinding: (finding: Finding) => {
      progress.wipe();
      say(json ? JSON.stringify(finding) : findingText(finding));
    },
  });
  progress.wipe();
  await owned.release();
  if (!verified.ok) throw new StartFailure(verified.error);
  say(json ? JSON.stringify({ summary: verified.value }) : summaryText(verified.value));
  if (verified.value.problems > 0) process.exitCode = PROBLEMS;
}

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : CANNOT_CHECK))
    .description('check data directories while no broker runs on them')
    .argument('<directory...>', 'data directories of one broker')
    .option('--json', 'a line of JSON for each finding, and one for the sum')
    .addHelpText('after', HELP)
    .action((directories: string[], options: VerifyCommandOptions) =>
      verify(directories, options).catch((error) => fail(error, CANNOT_CHECK)),
    );
}

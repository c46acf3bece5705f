/**
 * rsyslog (imfile, omkafka) ships a real log file of this machine to a topic of one partition, and a consumer gets
 * every line once and in order. Lines are numbered, so that a file shorter than wanted can be shipped several times.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBrokerProcess } from '../../broker-process';
import { type Checks, commandExists, expectSame, run, runChecks } from '../../checks';

const LEAST_LINES = 20_000;
/** Log files that a machine has; the first one with lines is taken. */
const LOG_FILES = ['/var/log/syslog', '/var/log/messages', '/var/log/dpkg.log', '/var/log/apt/history.log'];
const PATIENCE_MS = 60_000;

/** At least LEAST_LINES numbered lines of a real log file. */
function realLog(): string[] {
  const file = LOG_FILES.find((name) => existsSync(name) && readFileSync(name).length > 0);
  if (file === undefined) throw new Error(`none of ${LOG_FILES.join(', ')} has a line`);
  // rsyslog splits a message that is longer than its limit, and drops the spaces at a line's end.
  const short = (line: string): string => line.slice(0, 1000).trimEnd();
  const lines = readFileSync(file, 'latin1')
    .split('\n')
    .map(short)
    .filter((line) => line !== '');
  const rounds = Math.ceil(LEAST_LINES / lines.length);
  return Array.from({ length: rounds * lines.length }, (_, at) => `${at} ${lines[at % lines.length]}`);
}

function configuration(folder: string, bootstrap: string): string {
  return `
global(workDirectory="${folder}" maxMessageSize="64k")
module(load="imfile" mode="inotify")
module(load="omkafka")
template(name="line" type="string" string="%msg%")
input(type="imfile" file="${folder}/app.log" tag="app" ruleset="ship" freshStartTail="off" addMetadata="off")
ruleset(name="ship") {
  action(type="omkafka" broker=["${bootstrap}"] topic="logs" template="line" partitions.auto="on"
    confParam=["acks=all", "broker.address.family=v4", "enable.idempotence=true"] resubmitOnFailure="on")
}
`;
}

function startShipper(folder: string, bootstrap: string): ChildProcess {
  const file = path.join(folder, 'rsyslog.conf');
  writeFileSync(file, configuration(folder, bootstrap));
  return spawn('rsyslogd', ['-n', '-f', file, '-i', path.join(folder, 'pid')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function suite(checks: Checks): Promise<void> {
  if (!commandExists('rsyslogd') || !commandExists('kcat')) {
    checks.skip('rsyslog', 'rsyslogd with omkafka or kcat is not installed');
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-rsyslog-'));
  const broker = await startBrokerProcess();
  const addressed = ['-b', broker.bootstrap, '-X', 'broker.address.family=v4'];
  const kcat = [...addressed, '-t', 'logs', '-q'];
  const read = (from: number, count: number): Promise<string> =>
    run('kcat', [...kcat, '-C', '-o', String(from), '-c', String(count)], { timeoutMs: PATIENCE_MS });
  const lines = realLog();
  const late = lines.slice(0, 500).map((line) => `later ${line}`);
  writeFileSync(path.join(folder, 'app.log'), lines.map((line) => `${line}\n`).join(''));
  const shipper = startShipper(folder, broker.bootstrap);
  await checks.check('the shipper creates its topic by itself', async () => {
    while (!/topic "logs" with 1 partitions:\n.*leader \d+/.test(await run('kcat', [...addressed, '-L']))) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

  await checks.check(`${lines.length} lines of a real log file arrive once and in order`, async () => {
    expectSame(await read(0, lines.length), lines.map((line) => `${line}\n`).join(''), 'shipped lines');
  });
  await checks.check('lines that are written later follow', async () => {
    for (const line of late) appendFileSync(path.join(folder, 'app.log'), `${line}\n`);
    expectSame(await read(lines.length, late.length), late.map((line) => `${line}\n`).join(''), 'later lines');
  });
  await checks.check('nothing arrives twice', async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const all = await run('kcat', [...kcat, '-C', '-o', 'beginning', '-e']);
    expectSame(String(all.split('\n').length - 1), String(lines.length + late.length), 'number of lines');
  });
  const ended = new Promise((resolve) => shipper.once('close', resolve));
  shipper.kill('SIGTERM');
  await ended;
  await broker.stop();
  rmSync(folder, { recursive: true });
}

runChecks(suite);

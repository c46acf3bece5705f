/**
 * kcat (librdkafka) sends a real text file with every compression, with and without the idempotent producer, and reads
 * it back line for line; and what else people do with it: metadata, offsets by time, keys, headers, groups.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBrokerProcess } from '../../broker-process';
import { type Checks, commandExists, expectMatch, expectSame, run, runChecks } from '../../checks';

const ROOT = path.join(__dirname, '..', '..', '..');
const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

/** kcat sends no empty lines, so the text has none. */
function realText(): string {
  return ['LICENSE', 'node_modules/@types/node/fs.d.ts', 'package-lock.json']
    .map((name) => readFileSync(path.join(ROOT, name), 'utf8').replace(/^\n+/gm, ''))
    .join('');
}

async function suite(checks: Checks): Promise<void> {
  if (!commandExists('kcat')) {
    checks.skip('kcat', 'kcat is not installed');
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'odradek-kcat-'));
  const file = path.join(folder, 'text');
  const text = realText();
  writeFileSync(file, text);
  const broker = await startBrokerProcess();
  const kcat = (words: readonly string[], input?: string): Promise<string> =>
    run('kcat', ['-b', broker.bootstrap, '-X', 'broker.address.family=v4', ...words], { input });
  const readAll = (topic: string, ...words: string[]): Promise<string> =>
    kcat(['-C', '-t', topic, '-o', 'beginning', '-e', '-q', ...words]);

  for (const codec of CODECS) {
    await checks.check(`a text file with ${codec}, line for line`, async () => {
      await kcat(['-P', '-t', `text-${codec}`, '-z', codec, '-l', file]);
      expectSame(await readAll(`text-${codec}`), text, `text-${codec}`);
    });
    await checks.check(`a text file with ${codec} and the idempotent producer`, async () => {
      await kcat(['-P', '-t', `idem-${codec}`, '-z', codec, '-X', 'enable.idempotence=true', '-l', file]);
      expectSame(await readAll(`idem-${codec}`), text, `idem-${codec}`);
    });
  }

  for (const acks of ['0', '1', 'all']) {
    await checks.check(`acks=${acks}`, async () => {
      const lines = Array.from({ length: 1000 }, (_, at) => `line ${at}\n`).join('');
      await kcat(['-P', '-t', `acks-${acks}`, '-X', `acks=${acks}`], lines);
      expectSame(await readAll(`acks-${acks}`), lines, `acks-${acks}`);
    });
  }

  await checks.check('metadata names broker and topics', async () => {
    const metadata = await kcat(['-L']);
    expectMatch(metadata, new RegExp(`broker \\d+ at \\S+:${broker.port}`), 'brokers');
    expectMatch(metadata, /topic "text-gzip" with 1 partitions:/, 'topics');
    expectMatch(metadata, /partition 0, leader \d+, replicas: \d+, isrs: \d+/, 'partitions');
  });

  await checks.check('keys, headers, tombstones and timestamps come back', async () => {
    await kcat(['-P', '-t', 'rich', '-K', ':', '-H', 'a=1', '-H', 'b=two'], 'key:value\n');
    await kcat(['-P', '-t', 'rich', '-K', ':', '-Z'], 'gone:\n');
    const seen = await readAll('rich', '-f', '%k|%s|%h|%o|%S\n');
    expectSame(seen, 'key|value|a=1,b=two|0|5\ngone|||1|-1\n', 'rich');
    expectMatch(await readAll('rich', '-f', '%T\n'), /^\d{13}\n\d{13}\n$/, 'timestamps');
  });

  await checks.check('offsets: from one, from the end, and by timestamp', async () => {
    expectSame(await kcat(['-C', '-t', 'acks-1', '-o', '998', '-e', '-q']), 'line 998\nline 999\n', 'absolute');
    expectSame(await kcat(['-C', '-t', 'acks-1', '-o', '-1', '-e', '-q']), 'line 999\n', 'from the end');
    expectMatch(await kcat(['-Q', '-t', 'acks-1:0:1']), /acks-1 \[0\] offset 0\b/, 'by timestamp');
  });

  await checks.check('a group reads on where it stopped', async () => {
    const read = (count: number): Promise<string> =>
      kcat(['-G', 'readers', '-c', String(count), '-q', '-X', 'auto.offset.reset=earliest', 'acks-all']);
    expectSame(await read(10), lineRange(0, 10), 'first part');
    expectSame(await read(5), lineRange(10, 15), 'second part');
  });

  await broker.stop();
  rmSync(folder, { recursive: true });
}

function lineRange(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join('');
}

runChecks(suite);

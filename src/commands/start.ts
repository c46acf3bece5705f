/**
 * `odradek start`: options, signals and the lines on standard output around a running broker; logs go to standard
 * error. Exit codes are Kafka's: 0 after a clean stop, 1 for everything that went wrong; an impatient second signal
 * ends with 128 + its number.
 */
import { constants } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock, type Timer } from '../base/clock';
import type { Logger, LogLevel } from '../base/logger';
import { StartFailure } from '../base/start-failure';
import type { RunningBroker } from '../broker';
import { describeProblem } from '../config/broker-config';
import { type LoadedConfig, loadConfig } from '../config/layers';
import { fail, readFile, say, version } from './command-line';

interface StartOptions {
  readonly override: readonly string[];
  readonly port?: number;
  readonly dataDir?: string;
  readonly strict?: boolean;
  readonly logLevel?: LogLevel;
}

const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

/** Names of Kafka's logging library, for the variable of its container image. */
const LOG4J_LEVELS: Readonly<Record<string, LogLevel>> = {
  ALL: 'debug',
  TRACE: 'debug',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
  FATAL: 'error',
  OFF: 'silent',
};

const EXAMPLES = `
Examples:
  odradek start                                    a broker on port 9092 with its data in ./data
  odradek start --port 0 --data-dir /tmp/broker    any free port; it is printed when the broker is ready
  odradek start server.properties                  a file as Kafka has it
  odradek start --override num.partitions=3 --override log.retention.hours=24

Settings, later ones win: the file, environment variables as in Kafka's container image (KAFKA_LOG_DIRS for log.dirs),
--override, --port and --data-dir.
`;

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) throw new InvalidArgumentError('a port is a number from 0 to 65535');
  return port;
}

function load(file: string | undefined, options: StartOptions): LoadedConfig {
  const loaded = loadConfig({
    fileText: file === undefined ? undefined : readFile(file).toString('utf8'),
    environment: process.env,
    overrides: options.override,
    port: options.port,
    dataDir: options.dataDir,
    strict: options.strict,
  });
  if (!loaded.ok) throw new StartFailure(loaded.error.map(describeProblem).join('\n'));
  return loaded.value;
}

function logLevel(options: StartOptions): LogLevel {
  const variable = process.env.KAFKA_LOG4J_ROOT_LOGLEVEL?.toUpperCase() ?? '';
  return options.logLevel ?? LOG4J_LEVELS[variable] ?? 'info';
}

/** How this machine reaches an end point that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '' || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function readyLine(broker: RunningBroker): string {
  const addresses = broker.endpoints
    .map(({ listener, host, port }) => `${listener}://${reachableHost(host)}:${port}`)
    .join(',');
  const uptimeMs = Math.round(process.uptime() * 1000);
  return (
    `odradek ${version()} ready ${addresses} broker.id=${broker.brokerId} cluster.id=${broker.clusterId} ` +
    `in ${uptimeMs} ms`
  );
}

const PROGRESS_INTERVAL_MS = 1000;

/** Closes the broker, with a line of progress each second while that takes longer. */
async function stopWithProgress(broker: RunningBroker): Promise<void> {
  let progress = '';
  let timer: Timer;
  const tick = (): void => {
    say(`odradek is stopping${progress}`);
    timer = systemClock.schedule(PROGRESS_INTERVAL_MS, tick);
  };
  timer = systemClock.schedule(PROGRESS_INTERVAL_MS, tick);
  await broker.close({
    onProgress: (closed, total) => {
      progress = `: ${closed} of ${total} logs flushed`;
    },
  });
  timer.cancel();
}

/** Signals closer than this are one: npm and others pass on what the terminal has sent to all of them already. */
const SAME_SIGNAL_MS = 200;

/**
 * Stops once on the first signal, with the clean-shutdown mark; gives up on the second, without it, and while the
 * broker starts (undefined). Said explicitly, since process 1 of a container ignores signals that it does not listen
 * to.
 */
function stopOnSignals(running: () => RunningBroker | undefined, logger: Logger): void {
  let stoppingSinceMs: number | undefined;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    const nowMs = systemClock.monotonicMs();
    if (stoppingSinceMs !== undefined) {
      if (nowMs - stoppingSinceMs < SAME_SIGNAL_MS) return;
      say(`odradek stops at once on a second ${signal}`);
      process.exit(128 + constants.signals[signal]);
    }
    stoppingSinceMs = nowMs;
    const broker = running();
    if (broker === undefined) {
      say(`odradek stops at once on ${signal}: it was not ready yet`);
      process.exit(128 + constants.signals[signal]);
    }
    logger.info('stopping', { signal });
    await stopWithProgress(broker);
    say('odradek stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error) => fail(error));
    });
  }
}

async function start(file: string | undefined, options: StartOptions): Promise<void> {
  const loaded = load(file, options);
  const { createLogger } = require('../base/logger') as typeof import('../base/logger');
  const { runBroker } = require('../broker') as typeof import('../broker');
  // Before the broker is ready: from then on a file that cannot be opened ends nothing.
  const { loadAhead } = require('../load-ahead') as typeof import('../load-ahead');
  const logger = createLogger(logLevel(options));
  for (const { message, fields } of loaded.warnings) logger.warn(message, fields);
  let broker: RunningBroker | undefined;
  stopOnSignals(() => broker, logger);
  broker = await runBroker({ ...loaded, logger, clusterId: process.env.CLUSTER_ID });
  say(readyLine(broker));
  await loadAhead(systemClock);
}

export function addStartCommand(program: Command): void {
  program
    .addHelpText('after', EXAMPLES)
    .command('start')
    .description('run a broker until it is told to stop (SIGTERM or Ctrl-C)')
    .argument('[server.properties]', 'settings in the format of Kafka')
    .option('--override <key=value>', 'one setting; repeatable', (pair, pairs: string[]) => [...pairs, pair], [])
    .option('--port <number>', 'port of the first listener; 0 for any free one (default: 9092)', parsePort)
    .option('--data-dir <directory>', 'where the data are kept (default: ./data)')
    .option('--strict', 'refuse to start with unknown settings instead of warning')
    .addOption(new Option('--log-level <level>', 'least level of logged lines (default: info)').choices(LOG_LEVELS))
    .addHelpText('after', EXAMPLES)
    .action((file: string | undefined, options: StartOptions) => start(file, options).catch(fail));
}

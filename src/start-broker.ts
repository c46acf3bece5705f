/**
 * The broker as a library: `startBroker` runs one inside this process, for tests and tools. Owns the translation of its
 * few options into settings; everything else is `broker.ts`.
 */
import { systemClock } from './base/clock';
import { createLogger, type LogLevel } from './base/logger';
import { StartFailure } from './base/start-failure';
import { runBroker } from './broker';
import { describeProblem } from './config/broker-config';
import { loadConfig } from './config/layers';
import { loadAhead } from './load-ahead';
import { MemoryFileSystem } from './log/memory-file-system';

export interface StartBrokerOptions {
  /** 0, the default, for any free port. */
  readonly port?: number;
  /** The address to listen on; default `127.0.0.1`. */
  readonly host?: string;
  /** Where to keep the data; made when missing. Without it, they are in memory and gone after `close()`. */
  readonly dataDir?: string;
  readonly storage?: 'memory' | 'disk';
  /** Any of Kafka's broker settings, by name. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  /** Least level of the lines on standard error; default `warn`. */
  readonly logLevel?: LogLevel;
}

export interface EmbeddedBroker {
  /** `host:port`, for a client's list of bootstrap servers. */
  readonly bootstrap: string;
  readonly host: string;
  readonly port: number;
  readonly brokerId: number;
  readonly clusterId: string;
  /** Where metrics and health are asked for over HTTP; undefined without `odradek.metrics.listener`. */
  readonly metricsPort: number | undefined;
  /** Stops the broker; nothing of it is left when this resolves. */
  close(): Promise<void>;
}

const DEFAULT_HOST = '127.0.0.1';
const MEMORY_DIRECTORY = '/odradek';

/** Resolves when the broker serves. Rejects with a message for humans where an option or setting is wrong. */
export async function startBroker(options: StartBrokerOptions = {}): Promise<EmbeddedBroker> {
  const { port = 0, host = DEFAULT_HOST, dataDir, storage = dataDir === undefined ? 'memory' : 'disk' } = options;
  if (storage === 'memory' && dataDir !== undefined)
    throw new StartFailure('dataDir is of no use with storage "memory"');
  if (storage === 'disk' && dataDir === undefined) throw new StartFailure('storage "disk" needs a dataDir');
  const address = host.includes(':') ? `[${host}]` : host;
  const settings = { listeners: `PLAINTEXT://${address}:${port}`, ...options.config };
  const loaded = loadConfig({
    overrides: Object.entries(settings).map(([key, value]) => `${key}=${value}`),
    dataDir: dataDir ?? MEMORY_DIRECTORY,
  });
  if (!loaded.ok) throw new StartFailure(loaded.error.map(describeProblem).join('\n'));
  const logger = createLogger(options.logLevel ?? 'warn');
  for (const { message, fields } of loaded.value.warnings) logger.warn(message, fields);
  const fileSystem = storage === 'memory' ? new MemoryFileSystem(systemClock) : undefined;
  const broker = await runBroker({ ...loaded.value, logger, fileSystem });
  let isClosing = false;
  void loadAhead(systemClock, () => isClosing);
  const [first] = broker.endpoints;
  return {
    bootstrap: `${address}:${first!.port}`,
    host,
    port: first!.port,
    brokerId: broker.brokerId,
    clusterId: broker.clusterId,
    metricsPort: broker.metricsPort,
    close: () => {
      isClosing = true;
      return broker.close();
    },
  };
}

/**
 * Puts together what operators watch: the numbers that the broker's parts keep, the HTTP endpoint where they are asked
 * for, and the lines about what is slow. Owns which of it runs: the endpoint, and what only it needs, where
 * `odradek.metrics.listener` is set. It opens first and closes last, so that it can tell of starts and stops.
 */
import type { BrokerServices } from './api/broker-services';
import type { RequestObserver } from './api/request-observer';
import { type Clock, systemClock } from './base/clock';
import type { Logger } from './base/logger';
import type { BrokerConfig } from './config/broker-config';
import { parseHostPort } from './config/metrics-listener';
import type { FileSystem } from './log/file-system';
import type { LogManager } from './log/log-manager';
import type { HttpEndpoint } from './net/http-endpoint';
import type { Server } from './net/server';
import { LoopWatch } from './observe/loop-watch';
import type { Observatory } from './observe/observatory';
import { RequestNumbers } from './observe/request-numbers';
import { SlowRequestLog } from './observe/slow-request-log';

export interface ObservationOptions {
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The parts of a broker that serves. */
export interface ServingParts {
  readonly services: BrokerServices;
  readonly logManager: LogManager;
  readonly fileSystem: FileSystem;
  readonly server: Server;
}

/** The endpoint and what only it needs. */
interface Open {
  readonly observatory: Observatory;
  readonly endpoint: HttpEndpoint;
  readonly requests: RequestNumbers;
}

export class Observation {
  /** To be told of requests. */
  readonly observers: readonly RequestObserver[];
  readonly #loop: LoopWatch;
  readonly #open: Open | undefined;

  private constructor({ config, clock, logger }: ObservationOptions, open: Open | undefined) {
    this.#open = open;
    const slow = new SlowRequestLog({ clock, logger, slowMs: () => config.get('odradek.slow.request.ms') });
    this.observers = open ? [slow, open.requests] : [slow];
    const warnMs = () => config.get('odradek.event.loop.delay.warn.ms');
    this.#loop = new LoopWatch({ clock: systemClock, logger, warnMs });
  }

  /** Rejects with `StartFailure` where the endpoint cannot listen. */
  static async open(options: ObservationOptions): Promise<Observation> {
    const listener = options.config.get('odradek.metrics.listener');
    return new Observation(options, listener ? await openEndpoint(options, listener) : undefined);
  }

  /** Where metrics and health are asked for; undefined: nowhere. */
  get metricsPort(): number | undefined {
    return this.#open?.endpoint.port;
  }

  onServing({ services, logManager, fileSystem, server }: ServingParts): void {
    this.#open?.observatory.onServing({
      services,
      logManager,
      fileSystem,
      network: () => server.numbers(),
      requests: this.#open.requests,
      loop: this.#loop,
    });
  }

  onStopping(): void {
    this.#open?.observatory.onStopping();
  }

  async close(): Promise<void> {
    this.#loop.close();
    await this.#open?.endpoint.close();
  }
}

/** Loaded only where they are wanted: prom-client and HTTP take time to load. */
async function openEndpoint({ clock, logger }: ObservationOptions, listener: string): Promise<Open> {
  const { Observatory } = require('./observe/observatory') as typeof import('./observe/observatory');
  const { HttpEndpoint } = require('./net/http-endpoint') as typeof import('./net/http-endpoint');
  const { host, port } = parseHostPort(listener)!;
  const observatory = new Observatory(clock);
  const endpoint = await HttpEndpoint.open({ host, port, handler: (path) => observatory.report(path), logger });
  logger.info('metrics and health are served over HTTP', { host, port: endpoint.port });
  return { observatory, endpoint, requests: new RequestNumbers() };
}

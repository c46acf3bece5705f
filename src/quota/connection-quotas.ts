/**
 * How fast connections may be made (KIP-612): over the whole broker and on each listener (settings, which may change at
 * run time), and from each address (quotas). Owns the counting; holding and closing sockets is `net/accept-queue.ts`'s.
 * Where the broker's own traffic has a listener for itself, that one is not held up by the others' rate.
 */
import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { ConnectionAdmission } from '../base/transport';
import type { ImageSubscriber } from '../cluster/image-publisher';
import type { BrokerConfig } from '../config/broker-config';
import { MAX_INT } from '../config/definition';
import { listenerSetting } from '../config/listener-setting';
import { MeterTable } from './meter-table';
import { QuotaMeter } from './quota-meter';
import type { QuotaWindows } from './sampled-rate';

const RATE = 'max.connection.creation.rate';
const MS_PER_SECOND = 1000;
/** One more connection. */
const ONE = 1;

export interface ConnectionQuotasOptions {
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The listener that is not held up by the rate of the whole broker. */
  readonly protectedListener: string | undefined;
  readonly resolveHost: (host: string) => Promise<string | undefined>;
}

export class ConnectionQuotas implements ConnectionAdmission {
  readonly #o: ConnectionQuotasOptions;
  readonly #windows: QuotaWindows;
  readonly #broker: QuotaMeter;
  /** As many as there are listeners. */
  readonly #listeners = new Map<string, QuotaMeter>();
  readonly #addresses: MeterTable<QuotaMeter>;
  /** Connections a second, by address. */
  readonly #limits = new Map<string, number>();
  /** The addresses behind the names of quotas. */
  readonly #resolved = new Map<string, string>();
  #defaultLimit = MAX_INT;

  constructor(options: ConnectionQuotasOptions) {
    this.#o = options;
    const { config } = options;
    const windows = {
      count: config.get('quota.window.num'),
      sizeMs: config.get('quota.window.size.seconds') * MS_PER_SECOND,
    };
    const meter = (): QuotaMeter => new QuotaMeter(windows, { keepsDebt: false });
    this.#windows = windows;
    this.#broker = meter();
    this.#addresses = new MeterTable(meter);
  }

  readonly onImage: ImageSubscriber = async ({ changedQuotas }) => {
    const changes = changedQuotas.map(async ({ entity, values }) => {
      const host = entity.get('ip');
      const limit = values.get('connection_creation_rate');
      if (host === null) this.#defaultLimit = limit ?? MAX_INT;
      else if (host !== undefined) await this.#setLimit(host, limit);
    });
    await Promise.all(changes);
  };

  delayMs(listenerName: string): number {
    const { config, protectedListener } = this.#o;
    const brokerMs = listenerName === protectedListener ? 0 : this.#use(this.#broker, config.get(RATE));
    return Math.max(brokerMs, this.#use(this.#listener(listenerName), this.#listenerLimit(listenerName)));
  }

  /** A connection that is refused does not count, neither for its address nor for listener and broker. */
  refusalMs(listenerName: string, peerAddress: string): number {
    const limit = this.#limits.get(peerAddress) ?? this.#defaultLimit;
    if (limit === MAX_INT) return 0;
    const nowMs = this.#o.clock.monotonicMs();
    const meter = this.#addresses.get(peerAddress, nowMs);
    const refusalMs = this.#use(meter, limit);
    if (refusalMs === 0) return 0;
    meter.takeBack(ONE, nowMs);
    if (this.#listenerLimit(listenerName) !== MAX_INT) this.#listener(listenerName).takeBack(ONE, nowMs);
    const { config, protectedListener } = this.#o;
    if (listenerName !== protectedListener && config.get(RATE) !== MAX_INT) this.#broker.takeBack(ONE, nowMs);
    return refusalMs;
  }

  async #setLimit(host: string, limit: number | undefined): Promise<void> {
    if (limit === undefined) {
      this.#limits.delete(this.#resolved.get(host) ?? host);
      this.#resolved.delete(host);
      return;
    }
    const address = await this.#o.resolveHost(host);
    if (address === undefined) {
      this.#o.logger.error('a quota of connections has no effect: its host has no address', { host });
      return;
    }
    this.#resolved.set(host, address);
    this.#limits.set(address, limit);
  }

  #listener(name: string): QuotaMeter {
    let meter = this.#listeners.get(name);
    if (meter === undefined) {
      meter = new QuotaMeter(this.#windows, { keepsDebt: false });
      this.#listeners.set(name, meter);
    }
    return meter;
  }

  #listenerLimit(listenerName: string): number {
    const text = listenerSetting(this.#o.config, listenerName, RATE);
    return text === undefined ? MAX_INT : Number(text);
  }

  /** The pause, which is never longer than one window. */
  #use(meter: QuotaMeter, limit: number): number {
    if (limit === MAX_INT) return 0;
    return Math.min(this.#windows.sizeMs, meter.use(ONE, limit, this.#o.clock.monotonicMs()));
  }
}

/**
 * One request on its way: what its handler is given (`RequestContext`), and its answer. There is one for each request
 * and nothing is made for it that it does not need. Owns the order of its end: waits are over before the answer is
 * there. `dispatcher.ts` decides what the answer is.
 */
import { Later } from '../base/later';
import type { Answer, ConnectionInfo } from '../base/transport';
import type { BrokerServices } from './broker-services';
import type { ConnectionWaits, RequestWaits } from './connection-waits';
import { ANONYMOUS, type RequestContext } from './request-context';
import { NO_LIMITS, type RequestLimits } from './request-limits';
import type { RequestMeasurement } from './request-observer';
import type { MeteredThrottle } from './request-throttle';

export class Exchange implements RequestContext {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
  readonly clientId: string;
  readonly principalName = ANONYMOUS;
  readonly connection: ConnectionInfo;
  readonly broker: BrokerServices;
  readonly throttle: RequestLimits;
  readonly answer = new Later<Answer>();
  readonly measurement: RequestMeasurement;
  /** Undefined where no quota counts. */
  readonly metered: MeteredThrottle | undefined;
  readonly #waits: ConnectionWaits;
  #wait: RequestWaits | undefined;

  constructor(
    measurement: RequestMeasurement,
    o: {
      readonly broker: BrokerServices;
      readonly waits: ConnectionWaits;
      readonly metered: MeteredThrottle | undefined;
    },
  ) {
    const { header, connection } = measurement;
    this.apiKey = header.apiKey;
    this.apiVersion = header.apiVersion;
    this.correlationId = header.correlationId;
    this.clientId = header.clientId;
    this.connection = connection;
    this.broker = o.broker;
    this.throttle = o.metered ?? NO_LIMITS;
    this.measurement = measurement;
    this.metered = o.metered;
    this.#waits = o.waits;
  }

  onClose(run: () => void): void {
    if (this.answer.isThere) return;
    this.#wait ??= this.#waits.begin();
    this.#wait.onCancel(run);
  }

  endWaits(): void {
    this.#wait?.end();
  }
}

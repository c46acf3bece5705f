/** A request context for tests of single handlers: only what the handler under test touches needs to be given. */

import type { BrokerServices } from '../api/broker-services';
import { ANONYMOUS, type RequestContext } from '../api/request-context';
import { NO_LIMITS, type RequestLimits } from '../api/request-limits';
import { silentLogger } from '../base/logger';
import type { ConnectionInfo } from '../base/transport';
import { ManualClock } from './manual-clock';

export const testConnection: ConnectionInfo = {
  id: 1,
  listenerName: 'PLAINTEXT',
  localAddress: '127.0.0.1',
  localPort: 9092,
  peerAddress: '127.0.0.1',
  peerPort: 50_000,
};

export interface HandlerContextOptions {
  readonly apiKey?: number;
  readonly apiVersion?: number;
  readonly clientId?: string;
  readonly connection?: Partial<ConnectionInfo>;
  readonly throttle?: RequestLimits;
  readonly broker?: Partial<BrokerServices>;
}

export interface TestContext extends RequestContext {
  /** Runs what the handler gave to `onClose`. */
  close(): void;
}

export function handlerContext(o: HandlerContextOptions = {}): TestContext {
  const clock = new ManualClock();
  const broker = { brokerId: 1, clock, logger: silentLogger, ...o.broker };
  const onClose: (() => void)[] = [];
  return {
    apiKey: o.apiKey ?? 0,
    apiVersion: o.apiVersion ?? 0,
    correlationId: 1,
    clientId: o.clientId ?? 'test',
    principalName: ANONYMOUS,
    connection: { ...testConnection, ...o.connection },
    broker: broker as BrokerServices,
    throttle: o.throttle ?? NO_LIMITS,
    onClose: (run) => void onClose.push(run),
    close: () => {
      for (const run of onClose.splice(0)) run();
    },
  };
}

/** The end of a request: what waits for it is cancelled by a closing connection, and by nothing after the answer. */
import type { BrokerServices } from './broker-services';
import { ConnectionWaits } from './connection-waits';
import { Exchange } from './exchange';
import type { RequestMeasurement } from './request-observer';

function exchangeOn(waits: ConnectionWaits): Exchange {
  const header = { apiKey: 1, apiVersion: 12, correlationId: 7, clientId: 'c' };
  const measurement = { header, connection: {} } as unknown as RequestMeasurement;
  return new Exchange(measurement, { broker: {} as BrokerServices, waits, metered: undefined });
}

describe('Exchange', () => {
  let waits: ConnectionWaits;
  let cancelled: string[];

  beforeEach(() => {
    waits = new ConnectionWaits();
    cancelled = [];
  });

  it('runs what was asked for when the connection closes, for requests that are not over', () => {
    const [open, over] = [exchangeOn(waits), exchangeOn(waits)];
    open.onClose(() => cancelled.push('open 1'));
    open.onClose(() => cancelled.push('open 2'));
    over.onClose(() => cancelled.push('over'));
    over.endWaits();
    waits.cancel();
    expect(cancelled).toEqual(['open 1', 'open 2']);
  });

  it('waits for nothing once its answer is there', () => {
    const answered = exchangeOn(waits);
    answered.answer.settle({ chunks: [], throttleMs: 0 } as never);
    answered.onClose(() => cancelled.push('answered'));
    waits.cancel();
    expect(cancelled).toEqual([]);
  });

  it('is cancelled at once on a connection that has closed already', () => {
    waits.cancel();
    exchangeOn(waits).onClose(() => cancelled.push('late'));
    expect(cancelled).toEqual(['late']);
  });
});

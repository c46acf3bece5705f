/** Hints at leaders: known ones, unknown ones, each address once. */
import { startDataBroker } from '../testing/data-context';
import { CurrentLeaders } from './current-leader';

describe('CurrentLeaders', () => {
  it('names the leader and its address once', async () => {
    const broker = await startDataBroker();
    await broker.createTopic('t', { partitions: 2 });
    const leaders = new CurrentLeaders(broker.context(10));
    const epoch = broker.replicas.broker.metadata.image.partition('t', 0)?.leaderEpoch;
    expect(leaders.hint('t', 0)).toEqual({ leaderId: 1, leaderEpoch: epoch });
    expect(leaders.hint('t', 1).leaderId).toBe(1);
    expect(leaders.endpoints).toEqual([{ nodeId: 1, host: 'broker1', port: 9092, rack: 'r1' }]);
  });

  it('knows nothing of what nobody knows', async () => {
    const broker = await startDataBroker();
    const leaders = new CurrentLeaders(broker.context(10));
    expect(leaders.hint('missing', 0)).toEqual({ leaderId: -1, leaderEpoch: -1 });
    expect(leaders.endpoints).toEqual([]);
  });
});

/** What a client is asked for, by the settings of subscriptions. */
import { type ClientAttributes, parseSubscription, wantedOf } from './subscription';

const CLIENT: ClientAttributes = {
  client_instance_id: 'b69cc35a-7a54-4790-aa69',
  client_id: 'app-1',
  client_software_name: 'apache-kafka-java',
  client_software_version: '4.4.0',
  client_source_address: '10.0.0.7',
  client_source_port: '50000',
};

function wanted(settings: Record<string, string>[], client: Partial<ClientAttributes> = {}) {
  const subscriptions = settings.map((each) => parseSubscription(new Map(Object.entries(each))));
  return wantedOf(subscriptions, { ...CLIENT, ...client });
}

it('asks for nothing, every five minutes, where nothing is subscribed', () => {
  expect(wanted([])).toMatchObject({ metrics: [], pushIntervalMs: 300_000 });
});

it('asks for the metrics of all subscriptions that match, as often as the most eager', () => {
  const both: Record<string, string>[] = [
    { metrics: 'org.apache.kafka.producer., org.apache.kafka.consumer.', 'interval.ms': '5000' },
    { metrics: 'org.apache.kafka.producer.,a.', 'interval.ms': '10000', match: 'client_id=app-.*' },
    { metrics: 'b.', 'interval.ms': '100', match: 'client_id=other' },
  ];
  const metrics = ['a.', 'org.apache.kafka.consumer.', 'org.apache.kafka.producer.'];
  expect(wanted(both)).toMatchObject({ metrics, pushIntervalMs: 5000 });
  expect(wanted([...both, { metrics: '*' }]).metrics).toEqual(['*']);
});

it.each([
  ['client_software_name=apache-kafka-.*', true],
  ['client_software_name=apache-kafka', false],
  ['client_software_name = apache-kafka-java , client_software_version = 4\\..*', true],
  ['client_software_name=apache-kafka-java,client_software_version=3\\..*', false],
  ['client_source_address=10\\.0\\.0\\.\\d+', true],
  ['client_source_port=5', false],
  ['client_instance_id=b69.*', true],
])('match %s: %s', (match, isMatched) => {
  expect(wanted([{ metrics: 'm', match }]).metrics).toEqual(isMatched ? ['m'] : []);
});

it('does not try patterns on names of any length', () => {
  expect(wanted([{ metrics: 'm', match: 'client_id=.*' }], { client_id: 'x'.repeat(1001) }).metrics).toEqual([]);
});

it('is done soon with a pattern and a name that were made for each other', () => {
  const client = { client_id: `${'a'.repeat(900)}!` };
  expect(wanted([{ metrics: 'm', match: 'client_id=(a+)+' }], client).metrics).toEqual([]);
});

it('has another id for other metrics, another interval and another client', () => {
  const ids = [
    wanted([{ metrics: 'a' }]),
    wanted([{ metrics: 'b' }]),
    wanted([{ metrics: 'a', 'interval.ms': '7000' }]),
    wanted([{ metrics: 'a' }], { client_instance_id: 'AAAAAAAAAAAAAAAAAAAAbA' }),
  ].map(({ subscriptionId }) => subscriptionId);
  expect(new Set(ids).size).toBe(4);
  expect(wanted([{ metrics: 'a' }]).subscriptionId).toBe(ids[0]);
  for (const id of ids) expect(id | 0).toBe(id);
});

/** Handler contexts over real replicas in memory: for tests of the handlers that read and write records. */
import { FetchSessions } from '../api/fetch-session';
import type { RequestContext } from '../api/request-context';
import { systemRandom } from '../base/random';
import { ProducerIdManager } from '../cluster/producer-id-manager';
import { handlerContext, type TestContext } from './handler-context';
import { newTopic } from './metadata-broker';
import { type ReplicaFixture, type ReplicaFixtureOptions, startReplicas } from './replica-fixture';

export interface DataBroker {
  readonly replicas: ReplicaFixture;
  readonly fetchSessions: FetchSessions;
  /** The context of a request of that version. */
  context(apiVersion: number, o?: Partial<Pick<RequestContext, 'clientId'>>): TestContext;
  /** Creates a topic and gives its id. */
  createTopic(name: string, o?: { partitions?: number; configs?: Record<string, string> }): Promise<string>;
}

export async function startDataBroker(settings: ReplicaFixtureOptions['settings'] = {}): Promise<DataBroker> {
  const replicas = await startReplicas({ settings });
  const { broker, clock, replicaManager } = replicas;
  const fetchSessions = new FetchSessions({ clock, random: systemRandom, maxSessions: 100 });
  const { brokerId, metadata, controller, config, endpoint } = broker;
  const producerIds = new ProducerIdManager(broker.store, brokerId);
  return {
    replicas,
    fetchSessions,
    context: (apiVersion, o) =>
      handlerContext({
        apiVersion,
        ...o,
        broker: {
          brokerId,
          metadata,
          controller,
          config,
          endpoint,
          clock,
          replicaManager,
          fetchSessions,
          producerIds,
        },
      }),
    createTopic: async (name, o = {}) => {
      const configs = new Map(Object.entries(o.configs ?? {}));
      const [created] = await controller.createTopics([newTopic(name, { numPartitions: o.partitions ?? 1, configs })], {
        validateOnly: false,
      });
      if (!created?.ok) throw new Error(`cannot create ${name}: ${created?.message}`);
      return created.value.id;
    },
  };
}

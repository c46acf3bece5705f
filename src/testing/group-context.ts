/** Handler contexts over a group coordinator in memory and a real controller: for tests of the group handlers. */
import type { RequestContext } from '../api/request-context';
import { GroupBroker } from './group-broker';
import { handlerContext } from './handler-context';
import { type MetadataBroker, newTopic, startMetadataBroker } from './metadata-broker';

export interface GroupContexts {
  readonly groupBroker: GroupBroker;
  readonly metadataBroker: MetadataBroker;
  /** The context of a request of that version, from client `client` at 10.0.0.9. */
  context(apiVersion: number): RequestContext;
  /** Creates a topic and gives its id. */
  createTopic(name: string, partitions?: number): Promise<string>;
}

export async function startGroupContexts(partitionCount = 1): Promise<GroupContexts> {
  const groupBroker = await GroupBroker.start(partitionCount);
  const metadataBroker = await startMetadataBroker({
    settings: { 'offsets.topic.num.partitions': String(partitionCount) },
  });
  const { brokerId, metadata, controller, config, endpoint } = metadataBroker;
  const broker = { brokerId, metadata, controller, config, endpoint, groups: groupBroker.groups };
  return {
    groupBroker,
    metadataBroker,
    context: (apiVersion) =>
      handlerContext({ apiVersion, clientId: 'client', connection: { peerAddress: '10.0.0.9' }, broker }),
    createTopic: async (name, partitions = 1) => {
      const [created] = await controller.createTopics([newTopic(name, { numPartitions: partitions })], {
        validateOnly: false,
      });
      if (!created?.ok) throw new Error(`${name} was not created`);
      return created.value.id;
    },
  };
}

/**
 * The whole table of broker settings, put together from its areas. One row per key; see definition.ts for their
 * shape.
 */
import { kraftDefinitions, zookeeperDefinitions } from './definitions-cluster';
import {
  consumerGroupDefinitions,
  groupDefinitions,
  shareGroupDefinitions,
  streamsGroupDefinitions,
} from './definitions-group';
import { logDefinitions } from './definitions-log';
import { netDefinitions } from './definitions-net';
import { ownDefinitions } from './definitions-own';
import { remoteDefinitions, replicationDefinitions } from './definitions-replication';
import { oauthDefinitions, saslDefinitions, securityDefinitions, sslDefinitions } from './definitions-security';

export const definitions = {
  ...netDefinitions,
  ...logDefinitions,
  ...replicationDefinitions,
  ...groupDefinitions,
  ...consumerGroupDefinitions,
  ...shareGroupDefinitions,
  ...streamsGroupDefinitions,
  ...securityDefinitions,
  ...sslDefinitions,
  ...saslDefinitions,
  ...oauthDefinitions,
  ...kraftDefinitions,
  ...zookeeperDefinitions,
  ...remoteDefinitions,
  ...ownDefinitions,
};

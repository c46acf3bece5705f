/**
 * The parts of a running broker that request handlers may use. Owns no behaviour: `broker.ts` builds the parts and puts
 * them in here; a test puts in those that its handler touches.
 */
import type { Clock } from '../base/clock';
import type { Logger } from '../base/logger';
import type { Random } from '../base/random';
import type { ConnectionInfo } from '../base/transport';
import type { Controller } from '../cluster/controller/controller';
import type { ImagePublisher } from '../cluster/image-publisher';
import type { ProducerIdManager } from '../cluster/producer-id-manager';
import type { Api } from '../codec/api';
import type { BrokerConfig } from '../config/broker-config';
import type { GroupCoordinator } from '../coordinator/group/group-coordinator';
import type { LogDirDescription } from '../log/log-dir-description';
import type { ClientQuotas } from '../quota/client-quotas';
import type { ReplicaManager } from '../replication/replica-manager';
import type { ClientSoftware } from '../telemetry/client-software';
import type { ClientTelemetry } from '../telemetry/client-telemetry';
import type { FetchSessions } from './fetch-session';

/** Where a client finds a broker. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export interface BrokerServices {
  readonly brokerId: number;
  readonly config: BrokerConfig;
  /** The rows of the handler table, in the order of their keys. */
  readonly servedApis: readonly Api<unknown, unknown>[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The current metadata image. */
  readonly metadata: ImagePublisher;
  readonly controller: Controller;
  readonly replicaManager: ReplicaManager;
  readonly groups: GroupCoordinator;
  readonly fetchSessions: FetchSessions;
  readonly producerIds: ProducerIdManager;
  readonly telemetry: ClientTelemetry;
  readonly clientSoftware: ClientSoftware;
  readonly quotas: ClientQuotas;
  /** The address behind a name of a host; undefined where there is none. */
  resolveHost(host: string): Promise<string | undefined>;
  /** What lies in the log directories. */
  describeLogDirs(): Promise<LogDirDescription[]>;
  /**
   * The address of broker `brokerId` for the client at the other end of `connection`: the endpoint of the listener it
   * came in on; undefined where that broker is not alive or has no such listener. Metadata, FindCoordinator and
   * DescribeCluster all answer with this, so that they agree.
   */
  endpoint(brokerId: number, connection: ConnectionInfo): Endpoint | undefined;
}

/** Makes what holds clients to their quotas, and has it follow the metadata image. */
import type { Clock } from './base/clock';
import type { Logger } from './base/logger';
import type { ConnectionAdmission } from './base/transport';
import type { ImagePublisher } from './cluster/image-publisher';
import type { BrokerConfig } from './config/broker-config';
import type { ListenerPlan } from './config/listeners';
import { resolveHost } from './net/resolve-host';
import { ClientQuotas } from './quota/client-quotas';
import { ConnectionQuotas } from './quota/connection-quotas';

export interface QuotaParts {
  readonly quotas: ClientQuotas;
  readonly admission: ConnectionAdmission;
}

export function openQuotas(
  base: { readonly config: BrokerConfig; readonly clock: Clock; readonly logger: Logger },
  { listeners, interBrokerListener }: ListenerPlan,
  metadata: ImagePublisher,
): QuotaParts {
  const quotas = new ClientQuotas(base);
  const protectedListener = listeners.length > 1 ? interBrokerListener : undefined;
  const admission = new ConnectionQuotas({ ...base, protectedListener, resolveHost });
  metadata.subscribe(quotas.onImage);
  metadata.subscribe(admission.onImage);
  return { quotas, admission };
}

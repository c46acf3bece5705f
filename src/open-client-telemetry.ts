/** Puts together what takes clients' metrics (KIP-714): it follows the subscriptions, now and when they change. */
import type { BrokerServices } from './api/broker-services';
import type { Clock } from './base/clock';
import type { Random } from './base/random';
import type { ImagePublisher } from './cluster/image-publisher';
import type { BrokerConfig } from './config/broker-config';
import { ClientSoftware } from './telemetry/client-software';
import { ClientTelemetry } from './telemetry/client-telemetry';

export interface ClientTelemetryParts {
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly metadata: ImagePublisher;
}

export function openClientTelemetry({
  config,
  clock,
  random,
  metadata,
}: ClientTelemetryParts): Pick<BrokerServices, 'telemetry' | 'clientSoftware'> {
  const clientSoftware = new ClientSoftware();
  const maxBytes = () => config.get('telemetry.max.bytes');
  const telemetry = new ClientTelemetry({ clock, random, software: clientSoftware, maxBytes });
  telemetry.load(metadata.image);
  metadata.subscribe(telemetry.onImage);
  return { telemetry, clientSoftware };
}

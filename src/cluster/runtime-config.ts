/**
 * Keeps a running broker's settings as its image says: those made at run time for it and for all brokers. Settings that
 * are stored and impossible (another release may have allowed them) are left out and told in the log.
 */
import type { Logger } from '../base/logger';
import { type BrokerConfig, describeProblem, type RuntimeSettings } from '../config/broker-config';
import type { ControlStore } from './control-store';
import type { ImageSubscriber } from './image-publisher';
import type { ResourceConfigs } from './metadata-image';
import { loadConfigs } from './topic-loader';

export interface RuntimeConfigOptions {
  /** Changed in place. */
  readonly config: BrokerConfig;
  readonly brokerId: number;
  readonly logger: Logger;
}

function apply({ config, logger }: RuntimeConfigOptions, settings: RuntimeSettings): void {
  const { config: changed, problems } = config.withRuntime(settings);
  for (const problem of problems) {
    logger.error('a stored setting is impossible and ignored', { setting: describeProblem(problem) });
  }
  config.takeOver(changed);
}

/** Takes in the settings as the control store has them: before logs are opened, long before there is an image. */
export async function loadRuntimeConfig(store: ControlStore, options: RuntimeConfigOptions): Promise<void> {
  const brokers = (await loadConfigs(store)).filter(({ scope }) => scope === 'brokers');
  const of = (name: string): ResourceConfigs['configs'] =>
    brokers.find((each) => each.name === name)?.configs ?? new Map();
  apply(options, { broker: of(String(options.brokerId)), cluster: of('') });
}

/** Subscribes before everything that reads settings. */
export function followRuntimeConfig(options: RuntimeConfigOptions): ImageSubscriber {
  return async ({ changedConfigs }, image) => {
    if (!changedConfigs.some(({ scope }) => scope === 'brokers')) return;
    apply(options, {
      broker: image.configs({ scope: 'brokers', name: String(options.brokerId) }),
      cluster: image.configs({ scope: 'brokers', name: '' }),
    });
  };
}

/** Settings that are made for one listener: `listener.name.NAME.KEY`, the name in small letters. */
import type { BrokerConfig, ConfigKey } from './broker-config';

/** The text set for the listener alone: at run time for this broker, for all brokers, or at the start. */
export function listenerSetting(config: BrokerConfig, listenerName: string, key: ConfigKey): string | undefined {
  const name = `listener.name.${listenerName.toLowerCase()}.${key}`;
  const { broker, cluster } = config.runtimeSettings;
  return broker.get(name) ?? cluster.get(name) ?? config.unknown.get(name);
}

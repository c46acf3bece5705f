/** What a change of settings that was decided is for the control store and for the metadata image. Pure. */
import type { ControlOperation } from '../control-store';
import type { ConfigResource, MetadataChange, MetadataImage, ResourceConfigs, TopicImage } from '../metadata-image';
import { setConfigs, setTopicConfigs } from '../znodes';
import type { ConfigChange } from './config-change';

export interface ConfigAlteration {
  /** Undefined where the store has nothing to change. */
  readonly operation: ControlOperation | undefined;
  readonly altered: { readonly topic: TopicImage } | { readonly resource: ResourceConfigs };
}

/** `configs`: all settings that the resource will have; a topic is there. */
export function configAlteration(
  { scope, name }: ConfigChange['resource'],
  configs: ReadonlyMap<string, string>,
  image: MetadataImage,
): ConfigAlteration {
  if (scope === 'topics') {
    const topic = { ...image.topic(name)!, configs };
    return { operation: setTopicConfigs(name, configs), altered: { topic } };
  }
  const resource: ConfigResource = { scope, name };
  const exists = image.configs(resource).size > 0;
  return { operation: setConfigs(resource, configs, { exists }), altered: { resource: { ...resource, configs } } };
}

/** All of them, in order: of one resource the last counts. */
export function alteredImage(alterations: readonly ConfigAlteration[]): MetadataChange {
  const topics = new Map<string, TopicImage>();
  for (const { altered } of alterations) if ('topic' in altered) topics.set(altered.topic.name, altered.topic);
  return {
    topics: [...topics.values()],
    configs: alterations.flatMap(({ altered }) => ('resource' in altered ? [altered.resource] : [])),
  };
}

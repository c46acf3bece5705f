/**
 * What many topics of an image have in common is kept once: an idle topic takes little memory. Owns the lists of broker
 * ids and the settings that were seen; changes nothing that a reader could notice.
 */
import type { PartitionImage, TopicImage } from './metadata-image';

const NO_CONFIGS: ReadonlyMap<string, string> = new Map();
/** Beyond so many different ones, they are no longer what many have in common. */
const REMEMBERED_LISTS = 1024;

const lists = new Map<string, readonly number[]>();

function sharedList(ids: readonly number[]): readonly number[] {
  const key = ids.join();
  const known = lists.get(key);
  if (known) return known;
  if (lists.size === REMEMBERED_LISTS) lists.clear();
  lists.set(key, ids);
  return ids;
}

/** Settings that many topics have alike, by their JSON. */
const settings = new Map<string, ReadonlyMap<string, string>>();

function sharedConfigs(configs: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (configs.size === 0) return NO_CONFIGS;
  const key = JSON.stringify([...configs]);
  const known = settings.get(key);
  if (known) return known;
  if (settings.size === REMEMBERED_LISTS) settings.clear();
  settings.set(key, configs);
  return configs;
}

/** Field by field: what is made by spreading others takes half as much again. */
function sharedPartition(image: PartitionImage): PartitionImage {
  const { partition, leader, leaderEpoch, partitionEpoch, replicas, isr } = image;
  return { partition, leader, leaderEpoch, partitionEpoch, replicas: sharedList(replicas), isr: sharedList(isr) };
}

/** The same topic in less memory. */
export function withSharedParts({ name, id, isInternal, partitions, configs }: TopicImage): TopicImage {
  return {
    name,
    id,
    isInternal,
    partitions: partitions.map(sharedPartition),
    configs: sharedConfigs(configs),
  };
}

/** Rules for topic names, Kafka's own (its class `Topic`). */

export const GROUP_METADATA_TOPIC = '__consumer_offsets';
export const TRANSACTION_STATE_TOPIC = '__transaction_state';
/** Holds KRaft's metadata; never a topic of clients. */
export const CLUSTER_METADATA_TOPIC = '__cluster_metadata';

const INTERNAL_TOPICS: ReadonlySet<string> = new Set([
  GROUP_METADATA_TOPIC,
  TRANSACTION_STATE_TOPIC,
  '__share_group_state',
]);

const LONGEST_NAME = 249;

/** Topics that the broker itself writes; clients may read them. */
export function isInternalTopic(name: string): boolean {
  return INTERNAL_TOPICS.has(name);
}

/** Why `name` cannot be a topic's name, for the client to read; undefined when it can. */
export function topicNameProblem(name: string): string | undefined {
  if (name === '') return 'Topic name is invalid: the empty string is not allowed';
  if (name === '.' || name === '..') return `Topic name is invalid: '${name}' is not allowed`;
  if (name.length > LONGEST_NAME) {
    return `Topic name is invalid: the length of '${name}' is longer than the max allowed length ${LONGEST_NAME}`;
  }
  if (!/^[a-zA-Z0-9._-]+$/.test(name)) {
    const allowed = "ASCII alphanumerics, '.', '_' and '-'";
    return `Topic name is invalid: '${name}' contains one or more characters other than ${allowed}`;
  }
  return undefined;
}

/**
 * What two names have in common that metrics cannot tell apart ('.' becomes '_' there); undefined for a name that
 * has neither and so collides with none.
 */
export function collisionKey(name: string): string | undefined {
  return /[._]/.test(name) ? name.replaceAll('.', '_') : undefined;
}

/**
 * What a client may do with a resource, as the bit field of KIP-430: bit n for Kafka's AclOperation n. Without an
 * authorizer everything is allowed that exists for the kind of resource.
 */

const READ = 1 << 3;
const WRITE = 1 << 4;
const CREATE = 1 << 5;
const DELETE = 1 << 6;
const ALTER = 1 << 7;
const DESCRIBE = 1 << 8;
const CLUSTER_ACTION = 1 << 9;
const DESCRIBE_CONFIGS = 1 << 10;
const ALTER_CONFIGS = 1 << 11;
const IDEMPOTENT_WRITE = 1 << 12;

/** Where the client did not ask: the default of the schemas. */
export const OPERATIONS_NOT_ASKED = -2147483648;

export const TOPIC_OPERATIONS = READ | WRITE | CREATE | DELETE | ALTER | DESCRIBE | DESCRIBE_CONFIGS | ALTER_CONFIGS;

export const CLUSTER_OPERATIONS =
  CREATE | ALTER | DESCRIBE | CLUSTER_ACTION | DESCRIBE_CONFIGS | ALTER_CONFIGS | IDEMPOTENT_WRITE;

export const GROUP_OPERATIONS = READ | DELETE | DESCRIBE | DESCRIBE_CONFIGS | ALTER_CONFIGS;

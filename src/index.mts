/** What the package offers to programs that import it: the same objects as to those that require it. */
export { type EmbeddedBroker, type StartBrokerOptions, startBroker } from './start-broker.js';

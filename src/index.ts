/** What the package offers to programs that require it. */
export { type EmbeddedBroker, type StartBrokerOptions, startBroker } from './start-broker';

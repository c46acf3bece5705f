/** The package's entry for `import`: the same module that `require` gives, so that there is one copy of everything. */

export type * from './index.js';
export { startBroker } from './index.js';

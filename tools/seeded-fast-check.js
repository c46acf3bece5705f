/**
 * fast-check as the tests get it (`jest.config.js`): with a fixed seed, so that the same tests see the same cases
 * everywhere. `FC_SEED=N npx jest …` tries others; a finding of theirs becomes a test of its own.
 */
const fc = require('../node_modules/fast-check/lib/cjs/fast-check.js');

fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20261130) });
module.exports = fc;

/**
 * Unit tests beside their sources, the kafkajs suite and the package's own tests. TypeScript goes through swc; types
 * are `npm run check`'s business.
 */
module.exports = {
  testMatch: ['**/*.test.ts'],
  roots: ['<rootDir>/src', '<rootDir>/tools', '<rootDir>/compat-tests'],
  testEnvironment: 'node',
  moduleNameMapper: { '^fast-check$': '<rootDir>/tools/seeded-fast-check.js' },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs', ignoreDynamic: true },
        sourceMaps: 'inline',
      },
    ],
  },
  // Many tests wait more than they work.
  maxWorkers: '100%',
  testTimeout: 30_000,
  verbose: false,
};

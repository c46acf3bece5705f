/**
 * The layers of ARCHITECTURE.md as rules: imports point down only, exactly as the table says; no cycles; and the
 * packages (and Node modules) that one place alone may touch. Tests may import `testing` besides.
 */

/** layer → the layers that it may import. */
const LAYERS = {
  base: [],
  config: ['base'],
  codec: ['base'],
  records: ['base', 'codec'],
  log: ['base', 'config', 'codec', 'records'],
  cluster: ['base', 'config', 'codec'],
  telemetry: ['base', 'config', 'codec', 'records', 'cluster'],
  security: ['base', 'config', 'codec', 'cluster'],
  quota: ['base', 'config', 'codec', 'cluster'],
  replication: ['base', 'config', 'codec', 'records', 'log', 'cluster'],
  coordinator: ['base', 'config', 'codec', 'records'],
  api: [
    'base',
    'config',
    'codec',
    'records',
    'log',
    'cluster',
    'telemetry',
    'security',
    'quota',
    'replication',
    'coordinator',
  ],
  offline: ['base', 'config', 'codec', 'records', 'log', 'cluster'],
  observe: ['base', 'config', 'codec', 'log', 'cluster', 'telemetry', 'replication', 'coordinator', 'api'],
  net: ['base', 'config', 'codec'],
};

/** What only one place may import, and where. A Node module is named as Node resolves it, without `node:`. */
const ONE_PLACE = [
  { module: 'fs|fs/promises', place: '^src/log/node-file-system\\.ts$' },
  { module: 'net|tls', place: '^src/net/' },
  { module: 'http', place: '^src/net/http-endpoint\\.ts$' },
  { module: 'https|http2|dgram|cluster|vm|v8|inspector', place: '^(?!)' },
  { module: 'long', place: '^src/codec/int64\\.ts$' },
  {
    module: '@napi-rs/snappy|snappyjs|lz4[^/]*|lz4-napi|zstd[^/]*|@mongodb-js/zstd|@bokuweb/zstd-wasm',
    place: '^src/records/compression[^/]*\\.ts$',
  },
  { module: '@node-rs/crc32|crc-32', place: '^src/records/checksum\\.ts$' },
  { module: 'koffi', place: '^src/base/native-library\\.ts$' },
  { module: 're2js', place: '^src/base/linear-pattern\\.ts$' },
  { module: 'prom-client', place: '^src/observe/exposition\\.ts$' },
  { module: 'pino', place: '^src/base/logger\\.ts$' },
  { module: 'commander', place: '^src/(main|commands/[^/]+)\\.ts$' },
  { module: 'node-zookeeper-client', place: '^src/cluster/zookeeper-[^/]*\\.ts$' },
  { module: 'kafkajs', place: '^(?!)' },
  { module: 'echarts', place: '^tools/bench/report/plots\\.ts$', from: '^(src|tools|compat-tests)/' },
];

const layerRules = Object.entries(LAYERS).map(([layer, below]) => ({
  name: `layer-${layer}`,
  comment: `${layer} may import: ${below.join(', ') || 'nothing'}`,
  severity: 'error',
  from: { path: `^src/${layer}/`, pathNot: '\\.test\\.ts$' },
  to: { path: '^src/', pathNot: `^src/(${[layer, ...below].join('|')})/` },
}));

const testRules = Object.entries(LAYERS).map(([layer, below]) => ({
  name: `layer-${layer}-tests`,
  comment: `tests of ${layer} may import what it may, and testing`,
  severity: 'error',
  from: { path: `^src/${layer}/.*\\.test\\.ts$` },
  to: { path: '^src/', pathNot: `^src/(${[layer, ...below, 'testing'].join('|')})/` },
}));

const packageRules = ONE_PLACE.map(({ module, place, from = '^src/' }) => ({
  name: `one-place-${module.split('|')[0].replace(/[^a-z0-9]+/g, '-')}`,
  comment: `only in ${place}`,
  severity: 'error',
  from: { path: from, pathNot: [place, '\\.test\\.ts$', '^src/testing/'] },
  to: { path: [`^(${module})$`, `node_modules/(${module})/`] },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    ...testRules,
    ...packageRules,
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^(src|tools)/' },
      to: { circular: true },
    },
    {
      name: 'roots-import-no-tests',
      comment: 'what is published never sees testing, tests or tools',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.test\\.ts$', '^src/testing/'] },
      to: { path: ['^src/testing/', '\\.test\\.ts$', '^tools/', '^compat-tests/'] },
    },
    {
      name: 'nobody-imports-the-roots',
      comment: 'main, its commands, broker and index know everybody; nobody else knows them',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: ['\\.test\\.ts$', '^src/testing/', '^src/commands/'] },
      to: { path: '^src/([^/]+$|commands/)' },
    },
    {
      name: 'known-layers',
      comment: 'a new folder under src needs a row in the table above',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+/', pathNot: `^src/(${[...Object.keys(LAYERS), 'commands', 'testing'].join('|')})/` },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.test\\.ts$', '^src/testing/'] },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mts', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default'],
    },
  },
};

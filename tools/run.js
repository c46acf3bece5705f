/**
 * Runs a tool that is written in TypeScript: `node tools/run.js FILE [argument]…`.
 * Owns the translation alone (swc, in memory, nothing written); types are checked by `npm run check`.
 * This file is JavaScript because it is what makes TypeScript runnable on Node 20.
 */
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { transformSync } = require('@swc/core');

process.setSourceMapsEnabled(true);

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    configFile: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs', ignoreDynamic: true },
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
};

const tool = process.argv[2];
if (tool === undefined) {
  console.error('usage: node tools/run.js FILE [argument]…');
  process.exit(2);
}
const file = path.resolve(tool);
process.argv.splice(1, 2, file);
Module._load(file, null, true);

/**
 * Builds `dist/` from `src/` with the TypeScript compiler, from nothing each time so that no stale file is published.
 * Called by `npm run build`, and by `prepare` with `--if-possible`: an install without development dependencies has no
 * compiler and needs none.
 */
const { spawnSync } = require('node:child_process');
const { chmodSync, existsSync, rmSync } = require('node:fs');
const path = require('node:path');

const root = path.dirname(__dirname);
const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');

if (!existsSync(compiler) && process.argv.includes('--if-possible')) {
  console.log('odradek: no TypeScript compiler installed, dist/ is left as it is');
  process.exit(0);
}

rmSync(path.join(root, 'dist'), { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, '-p', path.join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
chmodSync(path.join(root, 'dist', 'main.js'), 0o755);

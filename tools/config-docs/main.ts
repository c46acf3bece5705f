/**
 * Writes `src/config/README.md` from the tables of settings; with `--check` it writes nothing and fails when the file
 * is not what it would write, or when a table claims something that the sources do not bear out: a setting said to
 * have an effect that nobody reads, or one said to have none that somebody does.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { configReadme } from './readme';
import { untrueEffects } from './untrue-effects';

const ROOT = path.join(__dirname, '..', '..');
const README = path.join(ROOT, 'src', 'config', 'README.md');

/** The product's sources by path; neither tests nor what is generated. */
function productSources(): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  const names = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  for (const name of names) {
    const isProduct =
      name.endsWith('.ts') && !name.endsWith('.test.ts') && !/(^|[/\\])(generated|testing)[/\\]/.test(name);
    if (isProduct) sources.set(name, readFileSync(path.join(ROOT, 'src', name), 'utf8'));
  }
  return sources;
}

function main(): void {
  const text = configReadme();
  if (!process.argv.includes('--check')) {
    writeFileSync(README, text);
    return;
  }
  const complaints = untrueEffects(productSources());
  if (readFileSync(README, 'utf8') !== text)
    complaints.push('src/config/README.md is not current: npm run config-docs');
  for (const complaint of complaints) console.log(complaint);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}

main();

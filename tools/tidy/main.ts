/** Applies the project's own rules to every file that git knows or would take; exit code 1 when one complains. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { checkDocument } from './documents';
import { checkFile, checkTests } from './rules';
import type { SourceFile } from './source-file';
import { parseUntested } from './untested';

const CHECKED = /^(src|tools|compat-tests|protocol)\/.*\.(ts|mts|js|mjs|cjs|msg|sh)$|^[^/]+\.(js|cjs|md)$/;

function readSources(): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  return listed
    .split('\n')
    .filter((path) => CHECKED.test(path) && existsSync(path))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

const files = readSources();
const untested = parseUntested(readFileSync('tools/tidy/untested.txt', 'utf8'));
const complaints = [
  ...files.flatMap(checkFile),
  ...checkTests(files, untested),
  ...files.filter(({ path }) => path.endsWith('.md')).flatMap((file) => checkDocument(file, existsSync)),
];
for (const { path, line, message } of complaints) console.log(`${path}${line > 0 ? `:${line}` : ''}: ${message}`);
process.exitCode = complaints.length > 0 ? 1 : 0;

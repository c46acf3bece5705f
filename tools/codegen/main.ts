/**
 * `npm run codegen`: writes the generated code from `protocol/`; with `--check` writes nothing and exits 1 if
 * anything on disk differs from what would be written. Owns files and paths; everything before them is pure.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { emitModule } from './emit-message';
import { emitRecordMessages, emitShapes } from './emit-shapes';
import {
  camel,
  emitApis,
  emitCoverage,
  emitErrors,
  emitHandlers,
  kebab,
  moduleName,
  parseErrors,
  parseReleases,
} from './emit-tables';
import type { ApiSchema, RecordSchema } from './schema-model';
import { parseApiSchema, parseRecordSchema } from './schema-parser';

const root = path.resolve(__dirname, '../..');
const generatedFolders = ['src/codec/generated', 'src/codec/generated/records', 'src/api/generated'];
const coverageMarks = ['<!-- coverage table: generated -->', '<!-- end of coverage table -->'] as const;

function read(relative: string): string {
  return readFileSync(path.join(root, relative), 'utf8');
}

function readSchemas<T>(folder: string, parse: (file: string, text: string) => T): { file: string; schema: T }[] {
  return readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.msg'))
    .sort()
    .map((name) => ({ file: `${folder}/${name}`, schema: parse(`${folder}/${name}`, read(`${folder}/${name}`)) }));
}

/** Path → text of every generated file. */
function generate(): Map<string, string> {
  const files = new Map<string, string>();
  const apis = readSchemas('protocol/schemas', parseApiSchema);
  for (const { file, schema } of apis)
    files.set(`src/codec/generated/${expectedName(file, moduleName(schema))}.ts`, apiModule(file, schema));
  const records = readSchemas('protocol/records', parseRecordSchema);
  for (const { file, schema } of records)
    files.set(`src/codec/generated/records/${expectedName(file, kebab(schema.name))}.ts`, recordModule(file, schema));
  const schemas = apis.map((api) => api.schema);
  files.set('src/codec/generated/apis.ts', emitApis(schemas));
  files.set('src/codec/generated/shapes.ts', emitShapes(schemas));
  const recordSchemas = records.map((record) => record.schema);
  files.set('src/codec/generated/record-messages.ts', emitRecordMessages(recordSchemas));
  files.set('src/codec/generated/errors.ts', emitErrors(parseErrors(read('protocol/errors.txt'))));
  files.set('src/api/generated/handlers.ts', emitHandlers(schemas));
  const coverage = emitCoverage(schemas, parseReleases(read('protocol/releases.txt')));
  files.set('protocol/README.md', withCoverage(read('protocol/README.md'), coverage));
  return files;
}

function expectedName(file: string, name: string): string {
  if (path.basename(file, '.msg') !== name) throw new Error(`${file}: by its content this file is called ${name}.msg`);
  return name;
}

function apiModule(file: string, schema: ApiSchema): string {
  return emitModule({ source: file, codecPath: '..', messages: [schema.request, schema.response], extra: [] });
}

function recordModule(file: string, schema: RecordSchema): string {
  const extra = schema.messages.flatMap((message) => [
    `/** ${schema.id === null ? 'Versions' : 'Its number in the log, and the versions'} that we know. */`,
    `export const ${camel(message.struct.name)}Schema = {`,
    ...(schema.id === null ? [] : [`  id: ${schema.id},`]),
    `  lowestVersion: ${message.versions.low},`,
    `  highestVersion: ${message.versions.high},`,
    '} as const;',
    '',
  ]);
  return emitModule({ source: file, codecPath: '../..', messages: schema.messages, extra });
}

function withCoverage(readme: string, table: string): string {
  const [open, close] = coverageMarks;
  const start = readme.indexOf(open);
  const end = readme.indexOf(close);
  if (start < 0 || end < start) throw new Error('protocol/README.md has lost the marks of its coverage table');
  return `${readme.slice(0, start + open.length)}\n${table}\n${readme.slice(end)}`;
}

/** Generated files whose schema is gone. */
function staleFiles(files: ReadonlyMap<string, string>): string[] {
  return generatedFolders
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => `${folder}/${entry.name}`),
    )
    .filter((file) => !files.has(file));
}

function main(): void {
  const files = generate();
  const differing = [...files].filter(([file, text]) => !existsSync(path.join(root, file)) || read(file) !== text);
  const stale = staleFiles(files);
  if (process.argv.includes('--check')) {
    for (const [file] of differing) console.error(`${file} differs from its schema; run npm run codegen`);
    for (const file of stale) console.error(`${file} has no schema; run npm run codegen`);
    process.exitCode = differing.length + stale.length > 0 ? 1 : 0;
    return;
  }
  for (const [file, text] of differing) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  for (const file of stale) rmSync(path.join(root, file));
  console.log(`${files.size} files, ${differing.length} written, ${stale.length} removed`);
}

main();

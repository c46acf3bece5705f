/**
 * The project's own rules about files and words, those that no bought tool checks. Layers are dependency-cruiser's,
 * functions and syntax Biome's, unused code Knip's.
 */
import { type Complaint, isGenerated, isProduct, isTest, type SourceFile } from './source-file';

const LONGEST_SOURCE_LINES = 400;
const LONGEST_TEST_LINES = 700;
const LONGEST_LINE = 120;

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = /^(utils?|helpers?|common|misc|shared|types|constants|stuff)$/;

/** Where time, deferral and randomness may be touched; everything else takes a Clock or Random. */
const CLOCK_PLACES = new Set(['src/base/clock.ts', 'src/base/random.ts']);
const TIME_WORDS = 'Date\\.now|new Date\\(\\)|performance\\.now|hrtime';
const DEFERRAL_WORDS = 'setTimeout|setInterval|setImmediate|process\\.nextTick|queueMicrotask';
const CHANCE_WORDS = 'Math\\.random|randomUUID|randomBytes|randomInt';
const CLOCK_WORDS = new RegExp(`\\b(${TIME_WORDS}|${DEFERRAL_WORDS}|${CHANCE_WORDS})`);

/** Promises of later work, and doors left open for a compiler or a linter. Spelled apart, or this file would match. */
const FORBIDDEN_WORDS: readonly { readonly word: RegExp; readonly say: string }[] = [
  { word: new RegExp(`\\b(TO${'DO'}|FIX${'ME'}|XX${'X'}|HAC${'K'})\\b`), say: 'no notes of unfinished work' },
  { word: new RegExp(`@ts-(ignore|nocheck|expect${'-'}error)`), say: 'no exceptions from the type check' },
  { word: new RegExp(`biome${'-'}ignore`), say: 'no exceptions from the linter' },
  { word: new RegExp(`istanbul${' '}ignore`), say: 'no exceptions from coverage' },
];

type Rule = (file: SourceFile) => Complaint[];

function isScript(path: string): boolean {
  return /\.(ts|mts|js|mjs|cjs)$/.test(path);
}

/** `text` cut into lines; a newline at the end opens no further line. */
function lines(text: string): string[] {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  return all;
}

function about(file: SourceFile, line: number, message: string): Complaint {
  return { path: file.path, line, message };
}

const fileLength: Rule = (file) => {
  if (!isScript(file.path) || isGenerated(file.path)) return [];
  const limit = isTest(file.path) ? LONGEST_TEST_LINES : LONGEST_SOURCE_LINES;
  const count = lines(file.text).length;
  return count > limit ? [about(file, 0, `${count} lines, at most ${limit}`)] : [];
};

const lineLength: Rule = (file) => {
  if (!isScript(file.path) || isGenerated(file.path)) return [];
  return lines(file.text).flatMap((line, at) =>
    line.length > LONGEST_LINE ? [about(file, at + 1, `${line.length} columns, at most ${LONGEST_LINE}`)] : [],
  );
};

const opensWithComment: Rule = (file) => {
  if (!isScript(file.path)) return [];
  const text = file.text.replace(/^#!.*\n/, '').trimStart();
  return text.startsWith('/*') || text.startsWith('//')
    ? []
    : [about(file, 0, 'opens without a comment that says what it owns')];
};

const telling: Rule = (file) => {
  const parts = file.path.split('/');
  const name = parts.at(-1) ?? '';
  const complaints: Complaint[] = [];
  for (const part of parts) {
    const stem = part.replace(/(\.test)?\.\w+$/, '');
    if (EMPTY_NAMES.test(stem)) complaints.push(about(file, 0, `"${stem}" says nothing about what is inside`));
  }
  if (/\.m?ts$/.test(name) && !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.config)?\.m?ts$/.test(name)) {
    complaints.push(about(file, 0, 'file names are kebab-case'));
  }
  return complaints;
};

const noBarrel: Rule = (file) => {
  if (!isProduct(file.path) || /^src\/index\.m?ts$/.test(file.path)) return [];
  return lines(file.text).flatMap((line, at) =>
    /^export\s+(type\s+)?(\*|\{[^}]*\})\s+from\b/.test(line) ? [about(file, at + 1, 'no re-exports')] : [],
  );
};

const onlyClock: Rule = (file) => {
  if (!isProduct(file.path) || CLOCK_PLACES.has(file.path)) return [];
  return withoutComments(file.text).flatMap((line, at) => {
    const found = CLOCK_WORDS.exec(line);
    return found ? [about(file, at + 1, `${found[0]}: time and chance come through base/clock and base/random`)] : [];
  });
};

const noBigInt: Rule = (file) => {
  if (!isProduct(file.path)) return [];
  return withoutComments(file.text).flatMap((line, at) =>
    /\bBigInt\b|\b\d+n\b|Big(Ui|I)nt64/.test(line) ? [about(file, at + 1, 'no BigInt in the broker')] : [],
  );
};

const forbiddenWords: Rule = (file) =>
  lines(file.text).flatMap((line, at) =>
    FORBIDDEN_WORDS.filter(({ word }) => word.test(line)).map(({ say }) => about(file, at + 1, say)),
  );

const noSwallowing: Rule = (file) => {
  if (!isProduct(file.path)) return [];
  return lines(file.text).flatMap((line, at) =>
    /catch\s*(\([^)]*\))?\s*\{\s*\}|\.catch\(\(\)\s*=>\s*\{\s*\}\)/.test(line)
      ? [about(file, at + 1, 'an error is swallowed')]
      : [],
  );
};

/** The lines of `text` with comments and string contents blanked, so that a word in prose is no use of it. */
function withoutComments(text: string): string[] {
  const bare = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, (hidden) =>
    hidden.replace(/[^\n]/g, ' '),
  );
  return lines(bare);
}

const RULES: readonly Rule[] = [
  fileLength,
  lineLength,
  opensWithComment,
  telling,
  noBarrel,
  onlyClock,
  noBigInt,
  forbiddenWords,
  noSwallowing,
];

/** Complaints about one file on its own. */
export function checkFile(file: SourceFile): Complaint[] {
  return RULES.flatMap((rule) => rule(file));
}

/** True when compiling leaves nothing: interfaces, type aliases and imports only. */
function isTypesOnly(text: string): boolean {
  return !withoutComments(text).some((line) =>
    /^(export\s+)?(async\s+)?(abstract\s+)?(function|class|const|let|var|enum)\b/.test(line),
  );
}

/**
 * Complaints about files without a test beside them. `untested` lists those that need none, with the reason;
 * an entry that is not needed is a complaint too, so the list only holds what is true.
 */
export function checkTests(files: readonly SourceFile[], untested: ReadonlyMap<string, string>): Complaint[] {
  const paths = new Set(files.map((file) => file.path));
  const complaints: Complaint[] = [];
  for (const file of files) {
    if (!isProduct(file.path) || !file.path.endsWith('.ts')) continue;
    const tested = paths.has(file.path.replace(/\.ts$/, '.test.ts'));
    const listed = untested.has(file.path);
    if (!tested && !listed && !isTypesOnly(file.text)) complaints.push(about(file, 0, 'has no test beside it'));
    if (tested && listed) complaints.push(about(file, 0, 'has a test and stands in tools/tidy/untested.txt'));
  }
  for (const path of untested.keys()) {
    if (!paths.has(path))
      complaints.push({ path, line: 0, message: 'stands in tools/tidy/untested.txt and does not exist' });
  }
  return complaints;
}

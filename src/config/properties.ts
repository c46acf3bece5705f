/**
 * The text format of `server.properties` and `meta.properties`: Java's `Properties`. Reads comments, continuation
 * lines, `=`, `:` or white space between key and value, and escapes; writes what it would read back. Pure.
 */

/** Reads the whole text; of a key that comes twice the last one counts. */
export function parseProperties(source: string): Map<string, string> {
  const properties = new Map<string, string>();
  for (const line of logicalLines(source)) {
    const [key, value] = splitLine(line);
    properties.set(unescapeText(key), unescapeText(value));
  }
  return properties;
}

/** Lines without comments and blanks, with those joined that end in an odd number of backslashes. */
function* logicalLines(source: string): Generator<string> {
  let pending: string | undefined;
  for (const natural of source.split(/\r\n|\r|\n/)) {
    const line = natural.replace(/^[ \t\f]+/, '');
    if (pending === undefined && (line === '' || line.startsWith('#') || line.startsWith('!'))) continue;
    const joined = (pending ?? '') + line;
    const backslashes = /\\*$/.exec(joined)![0].length;
    if (backslashes % 2 === 1) {
      pending = joined.slice(0, -1);
      continue;
    }
    pending = undefined;
    yield joined;
  }
  if (pending !== undefined && pending !== '') yield pending;
}

/** The key ends at the first unescaped `=`, `:` or white space; one `=` or `:` and the white space around it go. */
function splitLine(line: string): [string, string] {
  const match = /^((?:\\[\s\S]|[^\\=: \t\f])*)(?:[ \t\f]*[=:]?[ \t\f]*)([\s\S]*)$/.exec(line);
  return match ? [match[1]!, match[2]!] : [line, ''];
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescapeText(source: string): string {
  return source.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code?: string, character?: string) =>
    code === undefined ? (ESCAPES[character!] ?? character!) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** One `key=value` line per entry, in their order. */
export function formatProperties(entries: Iterable<readonly [string, string]>): string {
  let lines = '';
  for (const [key, value] of entries)
    lines += `${escapeText(key, /[\\ \t\f\r\n=:#!]/g)}=${escapeText(value, /[\\\n\r\t\f]|^ /g)}\n`;
  return lines;
}

function escapeText(text: string, special: RegExp): string {
  return text.replace(special, (character) => {
    const letter = Object.keys(ESCAPES).find((key) => ESCAPES[key] === character);
    return `\\${letter ?? character}`;
  });
}

/** The list of sources that need no test beside them: `path  reason`, one a line; `#` opens a comment. */

/** path → reason. A line without a reason is an error: the reason is the point of the list. */
export function parseUntested(text: string): Map<string, string> {
  const listed = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, path, reason] = /^(\S+)\s+(\S.*)$/.exec(line) ?? [];
    if (path === undefined || reason === undefined) throw new Error(`untested.txt: no reason given: ${line}`);
    listed.set(path, reason);
  }
  return listed;
}

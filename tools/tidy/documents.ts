/** What documents say about files must be true: every file that one names in backticks exists. */
import type { Complaint, SourceFile } from './source-file';

/** Folders that a document may leave out of a name. */
const STARTS = ['', 'src/', 'compat-tests/'];

/** A name that stands for a real file; `NN-name.msg`, `x.test.ts`, `main.ts` of any folder are patterns, not names. */
const FILE_NAME = /`([a-z.][\w./-]*\/[\w.-]+\.(?:ts|js|cjs|json|txt|md)|[\w.-]+\.(?:cjs|json|md))`/g;

/** Complaints about a document; `exists` tells whether a path from the repository's root is there. */
export function checkDocument({ path, text }: SourceFile, exists: (path: string) => boolean): Complaint[] {
  return text.split('\n').flatMap((line, at) =>
    [...line.matchAll(FILE_NAME)]
      .map(([, name]) => name ?? '')
      .filter((name) => !/\bname\.ts$/.test(name) && !STARTS.some((start) => exists(start + name)))
      .map((name) => ({ path, line: at + 1, message: `names ${name}, which is not there` })),
  );
}

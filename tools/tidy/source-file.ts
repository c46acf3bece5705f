/** What a tidy rule sees of a file. Rules are pure: text in, complaints out. */

export interface SourceFile {
  /** Relative to the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Complaint {
  readonly path: string;
  /** Counted from 1; 0 when the file as a whole is meant. */
  readonly line: number;
  readonly message: string;
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

export function isGenerated(path: string): boolean {
  return path.includes('/generated/');
}

/** Product code: under src, written by hand, neither a test nor test equipment. */
export function isProduct(path: string): boolean {
  return path.startsWith('src/') && !isTest(path) && !isGenerated(path) && !path.startsWith('src/testing/');
}

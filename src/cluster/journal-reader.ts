/**
 * What the files of an embedded control store say: a snapshot, and the groups of the journal that came after it. Owns
 * which lines count; their format is journal-line.ts. A line is whole or not there: only the last one can be torn, and
 * then it was never acknowledged. What is read goes into the tree at once: the files may be much larger than what
 * they say in the end.
 */
import { err, ok, type Result } from '../base/result';
import type { ByteSource } from './byte-source';
import type { ControlOperation } from './control-store';
import { ControlTree, type StoredNode } from './control-tree';
import { JournalLines } from './journal-line';
import { visitElements } from './json-elements';

export interface JournalRead {
  readonly tree: ControlTree;
  /** Where the last whole line of the journal ends. */
  readonly end: number;
  /** That of the last group. */
  readonly number: number;
}

/** What both kinds of lines begin with. */
interface Numbered {
  readonly number: number;
}

/** Puts the nodes of a snapshot into `tree`; gives the number of the last group in it, undefined for a damaged one. */
function readSnapshot(source: ByteSource, tree: ControlTree): number | undefined {
  if (source.size() === 0) return 0;
  const lines = new JournalLines(source);
  const end = source.size() - 1;
  if (lines.endOf(0) !== end || !lines.isWhole(0, end)) return undefined;
  let number = 0;
  visitElements(lines.json(0, end), {
    head: (head) => {
      ({ number } = head as Numbered);
      return true;
    },
    element: (node) => tree.restore(node as StoredNode),
  });
  return number;
}

/** Does to `tree` what the group at `start` says, unless the snapshot has it; its number, and what does not fit. */
function replay(
  lines: JournalLines,
  range: { readonly start: number; readonly end: number },
  { tree, after }: { readonly tree: ControlTree; readonly after: number },
): { number: number; misfit: string | undefined } {
  let number = 0;
  let misfit: string | undefined;
  visitElements(lines.json(range.start, range.end), {
    head: (head) => {
      ({ number } = head as Numbered);
      return number > after;
    },
    element: (operation) => {
      const applied = misfit === undefined ? tree.apply([operation as ControlOperation]) : ok(undefined);
      if (!applied.ok) misfit = `${applied.error} at ${applied.message}`;
    },
  });
  return { number, misfit };
}

/** `path` is that of the files without their endings; the error, for the operator, names the one that is damaged. */
export function readJournal(path: string, snapshot: ByteSource, journal: ByteSource): Result<JournalRead, string> {
  const tree = new ControlTree();
  const after = readSnapshot(snapshot, tree);
  if (after === undefined) return err(`${path}.snapshot is damaged`);
  const lines = new JournalLines(journal);
  let number = after;
  let end = 0;
  let isTorn = false;
  for (let start = 0; ; ) {
    const newline = lines.endOf(start);
    if (newline < 0) return ok({ tree, end, number });
    if (!lines.isWhole(start, newline)) isTorn = true;
    else if (isTorn) {
      const lost = 'a line that was acknowledged cannot be read';
      return err(`${path}.journal is damaged before byte ${newline + 1}: ${lost}`);
    } else {
      const group = replay(lines, { start, end: newline }, { tree, after });
      if (group.misfit !== undefined) return err(`${path}.journal does not fit its snapshot: ${group.misfit}`);
      number = Math.max(number, group.number);
      end = newline + 1;
    }
    start = newline + 1;
  }
}

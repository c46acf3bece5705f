/** A difference as text: the step that shows it, what each broker said, and the steps before it. */
import { ZERO_UUID } from '../../src/base/random';
import type { Difference } from './round';
import type { Step } from './steps';

const LONGEST_TEXT = 1500;
const LONGEST_FRAME = 600;

export interface Finding {
  readonly seed: number;
  readonly steps: readonly Step[];
  readonly difference: Difference;
}

export function report({ seed, steps, difference }: Finding): string {
  const { step, fields, answers, frame } = difference;
  const lines = [
    `round of seed ${seed}, ${steps.length} steps; what differs:`,
    stepText(step),
    `frame   ${frame.toString('hex').slice(0, LONGEST_FRAME)}`,
    ...fields
      .slice(0, 5)
      .flatMap(({ path, values: [odradek, kafka] }) => [
        `field   ${path}`,
        `odradek ${text(odradek)}`,
        `kafka   ${text(kafka)}`,
      ]),
    `odradek answers ${text(answers[0])}`,
    `kafka answers   ${text(answers[1])}`,
    'all steps:',
    ...steps.map(stepText),
  ];
  return lines.join('\n');
}

function stepText(step: Step): string {
  const { api, version, connection, spoil, extraBytes } = step;
  const change =
    spoil === undefined && extraBytes === undefined ? '' : ` spoiled ${JSON.stringify({ spoil, extraBytes })}`;
  return `- ${api} v${version} (${connection})${change} ${text(step.request)}`;
}

/** What most fields hold when nobody has said anything. */
function isDull(value: unknown): boolean {
  const isEmpty = Array.isArray(value) && value.length === 0;
  return isEmpty || value === null || value === -1 || value === false || value === ZERO_UUID;
}

function text(value: unknown): string {
  const json = JSON.stringify(value, (_, member: unknown) => readable(member)) ?? 'undefined';
  return json.length > LONGEST_TEXT ? `${json.slice(0, LONGEST_TEXT)}…` : json;
}

function readable(member: unknown): unknown {
  if (typeof member === 'object' && member !== null && !Array.isArray(member) && !('type' in member)) {
    return Object.fromEntries(Object.entries(member).filter(([, value]) => !isDull(value)));
  }
  const buffer = member as { type?: unknown; data?: number[] } | null;
  if (typeof member === 'object' && buffer?.type === 'Buffer') return Buffer.from(buffer.data ?? []).toString('latin1');
  if (typeof member === 'string' && member.length > 60) return `${member.slice(0, 50)}… (${member.length})`;
  return member;
}

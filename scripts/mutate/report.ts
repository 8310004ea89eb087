/** Formats the results of the mutants. */
import type { Mutant } from './points.ts';
import type { MutantOutcome } from './session.ts';

export interface NamedMutant extends Mutant {
  file: string;
  lineNumber: number;
  /** The line of the source without its indentation. */
  text: string;
  /** The change as text, such as `a < b → a <= b`. */
  change: string;
}

const maxLength = 120;

/** Returns the differing parts of two texts, each with up to 30 of the equal characters before and after. */
function difference(before: string, after: string): [string, string] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const from = Math.max(0, start - 30);
  const rest = Math.max(0, end - 30);
  return [before.slice(from, before.length - rest), after.slice(from, after.length - rest)];
}

export function nameMutant(file: string, source: string, mutant: Mutant): NamedMutant {
  const original = source.slice(mutant.start, mutant.end);
  const isShort = original.length + mutant.replacement.length <= maxLength && !original.includes('\n');
  const [before, after] =
    isShort || mutant.kind === 'statement' ? [original, mutant.replacement] : difference(original, mutant.replacement);
  const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, maxLength);
  const lineStart = source.lastIndexOf('\n', mutant.start - 1) + 1;
  const lineEnd = source.indexOf('\n', mutant.start);
  return {
    ...mutant,
    file,
    lineNumber: source.slice(0, mutant.start).split('\n').length,
    text: source.slice(lineStart, lineEnd < 0 ? undefined : lineEnd).trim(),
    change: `${oneLine(before)} → ${mutant.kind === 'statement' ? '(removed)' : oneLine(after)}`,
  };
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}

/** Formats unfit tests, survivors with their positions, and per file: score, killed, timed out, survived, never reached. */
export function formatReport(mutants: readonly (NamedMutant & { id: number })[], outcome: MutantOutcome, equivalent: number): string {
  const { killed, timedOut, reached } = outcome;
  const row = (name: string, some: readonly { id: number }[]): string => {
    const dead = some.filter((item) => killed.has(item.id));
    const late = dead.filter((item) => timedOut.has(item.id)).length;
    const alive = some.filter((item) => !killed.has(item.id));
    const unseen = alive.filter((item) => !reached.has(item.id)).length;
    const figures = [dead.length - late, late, alive.length - unseen, unseen].map((figure) => String(figure).padStart(8)).join('');
    return `${percent(dead.length, some.length).padStart(8)}${figures}  ${name}`;
  };
  const files = [...Map.groupBy(mutants, (item) => item.file)];
  const survivors = mutants.filter((mutant) => !killed.has(mutant.id));
  return [
    ...outcome.unfit.map(({ file, test, why }) => `left out: ${file} > ${test}: ${why}`),
    ...survivors.map(
      (survivor) =>
        `survived${reached.has(survivor.id) ? '' : ' (never reached)'}: ${survivor.file}:${survivor.lineNumber}  ${survivor.change}`,
    ),
    '',
    '   score  killed timeout   alive  unseen  file',
    ...files.map(([file, some]) => row(file, some)),
    row('all', mutants),
    ...(equivalent > 0 ? [`${equivalent} equivalent mutants were left out.`] : []),
  ].join('\n');
}

/** Days of a month as people write them: `1, 15-20, last`. */
import type { TimeConditions } from '@cloudfit/contract/rules/schema.ts';

type DaysOfTime = Pick<TimeConditions, 'DaysOfMonth' | 'LastDayOfMonth'>;

/**
 * Parses the days. Blank text is null, which stands for all days. Text that is no day becomes 0, which the validation refuses.
 */
function readNumbers(text: string): number[] | null {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  const days = parts.flatMap((part) => {
    const [, from, to = from] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part) ?? [];
    if (from === undefined || Number(to) < Number(from)) return [0];
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index);
  });
  return days.length === 0 ? null : [...new Set(days)].toSorted((a, b) => a - b).slice(0, 32);
}

function writeNumbers(days: readonly number[] | null | undefined): string {
  const runs: [number, number][] = [];
  for (const day of (days ?? []).toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && day === last[1] + 1) last[1] = day;
    else runs.push([day, day]);
  }
  return runs.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(', ');
}

/** Parses the days and the word `last`, which stands for the last day of each month. */
export function readDays(text: string): DaysOfTime {
  const numbers = text.replaceAll(/\blast\b/gi, ' ');
  return { DaysOfMonth: readNumbers(numbers), LastDayOfMonth: numbers !== text };
}

export function writeDays({ DaysOfMonth, LastDayOfMonth }: DaysOfTime): string {
  return [writeNumbers(DaysOfMonth), LastDayOfMonth ? 'last' : ''].filter(Boolean).join(', ');
}

/** Prints measured figures beside their targets. */
import type { Bound, JudgedFigure } from './targets.ts';

const head = ['what', 'figure', 'unit', 'target', 'ceiling', 'ratio', 'target ratio', ''];
/** These columns hold text and are left-aligned; the others hold numbers and are right-aligned. */
const words = new Set([0, 2, 7]);

const number = (value: number | undefined): string => (value === undefined ? '' : value.toLocaleString('en', { maximumFractionDigits: 2 }));
const bound = (value: Bound | undefined): string => (value ? `${value.kind === 'at least' ? '>=' : '<='} ${number(value.value)}` : '');

function cells(judgedFigure: JudgedFigure): string[] {
  return [
    judgedFigure.what,
    number(judgedFigure.figure),
    judgedFigure.unit,
    bound(judgedFigure.bound),
    number(judgedFigure.ceiling),
    number(judgedFigure.ratio),
    bound(judgedFigure.ratioBound),
    judgedFigure.verdict,
  ];
}

/** One line per figure, below the headings. */
export function table(all: readonly JudgedFigure[]): string {
  const lines = [head, ...all.map(cells)];
  const widths = head.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const line = (parts: readonly string[]): string =>
    parts
      .map((part, i) => (words.has(i) ? part.padEnd(widths[i] ?? 0) : part.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [
    line(head),
    widths
      .map((width) => '-'.repeat(width))
      .join('  ')
      .trimEnd(),
    ...lines.slice(1).map(line),
  ].join('\n');
}

/** All figures of the bench row to which a line of the table belongs. */
export function details({ row }: JudgedFigure): string {
  const figures = Object.entries(row.figures).map(([name, value]) => `${name} ${typeof value === 'number' ? number(value) : value}`);
  return `${row.name}\n    ${figures.join(', ')}${row.ratio ? `; ${number(row.ratio.value)} of ${row.ratio.of}` : ''}`;
}

/** Figures of a machine, and which of them fit into a packet. */
import { startOf } from '../one-line.ts';

export interface Figure {
  name: string;
  value: number;
  rank: number;
}

/** How important a figure is: when not all fit into a packet, those with the highest rank are left out. */
export const ranks = { machine: 0, part: 1, detail: 2, core: 3 } as const;

const maxNameLength = 200;

/** Returns a list with the figure, rounded; an empty one if there is no value, because what was not read is not 0. */
export function figure(name: string, value: number | undefined, rank: number, digits = 1): Figure[] {
  if (value === undefined || !Number.isFinite(value)) return [];
  // Names contain paths and labels of devices, in which anything may stand.
  const readable = startOf(name.replaceAll(/\p{C}/gu, '?'), maxNameLength);
  return [{ name: readable, value: Number(value.toFixed(digits)), rank }];
}

/** Returns the metrics of the most important figures, and a sentence if some do not fit. */
export function fitFigures(figures: readonly Figure[], max: number): { metrics: Record<string, number>; message: string | undefined } {
  const ordered = figures.toSorted((a, b) => a.rank - b.rank);
  const [first] = ordered.slice(max);
  return {
    metrics: Object.fromEntries(ordered.slice(0, max).map(({ name, value }) => [name, value])),
    message: first && `${ordered.length - max} of ${ordered.length} figures do not fit into a packet, among them ${first.name}.`,
  };
}

/** Returns how many percent `part` is of `whole`, within 0 and 100; undefined if there is no whole. */
export function percentOf(part: number | undefined, whole: number | undefined): number | undefined {
  if (part === undefined || whole === undefined || !(whole > 0)) return undefined;
  return Math.min(100, Math.max(0, (100 * part) / whole));
}

const range32 = 2 ** 32;

/**
 * Returns by how much a counter of the kernel has grown; undefined after it was reset. Counters of 32 bits start again at 0
 * beyond 4,294,967,295. Only a step back of more than half of that range is taken for it, because a reset counter is small.
 */
export function increase(before: number | undefined, now: number | undefined): number | undefined {
  if (before === undefined || now === undefined) return undefined;
  if (now >= before) return now - before;
  const wrapped = now - before + range32;
  return before < range32 && wrapped < range32 / 2 ? wrapped : undefined;
}

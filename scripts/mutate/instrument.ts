/** Inserts all mutants of a source into it, each behind a switch: `__mutation.on(id)`. */
import { findLoopBodies, type Mutant } from './points.ts';

export interface SwitchedMutant extends Mutant {
  id: number;
}

interface SourcePlace {
  start: number;
  end: number;
  kind: Mutant['kind'] | 'loop' | 'loopBlock';
  mutants: SwitchedMutant[];
  inner: SourcePlace[];
}

/** Returns the places in the order of the source, outer before inner; with equal ranges, a statement before an expression. */
function placesOf(path: string, source: string, mutants: readonly SwitchedMutant[]): SourcePlace[] {
  const grouped = Map.groupBy(mutants, (item) => `${item.start} ${item.end} ${item.kind}`);
  const places: SourcePlace[] = [...grouped.values()].map((group) => {
    const [{ start, end, kind } = { start: 0, end: 0, kind: 'expression' as const }] = group;
    return { start, end, kind, mutants: group, inner: [] };
  });
  for (const { start, end, isBlock } of findLoopBodies(path, source))
    places.push({ start, end, kind: isBlock ? 'loopBlock' : 'loop', mutants: [], inner: [] });
  const rank = ['loop', 'loopBlock', 'statement', 'expression'];
  return places.toSorted((a, b) => a.start - b.start || b.end - a.end || rank.indexOf(a.kind) - rank.indexOf(b.kind));
}

function nest(places: readonly SourcePlace[]): SourcePlace[] {
  const roots: SourcePlace[] = [];
  const open: SourcePlace[] = [];
  for (const place of places) {
    for (let last = open.at(-1); last && last.end <= place.start; last = open.at(-1)) open.pop();
    (open.at(-1)?.inner ?? roots).push(place);
    open.push(place);
  }
  return roots;
}

/** Returns the instrumented source, which behaves like the original while no mutant is active. */
export function instrument(path: string, source: string, mutants: readonly SwitchedMutant[]): string {
  function render(start: number, end: number, places: readonly SourcePlace[]): string {
    let text = '';
    let at = start;
    for (const place of places) {
      text += source.slice(at, place.start) + write(place);
      at = place.end;
    }
    return text + source.slice(at, end);
  }

  function write(place: SourcePlace): string {
    const original = render(place.start, place.end, place.inner);
    switch (place.kind) {
      case 'loop':
        return `{ __mutation.step(); ${original} }`;
      case 'loopBlock':
        return `{ __mutation.step(); ${original.slice(1)}`;
      case 'statement':
        return `{ if (!__mutation.on(${place.mutants[0]?.id ?? 0})) { ${original} } }`;
      case 'expression':
        return `(${place.mutants.map(({ id, replacement }) => `__mutation.on(${id}) ? (${replacement}) : `).join('')}(${original}))`;
    }
  }

  return render(0, source.length, nest(placesOf(path, source, mutants)));
}

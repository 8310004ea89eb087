import type { Pattern } from './series.ts';

const strokes: Record<Pattern, string> = {
  diagonal: 'M-1 7L7 -1M5 13L13 5',
  dots: 'M2 2h.01M6 6h.01',
  lines: 'M0 2h8M0 6h8',
  cross: 'M0 4h8M4 0v8',
};

/** Hatchings in the colour of the surface, laid over a filled box. */
export function SeriesPatterns({ id }: { id: string }) {
  return (
    <defs>
      {Object.entries(strokes).map(([name, path]) => (
        <pattern key={name} id={`${id}-${name}`} width={8} height={8} patternUnits="userSpaceOnUse">
          <path className={`hatch ${name}`} d={path} />
        </pattern>
      ))}
    </defs>
  );
}

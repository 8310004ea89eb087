import { tokenColor } from '../../components/chart/chart.tsx';
import type { SeriesPattern } from './series.ts';

/** SVG paths on a tile of eight pixels; strokes in the surface colour. */
const strokes: Record<SeriesPattern, string> = {
  diagonal: 'M-1 7L7 -1M5 13L13 5',
  dots: 'M2 2h.01M6 6h.01',
  lines: 'M0 2h8M0 6h8',
  cross: 'M0 4h8M4 0v8',
};

/** Hatch patterns in the surface colour, drawn over a filled box. */
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

/** Returns the fill for a canvas: the colour with the pattern over it, or the colour alone. */
export function hatching(context: CanvasRenderingContext2D, color: string, pattern: SeriesPattern | undefined): CanvasPattern | string {
  if (!pattern) return color;
  const tile = document.createElement('canvas');
  const ratio = devicePixelRatio;
  tile.width = tile.height = 8 * ratio;
  const draw = tile.getContext('2d');
  if (!draw) return color;
  draw.fillStyle = color;
  draw.fillRect(0, 0, tile.width, tile.height);
  draw.scale(ratio, ratio);
  draw.globalAlpha = 0.45;
  draw.strokeStyle = tokenColor('--surface');
  draw.lineWidth = pattern === 'dots' ? 2 : 1;
  draw.lineCap = pattern === 'dots' ? 'round' : 'butt';
  draw.stroke(new Path2D(strokes[pattern]));
  return context.createPattern(tile, 'repeat') ?? color;
}

/** Marks of a time chart: a dashed line with a shape on top at the start, and a hatched area for a mark with an end. */
import UPlot from 'uplot';
import type { ChartMark } from './points.ts';
import { tokenColor } from './chart.tsx';

const colors = { match: '--danger', unit: '--sev1', maintenance: '--info', outage: '--muted' } as const;

/** A circle for a match, a triangle for a work unit, a square for maintenance, a diamond for an outage. */
function drawShape(ctx: CanvasRenderingContext2D, kind: ChartMark['kind'], x: number, y: number, r: number) {
  ctx.beginPath();
  if (kind === 'match') ctx.arc(x, y, r, 0, 2 * Math.PI);
  else if (kind === 'unit') {
    ctx.moveTo(x - r, y - r);
    ctx.lineTo(x + r, y - r);
    ctx.lineTo(x, y + r);
  } else if (kind === 'outage') {
    ctx.moveTo(x, y - 1.3 * r);
    ctx.lineTo(x + 1.3 * r, y);
    ctx.lineTo(x, y + 1.3 * r);
    ctx.lineTo(x - 1.3 * r, y);
  } else ctx.rect(x - r, y - r, 2 * r, 2 * r);
  ctx.closePath();
  ctx.fill();
}

function hatch(ctx: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, px: number) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, width, height);
  ctx.clip();
  ctx.globalAlpha = 0.1;
  ctx.fillRect(x, y, width, height);
  ctx.globalAlpha = 0.35;
  ctx.beginPath();
  for (let at = x - height; at < x + width; at += 8 * px) {
    ctx.moveTo(at, y + height);
    ctx.lineTo(at + height, y);
  }
  ctx.stroke();
  ctx.restore();
}

/** Draws one layer of the marks: `areas`, below the series, or `lines`, dashed lines with shapes, above the series. */
export function drawMarks(plot: UPlot, marks: readonly ChartMark[], layer: 'areas' | 'lines'): void {
  const { ctx } = plot;
  const { left, top, width, height } = plot.bbox;
  const px = UPlot.pxRatio;
  const toX = (time: number) => Math.max(left, Math.min(left + width, plot.valToPos(time / 1_000, 'x', true)));
  const [min, max] = [plot.scales['x']?.min ?? 0, plot.scales['x']?.max ?? 0].map((seconds) => seconds * 1_000);
  ctx.save();
  for (const { kind, from, to } of marks) {
    if (min === undefined || max === undefined || from > max || (to ?? from) < min) continue;
    const color = tokenColor(colors[kind]);
    ctx.fillStyle = color;
    ctx.strokeStyle = color;
    ctx.lineWidth = px;
    if (layer === 'areas') {
      if (to !== undefined) hatch(ctx, toX(from), top, Math.max(px, toX(to) - toX(from)), height, px);
      continue;
    }
    if (from < min) continue;
    const x = toX(from);
    ctx.setLineDash([3 * px, 3 * px]);
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    ctx.setLineDash([]);
    drawShape(ctx, kind, x, top - 5 * px, 3.5 * px);
  }
  ctx.restore();
}

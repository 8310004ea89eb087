/** A chart as wide as its container, rendered by uPlot on a canvas in the colours of the theme. */
import { useEffect, useRef } from 'react';
import UPlot, { type AlignedData, type Options } from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useMode } from '../../theme/mode.ts';

export type ChartOptions = Pick<Options, 'axes' | 'bands' | 'cursor' | 'hooks' | 'padding' | 'scales' | 'series'>;

interface ChartProps {
  /** Description of the chart for screen readers. */
  label: string;
  height: number;
  /** Must be the same object until the points change. */
  data: AlignedData;
  /** Must be the same object until the options change. Colours are functions because the theme may change. */
  options: ChartOptions;
  /**
   * Receives the plot, so that the caller can move its cursor, and undefined when the plot is destroyed. Pass the same function
   * at each render.
   */
  onPlot?: (plot: UPlot | undefined) => void;
}

/** The value of a colour token: a canvas does not resolve `var()`. */
export function tokenColor(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim();
}

export function Chart({ label, height, data, options, onPlot }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const plotted = useRef<{ plot: UPlot; data: AlignedData }>(undefined);
  const latest = useRef(data);
  const mode = useMode();
  useEffect(() => {
    latest.current = data;
    const now = plotted.current;
    // New points are set on the existing plot, so that its cursor stays.
    if (!now || now.data === data) return;
    now.data = data;
    now.plot.setData(data);
  }, [data]);
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const plot = new UPlot({ ...options, width: element.clientWidth, height, legend: { show: false } }, latest.current, element);
    plotted.current = { plot, data: latest.current };
    onPlot?.(plot);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plotted.current = undefined;
      onPlot?.(undefined);
      plot.destroy();
    };
  }, [height, mode, onPlot, options]);
  return <div ref={container} role="img" aria-label={label} style={{ height }} />;
}

/** The time that charts show, and how, in the address: a range such as `6h` that moves with the clock, or `from` and `to`. */
import { hourMs } from '@cloudfit/contract/durations.ts';
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { useAddress } from '../../hooks/use-address.ts';

export const rangeMs: Readonly<Record<string, number>> = {
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': 24 * hourMs,
  '7d': 168 * hourMs,
  '30d': 720 * hourMs,
};
const usual = '6h';

/** A range that ends now, or a fixed one in epoch milliseconds. */
export type TimeRange = { last: string } | { from: number; to: number };

type Switch = 'compare' | 'log' | 'as';
const switchValues: Record<Switch, string> = { compare: 'week', log: 'on', as: 'table' };

export interface ChartView {
  range: TimeRange;
  isOn: (name: Switch) => boolean;
  toggle: (name: Switch) => void;
  choose: (last: string) => void;
  zoom: (from: number, to: number) => void;
  reset: () => void;
}

/** The range of the address; `prefix` keeps the parameters of a panel apart from those of its page. */
export function rangeOf(params: URLSearchParams, prefix = ''): TimeRange {
  const [from, to] = ['from', 'to'].map((name) => Date.parse(params.get(prefix + name) ?? ''));
  if (from !== undefined && to !== undefined && from < to) return { from, to };
  const last = params.get(`${prefix}range`) ?? usual;
  return { last: rangeMs[last] ? last : usual };
}

export function boundsOf(range: TimeRange, now: number): { from: number; to: number } {
  return 'last' in range ? { from: now - (rangeMs[range.last] ?? hourMs), to: now } : range;
}

export function useChartView(prefix = ''): ChartView {
  const [params] = useSearchParams();
  const change = useAddress();
  const range = useMemo(() => rangeOf(params, prefix), [params, prefix]);
  const set = (values: Readonly<Record<string, string | undefined>>, replace: boolean) =>
    change(
      (next) => {
        for (const [name, value] of Object.entries(values)) {
          if (value === undefined) next.delete(prefix + name);
          else next.set(prefix + name, value);
        }
        return undefined;
      },
      { replace },
    );
  const isOn = (name: Switch) => params.get(prefix + name) === switchValues[name];
  const choose = (last: string) => set({ range: last === usual ? undefined : last, from: undefined, to: undefined }, false);
  return {
    range,
    isOn,
    toggle: (name) => set({ [name]: isOn(name) ? undefined : switchValues[name] }, true),
    choose,
    // A separate step in the browser's history, so that Back returns from a zoom.
    zoom: (from, to) => {
      const end = Math.min(to, Date.now());
      if (from < end) set({ from: new Date(from).toISOString(), to: new Date(end).toISOString() }, false);
    },
    reset: () => set({ from: undefined, to: undefined }, false),
  };
}

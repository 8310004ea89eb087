/** What the page shows, from its address: control set, week and filters. */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { controlStatusValues } from '@cloudfit/contract/enums.ts';
import { isPageSize } from '../../components/table/pager.tsx';
import { useAddress } from '../../hooks/use-address.ts';

export type Status = (typeof controlStatusValues)[number];

export interface Place {
  set: string | null;
  /** Midnight UTC of a Monday. */
  monday: string;
  search: string;
  status: Status | undefined;
  /** Only controls whose status differs from the week before. */
  isChangedOnly: boolean;
  /** Zero-based. */
  page: number;
  rows: number;
}

const usualRows = 25;
const isDay = (text: string | null): text is string => text !== null && !Number.isNaN(Date.parse(text));

export function usePlace() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const text = params.toString();
  const place = useMemo((): Place => {
    const now = new URLSearchParams(text);
    const week = now.get('week');
    const rows = Number(now.get('rows'));
    return {
      set: now.get('set'),
      monday: mondayOf(isDay(week) ? week : new Date().toISOString()),
      search: now.get('search') ?? '',
      status: controlStatusValues.find((status) => status === now.get('status')),
      isChangedOnly: now.get('changed') === '1',
      page: Math.max(0, (Number(now.get('page')) || 1) - 1),
      rows: isPageSize(rows) ? rows : usualRows,
    };
  }, [text]);
  /**
   * Changes parameters of the address; an empty value removes its parameter. Any change except of the page returns to the first
   * page.
   */
  const change = useCallback(
    (part: Readonly<Record<string, string>>, { replace = false } = {}) =>
      setAddress(
        (now) => {
          if (!('page' in part)) now.delete('page');
          for (const [name, value] of Object.entries(part)) {
            if (value === '') now.delete(name);
            else now.set(name, value);
          }
          return undefined;
        },
        { replace, now: true },
      ),
    [setAddress],
  );
  return [place, change] as const;
}

export type ChangePlace = ReturnType<typeof usePlace>[1];

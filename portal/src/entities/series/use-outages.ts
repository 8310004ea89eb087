/** Outages of this installation as marks of charts: in these times it received no packets, so values may be missing. */
import { useMemo } from 'react';
import { listOutages } from '@cloudfit/contract/calls.ts';
import { chartTexts as t } from '@cloudfit/contract/messages/charts.en.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import type { ChartMark } from '../../components/chart/points.ts';
import { span } from '../../components/relative-time.tsx';

/** Reads the outages since an ISO time. For people who may see the page of the installation, each mark links to it. */
export function useOutages(since: string, tenantId: string): readonly ChartMark[] {
  const may = useMay();
  const mayOpen = may('Settings', 'edit') && may('Settings', 'view');
  const { data } = useCall(
    listOutages,
    { from: since },
    {
      quiet: false,
      enabled: may(packets.area, 'view'),
      staleTime: 60_000,
    },
  );
  return useMemo(
    () =>
      (data?.value ?? []).map(({ from, to }): ChartMark => ({
        id: `outage ${from}`,
        kind: 'outage',
        label: t.outage(span(Date.parse(to) - Date.parse(from))),
        href: mayOpen ? `/${tenantId}/installation` : undefined,
        from: Date.parse(from),
        to: Date.parse(to),
      })),
    [data, mayOpen, tenantId],
  );
}

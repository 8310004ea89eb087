/** Reports of work units: how many were opened, how fast they were worked on, compared with the period before. */
import { keepPreviousData } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { workUnitReport } from '@cloudfit/contract/calls.ts';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { reportScheduleTexts } from '@cloudfit/contract/messages/report-schedules.en.ts';
import { reportTexts as t } from '@cloudfit/contract/messages/reports.en.ts';
import { reportCsv } from '@cloudfit/contract/reports/figures.ts';
import { reportDimensions, type ReportDimension } from '@cloudfit/contract/reports/dimensions.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { daysText } from '../../theme/times.ts';
import { useCall } from '../../api/call.ts';
import { useMay, useTenants } from '../../api/lookups.ts';
import { usePersonName } from '../../api/people-names.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import type { ChartSeries, ValueBucket } from '../../components/chart/points.ts';
import { TimeChart } from '../../components/chart/time-chart-lazy.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { onDemand } from '../../components/on-demand.tsx';
import { nearing } from '../../components/overlay/floating.tsx';
import { printSheet } from '../../components/print-sheet.ts';
import { saveCsv } from '../../components/save-file.ts';
import { Skeleton } from '../../components/states.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { useList } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { OnCallLoad } from './on-call-load.tsx';
import { writerFor } from './figures.rules.ts';
import { periodOf, presets, timeOfDay } from './period.rules.ts';
import { ReportSheet, type UnitReport } from './report-sheet.tsx';
import '../../resource/list-page.css';
import './reports.css';

const { Component: SchedulesDialog, load: loadSchedules } = onDemand(() =>
  import('./schedules-dialog.tsx').then((module) => module.SchedulesDialog),
);

const refreshMs = 60_000;
/** While days are being counted. */
const soonMs = 5_000;
const usualDimension: ReportDimension = 'category';

function seriesOf(days: UnitReport['days']): ChartSeries[] {
  const of = (value: (day: UnitReport['days'][number]) => number) =>
    days.map((day): ValueBucket => {
      const n = value(day);
      return [timeOfDay(day.day), n, n, n, n, 1];
    });
  const common = { unit: 'none', gap: dayMs * 1.5 } as const;
  return [
    { ...common, id: 'now', label: t.now, buckets: of((day) => day.opened) },
    { ...common, id: 'before', label: t.before, buckets: of((day) => day.before), faint: true },
  ];
}

function OpenedChart({ report: { days, from, to } }: { report: UnitReport }) {
  const [zoomed, setZoomed] = useState<{ from: number; to: number }>();
  const series = useMemo(() => seriesOf(days), [days]);
  const range = zoomed ?? { from: timeOfDay(from), to: timeOfDay(to) + (from === to ? dayMs : 0) };
  return (
    <section className="report-chart" aria-label={t.chart}>
      <h2>{t.chart}</h2>
      <TimeChart
        title={t.chart}
        series={series}
        {...range}
        isCount
        readTime={(time) => daysText(localDay(time), localDay(time))}
        onZoom={(start, end) => setZoomed({ from: start, to: end })}
        onReset={() => setZoomed(undefined)}
      />
    </section>
  );
}

/** The day in the viewer's time zone: the inverse of `timeOfDay`. */
function localDay(time: number): string {
  const date = new Date(time);
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString().slice(0, 10);
}

/** The groups of tenants that the person sees. */
function useTenantGroups(): readonly Row<typeof tenantGroups>[] {
  const mayView = useMay()('Tenants', 'view');
  const { data } = useList(tenantGroups, { orderBy: 'name asc', top: 1_000 }, { enabled: mayView });
  return mayView ? (data?.rows ?? []) : [];
}

export function ReportsPage() {
  usePageTitle(en.shell.items.reports);
  const { tenantId } = useScope();
  const { data: tenants = [] } = useTenants();
  const [params] = useSearchParams();
  const changeAddress = useAddress();
  const personName = usePersonName();
  const sheet = useRef<HTMLDivElement>(null);
  const [isMailing, setMailing] = useState(false);
  const [openedAt] = useState(Date.now);
  const { from, to, days } = periodOf(params, openedAt);
  const by = reportDimensions.find((dimension) => dimension === params.get('by')) ?? usualDimension;
  const groups = useTenantGroups();
  const chosen = params.get('tenants') ?? '';
  const isAll = chosen === 'all';
  // A group that is not offered is asked for all the same: the answer says what is wrong with it.
  const tenantGroupId = isAll || chosen === '' ? undefined : chosen;
  const set = (values: Record<string, string | undefined>) =>
    changeAddress(
      (next) => {
        for (const [name, value] of Object.entries(values))
          if (value === undefined) next.delete(name);
          else next.set(name, value);
        return undefined;
      },
      { replace: true },
    );
  const place = { from, to, ...(tenantGroupId ? { tenantGroupId } : isAll || tenantId === null ? {} : { tenantId }) };
  const report = useCall(
    workUnitReport,
    { ...place, by },
    { placeholderData: keepPreviousData, refetchInterval: (query) => (query.state.data?.pendingDays ? soonMs : refreshMs) },
  );
  const { data } = report;
  const fileName = `${t.title(t.dimensions[by])} ${from} ${to}`;
  const download = () => data && saveCsv(`${fileName}.csv`, reportCsv(by, data, writerFor(personName)));
  return (
    <div className="page">
      <div className="page-bar report-bar">
        <select
          className="input"
          aria-label={t.tenants}
          value={chosen}
          onChange={(event) => set({ tenants: event.target.value || undefined })}
        >
          <option value="">{tenants.find((tenant) => tenant.tenantId === tenantId)?.name ?? t.thisTenant}</option>
          <option value="all">{t.allTenants}</option>
          {groups.map((group) => (
            <option key={group.tenantGroupId} value={group.tenantGroupId}>
              {group.name}
            </option>
          ))}
        </select>
        <select
          className="input"
          aria-label={t.period}
          value={days ?? ''}
          onChange={(event) => set({ days: event.target.value || undefined, from: undefined, to: undefined })}
        >
          {days === undefined && <option value="">{t.chosenDays}</option>}
          {presets.map((preset) => (
            <option key={preset} value={preset}>
              {t.lastDays(preset)}
            </option>
          ))}
        </select>
        <input
          className="input num"
          type="date"
          aria-label={t.from}
          value={from}
          max={to}
          onChange={(event) => event.target.value && set({ from: event.target.value, to, days: undefined })}
        />
        <input
          className="input num"
          type="date"
          aria-label={t.to}
          value={to}
          min={from}
          onChange={(event) => event.target.value && set({ from, to: event.target.value, days: undefined })}
        />
        <select className="input" aria-label={t.by} value={by} onChange={(event) => set({ by: event.target.value })}>
          {reportDimensions.map((dimension) => (
            <option key={dimension} value={dimension}>
              {t.dimensions[dimension]}
            </option>
          ))}
        </select>
        <div className="row report-outputs">
          <Button
            icon="mail"
            aria-haspopup="dialog"
            disabled={tenantId === null || tenantGroupId !== undefined}
            title={tenantGroupId ? t.noMailOfGroup : undefined}
            {...nearing}
            onPointerEnter={() => void loadSchedules()}
            onClick={() => setMailing(true)}
          >
            {reportScheduleTexts.open}
          </Button>
          <Button icon="download" disabled={!data} onClick={download}>
            {t.csv}
          </Button>
          <Button icon="print" disabled={!data} onClick={() => sheet.current && printSheet(fileName, sheet.current)}>
            {t.print}
          </Button>
        </div>
      </div>
      {isMailing && tenantId !== null && (
        <SchedulesDialog shown={{ by, days, isAllTenants: isAll, tenantId }} onClose={() => setMailing(false)} />
      )}
      <div className="report-place">
        <Loaded query={report} failed={t.failed} loading={<Skeleton width="60%" />}>
          {(value) => (
            <>
              {value.pendingDays > 0 && (
                <p className="muted" role="status">
                  {t.pending(value.pendingDays)}
                </p>
              )}
              <OpenedChart report={value} />
              <div ref={sheet} className="report-sheet">
                <ReportSheet report={value} by={by} />
                <OnCallLoad {...place} />
              </div>
            </>
          )}
        </Loaded>
      </div>
    </div>
  );
}

/** The content of the tiles. Each reads only what it needs, and its colours are also said in words. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { memo, useCallback, useMemo, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import type { Area } from '@cloudfit/contract/permissions.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { complianceReport } from '@cloudfit/contract/resources/compliance-report.ts';
import { controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import type { DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { useMay } from '../../api/lookups.ts';
import { numberText, unitOf, type MetricUnit } from '../../components/chart/number-text.ts';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { Swatch } from '../../components/chart/series-look.tsx';
import { TimeChart } from '../../components/chart/time-chart-lazy.tsx';
import { SeverityChip } from '../../components/chips.tsx';
import { countText } from '../../components/count.ts';
import { RelativeTime, span, useNow } from '../../components/relative-time.tsx';
import { Skeleton } from '../../components/states.tsx';
import { isOpen, isSilent, silentAfterMs } from '../../entities/attention.ts';
import { useSeries } from '../../entities/series/use-series.ts';
import { useSparkline, type SparkValues } from '../../entities/series/use-sparkline.ts';
import { rangeMs, type TimeRange } from '../../entities/series/use-time-range.ts';
import { useGroups, useList } from '../../rows/use-rows.ts';

const t = dashboardTexts.tile;
const pollMs = 30_000;
/** Poll interval of a number in milliseconds. People read dashboards from a distance, so 15 seconds are enough. */
const numberMs = 15_000;
const maxListed = 12;

type TileOf<Kind extends DashboardTile['kind']> = Extract<DashboardTile, { kind: Kind }>;

interface TileRead<T> {
  data: T | undefined;
  isError: boolean;
}

/** The content once it has loaded; otherwise a placeholder, or a note about a missing permission or an error. */
function Shown<T>({ of, area, children }: { of: TileRead<T>; area: Area; children: (data: T) => ReactNode }) {
  const may = useMay();
  if (!may(area, 'view')) return <p className="tile-note">{t.denied}</p>;
  if (of.data !== undefined) return children(of.data);
  return of.isError ? <p className="tile-note">{t.failed}</p> : <Skeleton width="60%" />;
}

/** The last value and its age, which render with each clock tick. The line is separate, and renders only with new readings. */
function LastValue({ line: { buckets, step }, label, unit }: { line: SparkValues; label: string; unit: MetricUnit }) {
  const now = useNow();
  const last = buckets.at(-1);
  if (!last) return <p className="tile-number silent">{t.noData}</p>;
  // A bucket lasts one step, so its last reading came at most one step after its start.
  const silence = now - last[0] - step;
  const isQuiet = silence > silentAfterMs;
  return (
    <>
      <p className={isQuiet ? 'tile-number silent num' : 'tile-number num'}>{numberText(last[4], unit)}</p>
      <p className={isQuiet ? 'tile-note silent' : 'tile-note ellipsis'}>{isQuiet ? t.silentFor(span(silence)) : label}</p>
    </>
  );
}

const TileLine = memo(function TileLine({ id, line, label, unit }: { id: string; line: SparkValues; label: string; unit: MetricUnit }) {
  const { buckets, gap, from, to } = line;
  if (buckets.length === 0) return null;
  return (
    <div className="tile-line">
      <Sparkline series={{ id, label, unit, buckets, gap }} from={from} to={to} />
    </div>
  );
});

function NumberTile({ tile }: { tile: TileOf<'number'> }) {
  const [series] = tile.series;
  const { entityId = '', metric = '', label = '' } = series ?? {};
  const line = useSparkline(entityId, metric, { refreshMs: numberMs });
  const unit = unitOf(metric);
  return (
    <Shown of={{ data: line.data ?? undefined, isError: line.isError || line.data === null }} area="Packets">
      {(values) => (
        <>
          <LastValue line={values} label={label} unit={unit} />
          <TileLine id={tile.id} line={values} label={label} unit={unit} />
        </>
      )}
    </Shown>
  );
}

const rangeOf = (hours: number): TimeRange => {
  const last = Object.entries(rangeMs).find(([, length]) => length === hours * 3_600_000)?.[0];
  return { last: last ?? '24h' };
};
const chartPoints = 200;
const nothing = () => undefined;

/** The observed height of an element, so that a chart fills its tile. */
function useHeight(): [ref: (element: HTMLElement | null) => (() => void) | undefined, height: number] {
  const [height, setHeight] = useState(0);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, height];
}

function ChartTile({ tile, name }: { tile: TileOf<'chart'>; name: string }) {
  const [place, height] = useHeight();
  const target = useMemo(() => tile.series.map(({ entityId, metric }) => ({ entityId, metric })), [tile.series]);
  const range = useMemo(() => rangeOf(tile.hours), [tile.hours]);
  const read = useSeries(target, range, { points: chartPoints });
  const numbers = useMemo(
    () =>
      (read.data?.series ?? []).flatMap((answered, at) =>
        answered.buckets.length === 0
          ? []
          : [
              {
                id: `${answered.entityId} ${answered.metric}`,
                label: tile.series[at]?.label ?? answered.metric,
                unit: unitOf(answered.metric),
                buckets: answered.buckets,
                gap: answered.gap,
              },
            ],
      ),
    [read.data, tile.series],
  );
  return (
    <Shown of={read} area="Packets">
      {({ from, to }) =>
        numbers.length === 0 ? (
          <p className="tile-note">{t.noData}</p>
        ) : (
          <>
            <div ref={place} className="tile-chart">
              {height > 0 && (
                <TimeChart title={name} series={numbers} from={from} to={to} height={height} onZoom={nothing} onReset={nothing} />
              )}
            </div>
            <ul className="tile-legend">
              {numbers.map((number, at) => (
                <li key={number.id} className="ellipsis">
                  <Swatch at={at} />
                  {number.label}
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Shown>
  );
}

/** A list of linked rows, which ends where the tile ends, and the number of all rows. */
function TileList({ count, children }: { count: number; children: ReactNode }) {
  if (count === 0) return <p className="tile-note ok">{t.none}</p>;
  return (
    <>
      <ul className="tile-rows">{children}</ul>
      <p className="tile-note">{t.all(count)}</p>
    </>
  );
}

function UnitsTile({ tenantId }: { tenantId: string }) {
  const may = useMay()('WorkUnits', 'view');
  const read = useList(
    workUnits,
    {
      select: ['workUnitId', 'publicWorkUnitId', 'title', 'severityId', 'created'],
      filter: and(eq(workUnits, 'tenantId', tenantId), isOpen),
      orderBy: ['severityId asc', 'created desc'],
      top: maxListed,
      count: true,
    },
    { enabled: may, pollMs },
  );
  return (
    <Shown of={read} area="WorkUnits">
      {({ rows, count = rows.length }) => (
        <TileList count={count}>
          {rows.map((unit) => (
            <li key={unit.workUnitId}>
              <SeverityChip value={unit.severityId} />
              <Link className="ellipsis grow" to={`/${tenantId}/workunitsv2?workUnitId=${unit.workUnitId}`}>
                #{unit.publicWorkUnitId} {unit.title}
              </Link>
              <RelativeTime value={unit.created} plain />
            </li>
          ))}
        </TileList>
      )}
    </Shown>
  );
}

function MatchesTile({ tenantId }: { tenantId: string }) {
  const may = useMay()('Rules', 'view');
  const read = useList(
    ruleMatches,
    {
      select: ['ruleMatchId', 'label', 'created'],
      filter: and(eq(ruleMatches, 'tenantId', tenantId), eq(ruleMatches, 'closed', null)),
      orderBy: 'created desc',
      top: maxListed,
      count: true,
    },
    { enabled: may, pollMs },
  );
  return (
    <Shown of={read} area="Rules">
      {({ rows, count = rows.length }) => (
        <TileList count={count}>
          {rows.map((match) => (
            <li key={match.ruleMatchId}>
              <Link className="ellipsis grow" to={`/${tenantId}/matches/${match.ruleMatchId}`}>
                {match.label}
              </Link>
              <RelativeTime value={match.created} plain />
            </li>
          ))}
        </TileList>
      )}
    </Shown>
  );
}

interface TileShare {
  label: string;
  value: number;
  tone: 'ok' | 'danger' | 'warn' | 'plain';
  to?: string;
}

/** Parts of a whole, as a bar and in words. */
function Shares({ shares }: { shares: readonly TileShare[] }) {
  const all = shares.reduce((sum, { value }) => sum + value, 0);
  return (
    <>
      <div className="tile-bar" aria-hidden>
        {shares.map(({ label, value, tone }) => value > 0 && <i key={label} className={tone} style={{ flexGrow: value / all }} />)}
      </div>
      <dl className="tile-shares">
        {shares.map(({ label, value, tone, to }) => (
          <div key={label} className={value > 0 ? tone : 'plain'}>
            <dt>{to ? <Link to={to}>{label}</Link> : label}</dt>
            <dd className="num">{countText(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function DevicesTile({ tenantId }: { tenantId: string }) {
  const may = useMay();
  const [enabled, packets] = [may('Devices', 'view'), may('Packets', 'view')];
  const ofTenant = eq(devices, 'tenantId', tenantId);
  const options = { enabled, pollMs, pollsAlways: true };
  const all = useList(devices, { select: ['deviceId'], filter: and(ofTenant, eq(devices, 'enabled', true)), top: 1, count: true }, options);
  const off = useList(
    devices,
    { select: ['deviceId'], filter: and(ofTenant, eq(devices, 'enabled', false)), top: 1, count: true },
    options,
  );
  const silent = useList(
    devices,
    {
      select: ['deviceId', 'name'],
      filter: and(ofTenant, eq(devices, 'enabled', true), isSilent),
      orderBy: 'name asc',
      top: 5,
      count: true,
    },
    { ...options, enabled: enabled && packets },
  );
  const counts =
    all.data && off.data && silent.data
      ? { all: all.data.count ?? 0, off: off.data.count ?? 0, silent: silent.data.count ?? 0, names: silent.data.rows }
      : undefined;
  return (
    <Shown of={{ data: counts, isError: all.isError || silent.isError }} area={packets ? 'Devices' : 'Packets'}>
      {(now) => (
        <>
          <Shares
            shares={[
              { label: t.reporting, value: now.all - now.silent, tone: 'ok' },
              { label: t.silent, value: now.silent, tone: 'danger', to: `/${tenantId}/devices?f.enabled=true&q=silent` },
              { label: t.disabled, value: now.off, tone: 'plain' },
            ]}
          />
          <p className="tile-note ellipsis">{now.names.map(({ name }) => name).join(', ')}</p>
        </>
      )}
    </Shown>
  );
}

function VersionsTile({ tenantId }: { tenantId: string }) {
  const read = useGroups<{ versionStatus: string; n: number }>(
    complianceReport,
    { apply: `filter(${eq(complianceReport, 'tenantId', tenantId)})/groupby((versionStatus),aggregate($count as n))` },
    { enabled: useMay()('Devices', 'view'), pollMs: 2 * pollMs },
  );
  return (
    <Shown of={read} area="Devices">
      {({ rows }) => {
        const of = (status: string) => rows.find(({ versionStatus }) => versionStatus === status)?.n ?? 0;
        if (rows.length === 0) return <p className="tile-note">{t.noVersions}</p>;
        const to = '/versionreport';
        return (
          <Shares
            shares={[
              { label: t.current, value: of('Current'), tone: 'ok', to },
              { label: t.outdated, value: of('Outdated'), tone: 'warn', to: `${to}?f.versionStatus=Outdated` },
            ]}
          />
        );
      }}
    </Shown>
  );
}

/** The Monday of this week in UTC, the day by which control statuses are stored. */
function thisMonday(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()) - ((now.getUTCDay() + 6) % 7) * dayMs).toISOString();
}
const tones: Readonly<Record<string, TileShare['tone']>> = { Compliant: 'ok', NonCompliant: 'danger' };

function ComplianceTile({ tenantId }: { tenantId: string }) {
  const filter = `${eq(controlStatuses, 'tenantId', tenantId)} and checkDate ge ${thisMonday()}`;
  const read = useGroups<{ status: string; n: number }>(
    controlStatuses,
    { apply: `filter(${filter})/groupby((status),aggregate($count as n))` },
    { enabled: useMay()('Compliance', 'view'), pollMs: 2 * pollMs },
  );
  return (
    <Shown of={read} area="Compliance">
      {({ rows }) =>
        rows.length === 0 ? (
          <p className="tile-note">{t.noControls}</p>
        ) : (
          <Shares
            shares={rows.map(({ status, n }) => ({
              label: status,
              value: n,
              tone: tones[status] ?? 'warn',
              to: `/${tenantId}/compliance`,
            }))}
          />
        )
      }
    </Shown>
  );
}

interface TileBodyProps {
  tile: DashboardTile;
  tenantId: string;
  name: string;
}

/** Memoized, so that a render of the page or new data of another tile does not re-render it. */
export const TileBody = memo(function TileBody({ tile, tenantId, name }: TileBodyProps) {
  switch (tile.kind) {
    case 'number':
      return <NumberTile tile={tile} />;
    case 'chart':
      return <ChartTile tile={tile} name={name} />;
    case 'units':
      return <UnitsTile tenantId={tenantId} />;
    case 'matches':
      return <MatchesTile tenantId={tenantId} />;
    case 'devices':
      return <DevicesTile tenantId={tenantId} />;
    case 'versions':
      return <VersionsTile tenantId={tenantId} />;
    case 'compliance':
      return <ComplianceTile tenantId={tenantId} />;
  }
});

/** The name of a tile: its own title, or what it shows. */
export function tileName({ title, ...tile }: DashboardTile): string {
  if (title !== '') return title;
  const kind = dashboardTexts.kinds[tile.kind];
  if (tile.kind === 'number') return tile.series[0]?.metric.replace(/^Metrics\./, '') ?? kind;
  if (tile.kind !== 'chart') return kind;
  const labels = tile.series.map(({ label }) => label);
  return labels.join(', ').slice(0, 100);
}

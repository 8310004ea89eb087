/** What each kind of tile shows, from what the server has read for it. */
import { memo, useCallback, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { TileAnswer, TileShown } from '@cloudfit/contract/walls/calls.ts';
import { severities } from '@cloudfit/contract/enums.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { titled, type DashboardTile, type VariableKind } from '@cloudfit/contract/resources/dashboards.ts';
import { numberText, unitOf, type MetricUnit } from '../../components/chart/number-text.ts';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { Swatch } from '../../components/chart/series-look.tsx';
import { TimeChart } from '../../components/chart/time-chart-lazy.tsx';
import { SeverityChip } from '../../components/chips.tsx';
import { countText } from '../../components/count.ts';
import { RelativeTime, span, useNow } from '../../components/relative-time.tsx';
import { Skeleton } from '../../components/states.tsx';
import { silentAfterMs } from '../../entities/attention.ts';
import { CustomersBoard } from './customers-board.tsx';
import { useWallPages } from './wall-pages.tsx';

const t = dashboardTexts.tile;

type ShownOf<Kind extends TileShown['kind']> = Extract<TileShown, { kind: Kind }>;
type TileBucket = NonNullable<ShownOf<'number'>['line']>['buckets'][number];

/** The last value and its age, which render with each clock tick. The line is separate, and renders only with new readings. */
function LastValue({ buckets, step, label, unit }: { buckets: readonly TileBucket[]; step: number; label: string; unit: MetricUnit }) {
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

function NumberTile({ tile, shown }: { tile: DashboardTile; shown: ShownOf<'number'> }) {
  const { line, from, to, step } = shown;
  if (!line) return <p className="tile-number silent">{t.noData}</p>;
  const unit = unitOf(line.metric);
  return (
    <>
      <LastValue buckets={line.buckets} step={step} label={line.label} unit={unit} />
      <div className="tile-line">
        <Sparkline series={{ id: tile.id, label: line.label, unit, buckets: line.buckets, gap: line.gap }} from={from} to={to} />
      </div>
    </>
  );
}

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

function ChartTile({ shown: { lines, from, to }, name }: { shown: ShownOf<'chart'>; name: string }) {
  const [place, height] = useHeight();
  const numbers = lines.map(({ entityId, metric, label, buckets, gap }) => ({
    id: `${entityId} ${metric}`,
    label,
    unit: unitOf(metric),
    buckets,
    gap,
  }));
  if (numbers.length === 0) return <p className="tile-note">{t.noData}</p>;
  return (
    <>
      <div ref={place} className="tile-chart">
        {height > 0 && <TimeChart title={name} series={numbers} from={from} to={to} height={height} onZoom={nothing} onReset={nothing} />}
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
  );
}

/** A list of rows, which ends where the tile ends, and the number of all rows. */
function TileList({ count, children }: { count: number; children: ReactNode }) {
  if (count === 0) return <p className="tile-note ok">{t.none}</p>;
  return (
    <>
      <ul className="tile-rows">{children}</ul>
      <p className="tile-note">{t.all(count)}</p>
    </>
  );
}

/** A link, or its text alone where nobody is signed in. */
function Linked({ to, className, children }: { to: string | undefined; className?: string; children: ReactNode }) {
  return to === undefined ? (
    <span className={className}>{children}</span>
  ) : (
    <Link className={className} to={to}>
      {children}
    </Link>
  );
}

function UnitsTile({ shown: { rows, count }, hasLinks }: { shown: ShownOf<'units'>; hasLinks: boolean }) {
  return (
    <TileList count={count}>
      {rows.map((unit) => (
        <li key={unit.workUnitId}>
          <SeverityChip value={unit.severityId} />
          <Linked className="ellipsis grow" to={hasLinks ? `/${unit.tenantId}/workunitsv2?workUnitId=${unit.workUnitId}` : undefined}>
            #{unit.publicWorkUnitId} {unit.title}
          </Linked>
          <RelativeTime value={unit.created} plain />
        </li>
      ))}
    </TileList>
  );
}

function MatchesTile({ shown: { rows, count }, hasLinks }: { shown: ShownOf<'matches'>; hasLinks: boolean }) {
  return (
    <TileList count={count}>
      {rows.map((match) => (
        <li key={match.ruleMatchId}>
          <Linked className="ellipsis grow" to={hasLinks ? `/${match.tenantId}/matches/${match.ruleMatchId}` : undefined}>
            {match.label}
          </Linked>
          <RelativeTime value={match.created} plain />
        </li>
      ))}
    </TileList>
  );
}

interface TileShare {
  label: string;
  value: number;
  tone: 'ok' | 'danger' | 'warn' | 'plain';
  to?: string | undefined;
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
            <dt>
              <Linked to={to}>{label}</Linked>
            </dt>
            <dd className="num">{countText(value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

const complianceTones: Readonly<Record<string, TileShare['tone']>> = { Compliant: 'ok', NonCompliant: 'danger' };

interface ShownTileProps {
  shown: TileShown;
  tile: DashboardTile;
  name: string;
  hasLinks: boolean;
  /** The tenant of the rows, if they are of one. */
  tenantId: string | null;
}

function Shown({ shown, tile, name, hasLinks, tenantId }: ShownTileProps) {
  const to = (path: string) => (hasLinks && tenantId !== null ? `/${tenantId}/${path}` : undefined);
  switch (shown.kind) {
    case 'number':
      return <NumberTile tile={tile} shown={shown} />;
    case 'chart':
      return <ChartTile shown={shown} name={name} />;
    case 'units':
      return <UnitsTile shown={shown} hasLinks={hasLinks} />;
    case 'matches':
      return <MatchesTile shown={shown} hasLinks={hasLinks} />;
    case 'devices':
      return (
        <>
          <Shares
            shares={[
              { label: t.reporting, value: shown.reporting, tone: 'ok' },
              { label: t.silent, value: shown.silent, tone: 'danger', to: to('devices?f.enabled=true&q=silent') },
              { label: t.disabled, value: shown.disabled, tone: 'plain' },
            ]}
          />
          <p className="tile-note ellipsis">{shown.names.join(', ')}</p>
        </>
      );
    case 'versions': {
      if (shown.current + shown.outdated === 0) return <p className="tile-note">{t.noVersions}</p>;
      const page = hasLinks ? '/versionreport' : undefined;
      return (
        <Shares
          shares={[
            { label: t.current, value: shown.current, tone: 'ok', to: page },
            { label: t.outdated, value: shown.outdated, tone: 'warn', to: page && `${page}?f.versionStatus=Outdated` },
          ]}
        />
      );
    }
    case 'compliance':
      return shown.statuses.length === 0 ? (
        <p className="tile-note">{t.noControls}</p>
      ) : (
        <Shares
          shares={shown.statuses.map(({ status, n }) => ({
            label: choiceText(status),
            value: n,
            tone: complianceTones[status] ?? 'warn',
            to: to('compliance'),
          }))}
        />
      );
    case 'customers':
      return <CustomersBoard customers={shown.value} hasLinks={hasLinks} />;
  }
}

/** The figures of one customer in a tile that is repeated: a line of numbers. */
function Part({ shown, name, to }: { shown: TileShown; name: string; to: string | undefined }) {
  const figures: { label: string; value: number; tone: string }[] =
    shown.kind === 'units'
      ? severities.map((severity) => ({ label: severity, value: shown.bySeverity[severity] ?? 0, tone: severity.toLowerCase() }))
      : shown.kind === 'matches'
        ? [{ label: t.matches, value: shown.count, tone: 'danger' }]
        : shown.kind === 'devices'
          ? [
              { label: t.reporting, value: shown.reporting, tone: 'ok' },
              { label: t.silent, value: shown.silent, tone: 'danger' },
            ]
          : shown.kind === 'versions'
            ? [
                { label: t.current, value: shown.current, tone: 'ok' },
                { label: t.outdated, value: shown.outdated, tone: 'warn' },
              ]
            : shown.kind === 'compliance'
              ? shown.statuses.map(({ status, n }) => ({ label: choiceText(status), value: n, tone: complianceTones[status] ?? 'warn' }))
              : [];
  return (
    <li className="tile-part">
      <Linked className="ellipsis" to={to}>
        {name}
      </Linked>
      <dl>
        {figures.map(({ label, value, tone }) => (
          <div key={label} className={value > 0 ? tone : 'zero'}>
            <dt>{label}</dt>
            <dd className="num">{countText(value)}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

interface TileBodyProps {
  tile: DashboardTile;
  /** Undefined until it has been read. */
  answer: TileAnswer | undefined;
  isError: boolean;
  name: string;
  hasLinks: boolean;
}

/** Memoized, so that a render of the page or new data of another tile does not re-render it. */
export const TileBody = memo(function TileBody({ tile, answer, isError, name, hasLinks }: TileBodyProps) {
  if (!answer) return isError ? <p className="tile-note">{t.failed}</p> : <Skeleton width="60%" />;
  if (answer.state !== 'Shown') return <p className="tile-note silent">{answer.state === 'Denied' ? t.denied : t.failed}</p>;
  if (answer.parts.length === 1 && answer.parts[0]?.tenantId === null) {
    return <Shown shown={answer.parts[0].shown} tile={tile} name={name} hasLinks={hasLinks} tenantId={answer.tenantId} />;
  }
  return <Parts answer={answer} hasLinks={hasLinks} />;
});

/** A tile that is repeated for each customer. */
function Parts({ answer, hasLinks }: { answer: TileAnswer; hasLinks: boolean }) {
  const [pages, page] = useWallPages('.tile-part');
  return (
    <>
      <ul ref={pages} className="tile-parts" {...(hasLinks ? {} : { tabIndex: 0 })}>
        {answer.parts.map((part) => (
          <Part
            key={part.tenantId}
            shown={part.shown}
            name={part.name ?? ''}
            to={hasLinks && part.tenantId !== null ? `/${part.tenantId}` : undefined}
          />
        ))}
      </ul>
      {page}
      {answer.parts.length < answer.tenants && <p className="tile-note">{t.partsOf(answer.parts.length, answer.tenants)}</p>}
    </>
  );
}

type VariableNames = readonly { kind: VariableKind; name: string }[];

/** The name of a tile: its own title with what is chosen, or what it shows. */
export function tileName({ title, ...tile }: DashboardTile, names: VariableNames = []): string {
  if (title !== '') return titled(title, (kind) => names.find((item) => item.kind === kind)?.name ?? dashboardTexts.variables.all[kind]);
  const kind = dashboardTexts.kinds[tile.kind];
  if (tile.kind === 'number') return tile.series[0]?.metric.replace(/^Metrics\./, '') ?? kind;
  if (tile.kind !== 'chart') return kind;
  if (tile.series.length === 0) return tile.metric?.replace(/^Metrics\./, '') ?? kind;
  const labels = tile.series.map(({ label }) => label);
  return labels.join(', ').slice(0, 100);
}

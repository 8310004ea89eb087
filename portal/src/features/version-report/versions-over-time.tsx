/** On how many devices each version of a package was installed, day by day or week by week. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { keepPreviousData } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { versionsOverTime } from '@cloudfit/contract/calls.ts';
import { csvLine } from '@cloudfit/contract/csv.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { complianceReport } from '@cloudfit/contract/resources/compliance-report.ts';
import { versionReportTexts } from '@cloudfit/contract/messages/version-report.en.ts';
import { longDay } from '../../theme/times.ts';
import { useCall } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { numberText } from '../../components/chart/number-text.ts';
import { Swatch } from '../../components/chart/series-look.tsx';
import { TimeChart } from '../../components/chart/time-chart-lazy.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { saveCsv } from '../../components/save-file.ts';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { Select } from '../../components/fields/select.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { useScope } from '../../rows/use-scope.ts';
import { byWeek, columnsOf, seriesOf, shares, timeOf, type VersionCounts } from './versions.ts';
import '../../resource/list-page.css';
import { ColumnHeads } from '../../components/table/column-heads.tsx';
import './version-report.css';

const t = versionReportTexts.chart;
const refreshMs = 600_000;
const ranges = ['30', '84', '365'] as const;

function useCounts(days: string, packageId: string | null) {
  const { tenantId } = useScope();
  const input = { days: Number(days), ...(tenantId ? { tenantId } : {}), ...(packageId ? { packageId } : {}) };
  return useCall(versionsOverTime, input, {
    refreshedBy: complianceReport.name,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

interface TableProps {
  title: string;
  names: readonly string[];
  days: VersionCounts['days'];
  isShare: boolean;
  isByWeek: boolean;
}

function CountsTable({ title, names, days, isShare, isByWeek }: TableProps) {
  return (
    <div className="versions-table" role="region" tabIndex={0} aria-label={t.tableOf(title)}>
      <table className="num">
        <ColumnHeads names={[isByWeek ? t.week : t.day, ...names]} />
        <tbody>
          {days.toReversed().map(({ day, devices }) => (
            <tr key={day}>
              <th scope="row">{longDay(timeOf(day))}</th>
              {devices.map((value, at) => (
                <td key={names[at]}>{numberText(value, isShare ? 'percent' : 'none')}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function VersionsOverTime({ toggle }: { toggle: ReactNode }) {
  usePageTitle(en.shell.items.versionReport);
  const [params] = useSearchParams();
  const changeAddress = useAddress();
  const set = (name: string, value: string | undefined) =>
    changeAddress(
      (next) => {
        if (value === undefined) next.delete(name);
        else next.set(name, value);
        return undefined;
      },
      { replace: true },
    );
  const days = ranges.find((range) => range === params.get('days')) ?? ranges[0];
  const [isShare, isTable] = [params.get('share') === 'on', params.get('as') === 'table'];
  const isByWeek = days !== '30';
  const { data, error, refetch } = useCounts(days, params.get('package'));
  const [zoomed, setZoomed] = useState<{ from: number; to: number }>();
  const counts = useMemo(() => data && columnsOf({ ...data, days: isByWeek ? byWeek(data.days) : data.days }, t.others), [data, isByWeek]);
  const shown = useMemo(() => counts && { names: counts.names, days: isShare ? shares(counts.days) : counts.days }, [counts, isShare]);
  const series = useMemo(() => (shown ? seriesOf(shown.names, shown.days, isShare, isByWeek ? 7 : 1) : []), [shown, isShare, isByWeek]);
  const [now] = useState(Date.now);
  const range = zoomed ?? { from: now - Number(days) * dayMs, to: now };
  const chosen = data?.packages.find((candidate) => candidate.packageId === data.packageId);
  const title = t.title(chosen?.packageName ?? t.package);
  const download = () => {
    if (!counts) return;
    const lines = counts.days.flatMap(({ day, devices }) =>
      devices.map((n, at) => csvLine([day, chosen?.packageName, counts.names[at], n])),
    );
    saveCsv(`${title}.csv`, [csvLine([isByWeek ? t.week : t.day, t.package, t.version, t.devices]), ...lines].join(''));
  };
  return (
    <div className="page">
      <div className="page-bar versions-bar">
        {data && data.packages.length > 0 && (
          <Select
            aria-label={t.package}
            value={data.packageId ?? ''}
            unlisted={t.package}
            choices={data.packages.map(({ packageId, packageName }) => ({ value: packageId, label: packageName }))}
            onChange={(id) => set('package', id)}
          />
        )}
        <Select
          aria-label={t.range}
          value={days}
          choices={ranges.map((range) => ({ value: range, label: t.ranges[range] ?? range }))}
          onChange={(range) => {
            setZoomed(undefined);
            set('days', range === ranges[0] ? undefined : range);
          }}
        />
        <Button small aria-pressed={isShare} onClick={() => set('share', isShare ? undefined : 'on')}>
          {t.share}
        </Button>
        <Button small aria-pressed={isTable} onClick={() => set('as', isTable ? undefined : 'table')}>
          {t.asTable}
        </Button>
        <span className="grow" />
        {toggle}
      </div>
      <section className="versions-card" aria-label={title}>
        <div className="versions-head">
          <h2>{title}</h2>
          <span className="grow" />
          <Button small look="quiet" aria-label={t.csvOf(title)} disabled={!counts || counts.days.length === 0} onClick={download}>
            {t.csv}
          </Button>
        </div>
        {error && !data ? (
          <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />
        ) : !shown ? (
          <div className="versions-waiting" aria-busy />
        ) : shown.days.length === 0 ? (
          <EmptyState small title={t.none} text={t.noneText} />
        ) : isTable ? (
          <CountsTable title={title} {...shown} isShare={isShare} isByWeek={isByWeek} />
        ) : (
          <>
            <TimeChart
              title={title}
              series={series}
              {...range}
              height={320}
              isCount
              readTime={longDay}
              onZoom={(from, to) => setZoomed({ from, to })}
              onReset={() => setZoomed(undefined)}
            />
            <ul className="versions-legend">
              {shown.names.map((name, at) => (
                <li key={name}>
                  <Swatch at={at} />
                  {name}
                  <b className="num">{numberText(shown.days.at(-1)?.devices[at] ?? 0, isShare ? 'percent' : 'none')}</b>
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </div>
  );
}

/** Open work units over the last days, as a chart or as a table, by severity or by state. */
import { useId } from 'react';
import { useSearchParams } from 'react-router';
import { home } from '@cloudfit/contract/messages/home.en.ts';
import { failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import type { Day, Split } from './open-over-time.ts';
import { SeriesPatterns } from './series-patterns.tsx';
import { countsOf, seriesOf, type Series } from './series.ts';
import { dayName, TrendChart } from './trend-chart.tsx';
import { shownDays, useTrend } from './use-home.ts';

const t = home.trend;

function Legend({ series }: { series: readonly Series[] }) {
  const id = useId();
  return (
    <ul className="legend">
      {series.toReversed().map(({ name, label, color, pattern }) => (
        <li key={name}>
          <svg width="12" height="12" aria-hidden>
            <SeriesPatterns id={id} />
            <rect width="12" height="12" rx="3" style={{ fill: `var(${color})` }} />
            {pattern && <rect width="12" height="12" rx="3" fill={`url(#${id}-${pattern})`} />}
          </svg>
          {label}
        </li>
      ))}
    </ul>
  );
}

function TrendTable({ days, series }: { days: readonly Day[]; series: readonly Series[] }) {
  return (
    <div className="as-table" tabIndex={0} role="region" aria-label={t.tableTitle}>
      <table className="num">
        <thead>
          <tr>
            <th scope="col">{t.day}</th>
            {series.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
            <th scope="col">{t.total}</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map((day, at) => {
            const counts = countsOf(day, series);
            return (
              <tr key={day.day}>
                <th scope="row">{at === 0 ? t.today : dayName(day.day)}</th>
                {counts.map((count, place) => (
                  <td key={series[place]?.name}>{count}</td>
                ))}
                <td>{counts.reduce((sum, n) => sum + n, 0)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The parameters `by` and `as` of the address. */
function useChoice(): { split: Split; asTable: boolean; choose: (name: 'by' | 'as', value: string | undefined) => void } {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  return {
    split: params.get('by') === 'state' ? 'state' : 'severity',
    asTable: params.get('as') === 'table',
    choose: (name, value) =>
      setAddress(
        (next) => {
          if (value) next.set(name, value);
          else next.delete(name);
          return undefined;
        },
        { replace: true },
      ),
  };
}

export function Trend() {
  const { data, error, refetch } = useTrend();
  const { split, asTable, choose } = useChoice();
  const series = seriesOf(split);
  const by = split === 'severity' ? t.severity : t.state;
  return (
    <section className="card trend" aria-label={t.title}>
      <div className="card-head">
        <h3>{t.title}</h3>
        <span className="faint days">{t.days(shownDays)}</span>
        <span className="grow" />
        <div className="row" role="group" aria-label={t.by}>
          <Button small aria-pressed={split === 'severity'} onClick={() => choose('by', undefined)}>
            {t.severity}
          </Button>
          <Button small aria-pressed={split === 'state'} onClick={() => choose('by', 'state')}>
            {t.state}
          </Button>
        </div>
        <Button small look="quiet" onClick={() => choose('as', asTable ? undefined : 'table')}>
          {asTable ? t.asChart : t.asTable}
        </Button>
      </div>
      {data && asTable && <TrendTable days={data} series={series} />}
      {data && !asTable && (
        <>
          <TrendChart days={data} series={series} by={by} />
          <Legend series={series} />
        </>
      )}
      {!data && error && <ErrorState small title={home.failed} text={failureText(error)} onRetry={() => void refetch()} />}
      {!data && !error && (
        <div className="columns" aria-busy>
          {Array.from({ length: shownDays }, (_, at) => (
            <span key={at} className="skeleton" style={{ height: `${30 + ((at * 17) % 50)}%` }} aria-hidden />
          ))}
        </div>
      )}
    </section>
  );
}

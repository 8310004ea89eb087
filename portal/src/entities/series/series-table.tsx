/** The values of a chart as a table, newest first, for people who cannot see the chart. */
import { Link } from 'react-router';
import { chartTexts as t } from '@cloudfit/contract/messages/charts.en.ts';
import type { ChartBand } from '../../components/chart/band-chart.tsx';
import { numberText } from '../../components/chart/number-text.ts';
import type { ChartMark, ChartSeries } from '../../components/chart/points.ts';
import { exactTime } from '../../theme/times.ts';
import { ColumnHeads } from '../../components/table/column-heads.tsx';

interface SeriesTableProps {
  title: string;
  series: readonly ChartSeries[];
  bands: readonly { label: string; bands: readonly ChartBand[] }[];
  marks?: readonly ChartMark[] | undefined;
}

const timeText = (time: number) => exactTime(new Date(time).toISOString());

export function SeriesTable({ title, series, bands, marks = [] }: SeriesTableProps) {
  const rows = series
    .flatMap((line) => line.buckets.map((bucket) => ({ one: line, bucket })))
    .toSorted((a, b) => b.bucket[0] - a.bucket[0]);
  const { min, avg, max, last, count } = t.columns;
  return (
    <div className="series-table" role="region" tabIndex={0} aria-label={t.tableOf(title)}>
      {rows.length > 0 && (
        <table className="num">
          <ColumnHeads names={[t.time, ...(series.length > 1 ? [t.series] : []), min, avg, max, last, count]} />
          <tbody>
            {rows.map(({ one, bucket }) => (
              <tr key={`${one.id} ${bucket[0]}`}>
                <th scope="row">{timeText(bucket[0])}</th>
                {series.length > 1 && <td>{one.label}</td>}
                {[bucket[1], bucket[2], bucket[3], bucket[4]].map((value, at) => (
                  <td key={at}>{numberText(value, one.unit)}</td>
                ))}
                <td>{bucket[5]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {bands.map(({ label, bands: values }) => (
        <table key={label} className="num">
          <ColumnHeads names={[t.time, t.until, label]} />
          <tbody>
            {values.toReversed().map((band) => (
              <tr key={band.from}>
                <th scope="row">{timeText(band.from)}</th>
                <td>{timeText(band.to)}</td>
                <td>{band.joined ? `${String(band.value)} ${t.joined(band.joined)}` : String(band.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
      {marks.length > 0 && (
        <table className="num">
          <ColumnHeads names={[t.marks, t.time, t.until]} />
          <tbody>
            {marks.map((mark) => (
              <tr key={mark.id}>
                <th scope="row">
                  {t.markKinds[mark.kind]}: {mark.href ? <Link to={mark.href}>{mark.label}</Link> : mark.label}
                </th>
                <td>{timeText(mark.from)}</td>
                <td>{mark.to === undefined ? '' : timeText(mark.to)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

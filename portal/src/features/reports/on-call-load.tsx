/** How often each person was told about work units, at night and at weekends, beside the period before. */
import { keepPreviousData } from '@tanstack/react-query';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { onCallLoad } from '@cloudfit/contract/calls.ts';
import { csvLine } from '@cloudfit/contract/csv.ts';
import { reportTexts } from '@cloudfit/contract/messages/reports.en.ts';
import { useCall } from '../../api/call.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { numberText } from '../../components/chart/number-text.ts';
import { saveCsv } from '../../components/save-file.ts';
import { EmptyState } from '../../components/states.tsx';

const t = reportTexts.load;
type LoadColumn = keyof typeof t.columns;
const columns = Object.keys(t.columns) as LoadColumn[];

type LoadRows = CallOutput<typeof onCallLoad>['value'];

function loadCsv(rows: LoadRows): string {
  const header = [t.person, t.timeZone, reportTexts.columns.period, ...columns.map((name) => t.columns[name])];
  const lines = rows.flatMap(({ name, timeZone, now, before }) => [
    [name, timeZone, reportTexts.now, ...columns.map((column) => now[column])],
    [name, timeZone, reportTexts.before, ...columns.map((column) => before[column])],
  ]);
  return [header, ...lines].map(csvLine).join('');
}

function LoadTable({ rows }: { rows: LoadRows }) {
  return (
    <div className="report-table" role="region" tabIndex={0} aria-label={t.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.person}</th>
            {columns.map((column) => (
              <th key={column} scope="col" className="end">
                {t.columns[column]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ personId, name, timeZone, now, before }) => (
            <tr key={personId}>
              <th scope="row">
                {name} <small className="faint">{timeZone}</small>
              </th>
              {columns.map((column) => (
                <td key={column} className="end" data-label={t.columns[column]}>
                  <span className="num">{numberText(now[column])}</span>
                  <small className="num faint">{reportTexts.beforeText(numberText(before[column]))}</small>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function OnCallLoad(period: { from: string; to: string; tenantId?: string }) {
  const { data, error, refetch } = useCall(onCallLoad, period, { placeholderData: keepPreviousData });
  return (
    <section className="report-sheet">
      <div className="report-head">
        <h2>{t.title}</h2>
        <Button
          small
          look="quiet"
          aria-label={t.csvOf}
          disabled={!data || data.value.length === 0}
          onClick={() => data && saveCsv(`${t.title} ${period.from} ${period.to}.csv`, loadCsv(data.value))}
        >
          {reportTexts.csv}
        </Button>
      </div>
      <p className="muted">{t.text}</p>
      <Loaded query={{ data: data?.value, error, refetch }} failed={t.failed} empty={<EmptyState small title={t.none} />}>
        {(rows) => <LoadTable rows={rows} />}
      </Loaded>
    </section>
  );
}

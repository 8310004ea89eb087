/** The figures of a report and of its groups, each beside that of the period before. */
import type { CallOutput } from '@cloudfit/contract/call.ts';
import type { workUnitReport } from '@cloudfit/contract/calls.ts';
import { reportTexts as t } from '@cloudfit/contract/messages/reports.en.ts';
import type { ReportFigures } from '@cloudfit/contract/reports/calls.ts';
import { figureText, groupName, type FigureName, type FigureWriter } from '@cloudfit/contract/reports/figures.ts';
import type { ReportDimension } from '@cloudfit/contract/reports/dimensions.ts';
import { usePersonName } from '../../api/people-names.ts';
import { EmptyState } from '../../components/states.tsx';
import { figureNames, writerFor } from './figures.rules.ts';
import { daysText } from '../../theme/times.ts';

export type UnitReport = CallOutput<typeof workUnitReport>;

interface FigureProps {
  name: FigureName;
  now: ReportFigures;
  before: ReportFigures;
  writer: FigureWriter;
}

function Figure({ name, now, before, writer }: FigureProps) {
  return (
    <>
      <span className="num">{figureText(name, now, writer)}</span>
      <small className="num faint">{t.beforeText(figureText(name, before, writer))}</small>
    </>
  );
}

interface ReportSheetProps {
  report: UnitReport;
  by: ReportDimension;
}

export function ReportSheet({ report, by }: ReportSheetProps) {
  const writer = writerFor(usePersonName());
  const { now, before, groups, groupCount } = report;
  const heading = <h2>{t.heading(daysText(report.from, report.to), daysText(report.beforeFrom, report.beforeTo))}</h2>;
  if (groups.length === 0)
    return (
      <>
        {heading}
        <EmptyState small title={t.none} text={t.noneText} />
      </>
    );
  return (
    <>
      {heading}
      <dl className="report-tiles">
        {figureNames.map((name) => (
          <div key={name}>
            <dt>{t.figures[name]}</dt>
            <dd>
              <Figure name={name} now={now} before={before} writer={writer} />
            </dd>
          </div>
        ))}
      </dl>
      <div className="report-table" role="region" tabIndex={0} aria-label={t.title(t.dimensions[by])}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.dimensions[by]}</th>
              {figureNames.map((name) => (
                <th key={name} scope="col" className="end">
                  {t.figures[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <tr key={group.key}>
                <th scope="row">{groupName(by, group, writer)}</th>
                {figureNames.map((name) => (
                  <td key={name} className="end" data-label={t.figures[name]}>
                    <Figure name={name} now={group.now} before={group.before} writer={writer} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {groupCount > groups.length && <p className="muted">{t.onlySome(groups.length, groupCount)}</p>}
    </>
  );
}

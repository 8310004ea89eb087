/** The week of a control set for an auditor, to read, print or save: as it was signed, or as it is now. */
import { useRef } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { weekReport } from '@cloudfit/contract/calls.ts';
import type { ReportedControl } from '@cloudfit/contract/compliance/week-report.ts';
import { mondayOf } from '@cloudfit/contract/compliance/week.ts';
import { controlStatusValues } from '@cloudfit/contract/enums.ts';
import { complianceTexts } from '@cloudfit/contract/messages/compliance.en.ts';
import { evidenceTexts, weekReportTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { useCall } from '../../api/call.ts';
import { usePersonName } from '../../api/people-names.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { printSheet } from '../../components/print-sheet.ts';
import { exactTime } from '../../theme/times.ts';
import { saveFile } from '../../components/save-file.ts';
import { Skeleton } from '../../components/states.tsx';
import { controlSets } from '@cloudfit/contract/resources/compliance.ts';
import { dayOf, weekText } from './week-picker.tsx';
import '../../resource/list-page.css';
import { ColumnHeads } from '../../components/table/column-heads.tsx';
import './compliance.css';

function Evidence({ evidence }: Pick<ReportedControl, 'evidence'>) {
  const nameOf = usePersonName();
  return (
    <ul>
      {evidence.map(({ evidenceId, kind, title, url, fact, fileName, sha256, created, createdBy }) => (
        <li key={evidenceId}>
          {evidenceTexts.kinds[kind]}: {title}
          {url && <div className="mono">{url}</div>}
          {fact && <div>{fact}</div>}
          {fileName && <div className="mono">{`${fileName} SHA-256 ${sha256 ?? ''}`}</div>}
          <div className="muted">{evidenceTexts.by(nameOf(createdBy), exactTime(created))}</div>
        </li>
      ))}
    </ul>
  );
}

function Controls({ controls }: { controls: readonly ReportedControl[] }) {
  const nameOf = usePersonName();
  return (
    <table className="week-report-controls">
      <ColumnHeads names={[t.control, t.status, t.notes, t.evidence]} />
      <tbody>
        {controls.map(({ name, title, status, before, notes, modified, modifiedBy, evidence }) => (
          <tr key={name}>
            <th scope="row">
              {name}
              <div className="muted">{title}</div>
            </th>
            <td>
              <strong>{complianceTexts.status[status]}</strong>
              {before !== status && <div className="muted">{t.before(complianceTexts.status[before])}</div>}
              {modified && <div className="muted">{t.setBy(nameOf(modifiedBy ?? ''), exactTime(modified))}</div>}
            </td>
            <td>{notes}</td>
            <td>{evidence.length > 0 && <Evidence evidence={evidence} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Report({ report: { set, description, tenant, week, controls }, signOff }: CallOutput<typeof weekReport>) {
  const nameOf = usePersonName();
  const counts = controlStatusValues.flatMap((status) => {
    const n = controls.filter((control) => control.status === status).length;
    return n > 0 ? [`${complianceTexts.status[status]} ${n}`] : [];
  });
  const facts: [string, string][] = [
    [t.tenant, tenant],
    [t.week, weekText(week)],
    [t.state, signOff ? t.signed(nameOf(signOff.signedBy), exactTime(signOff.signedOn)) : t.open],
    ...(signOff?.note ? [[t.note, signOff.note] as [string, string]] : []),
    [t.summary, counts.join(', ')],
    ...(signOff ? [[t.digest, signOff.digest] as [string, string]] : []),
  ];
  return (
    <>
      <h2>{t.heading(set)}</h2>
      {description && <p className="muted">{description}</p>}
      <dl>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Controls controls={controls} />
    </>
  );
}

export function ComplianceReportPage() {
  usePageTitle(t.title);
  const { tenantId = '' } = useParams();
  const [params] = useSearchParams();
  const setId = params.get('set') ?? '';
  const week = params.get('week');
  const monday = mondayOf(week !== null && !Number.isNaN(Date.parse(week)) ? week : new Date().toISOString());
  const sheet = useRef<HTMLDivElement>(null);
  const input = { id: setId, tenantId, week: dayOf(monday) };
  // The report shows one moment, so live changes do not refresh it.
  const report = useCall(weekReport, input, { refreshedBy: controlSets.name, meta: { live: false } });
  const { data } = report;
  const name = data ? `${t.heading(data.report.set)} ${dayOf(monday)}` : t.title;
  return (
    <div className="page">
      <div className="page-bar">
        <Link className="btn" to={`../compliance?set=${setId}&week=${dayOf(monday)}`}>
          {t.back}
        </Link>
        <span className="grow" />
        <Button
          icon="download"
          disabled={!data}
          onClick={() => data && saveFile(t.file(dayOf(monday)), JSON.stringify(data.report), 'application/json')}
        >
          {t.download}
        </Button>
        <Button look="primary" icon="print" disabled={!data} onClick={() => sheet.current && printSheet(name, sheet.current)}>
          {t.print}
        </Button>
      </div>
      <div className="table-scroll week-report-place" role="region" aria-label={t.title} tabIndex={0}>
        <Loaded query={report} failed={t.failed} loading={<Skeleton width="50%" />}>
          {(value) => (
            <div ref={sheet} className="week-report">
              <Report {...value} />
            </div>
          )}
        </Loaded>
      </div>
    </div>
  );
}

/** A report of a communication, to read, copy as rich text and print (COMM-011..013). */
import { useRef, useState } from 'react';
import { communicationsEn } from '@cloudfit/contract/messages/communications.en.ts';
import type { ReportSection } from '@cloudfit/contract/communications/report.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { printSheet } from '../../components/print-sheet.ts';
import { toast } from '../../components/toasts.tsx';
import { copyReport } from './report-html.ts';
import { useReport, type ReportType } from './use-report.ts';
import './communications.css';

const t = communicationsEn.reports;

function Section({ section: { title, text = '', facts = [], items = [] } }: { section: ReportSection }) {
  return (
    <section>
      {title && <h3>{title}</h3>}
      {facts.length > 0 && (
        <dl>
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {items.length > 0 && (
        <ul>
          {items.map((item, at) => (
            <li key={at}>{item}</li>
          ))}
        </ul>
      )}
      {text
        .trim()
        .split(/\n{2,}/)
        .filter(Boolean)
        .map((part, at) => (
          <p key={at}>{part}</p>
        ))}
    </section>
  );
}

interface ReportDialogProps {
  type: ReportType;
  number: string | undefined;
  onClose: () => void;
}

export function ReportDialog({ type, number, onClose }: ReportDialogProps) {
  const { report, isLoading, isMissing, error, refetch } = useReport(type, number);
  const [tooOld, setTooOld] = useState(false);
  const reportElement = useRef<HTMLElement>(null);
  const copy = async () => {
    if (!report) return;
    try {
      await copyReport(report.subject, report);
      toast.info(t.copied);
    } catch {
      setTooOld(true);
      toast.warning(en.copy.failed);
    }
  };
  return (
    <Dialog
      title={t[type]}
      width="sm"
      onClose={onClose}
      actions={
        <>
          <Button
            icon="print"
            disabled={!report}
            onClick={() => report && reportElement.current && printSheet(report.subject, reportElement.current)}
          >
            {t.print}
          </Button>
          <Button icon="copy" disabled={!report || tooOld} onClick={() => void copy()}>
            {t.copy}
          </Button>
          <Button look="primary" autoFocus onClick={onClose}>
            {en.common.close}
          </Button>
        </>
      }
    >
      {report && (
        <article ref={reportElement} className="report" aria-label={t[type]} tabIndex={0}>
          <h2>{report.subject}</h2>
          {report.sections.map((section, at) => (
            <Section key={at} section={section} />
          ))}
        </article>
      )}
      {isLoading && (
        <div className="report" role="status" aria-label={t.loading}>
          <Skeleton width="55%" />
          <Skeleton width="90%" />
          <Skeleton width="80%" />
        </div>
      )}
      {!report && !isLoading && (error || isMissing) && (
        <ErrorState
          small
          title={t.failed}
          text={error ? failureText(error) : en.failure.rowNotFound(communicationsEn.tabs.form)}
          onRetry={error ? () => void refetch() : undefined}
        />
      )}
    </Dialog>
  );
}

/** A mail as its receiver would read it, why it waits, and the execution that composed it. */
import { Link } from 'react-router';
import { eq } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { outboxTexts as t } from '@cloudfit/contract/messages/outbox.en.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { ReadOnlyField } from '../../components/read-only-field.tsx';
import { exactTime } from '../../theme/times.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { executionAddress } from '../../entities/explanations/addresses.ts';
import { MissingRow } from '../../rows/missing-row.tsx';
import { useList, useRow } from '../../rows/use-rows.ts';
import type { PanelProps } from '../../resource/view.ts';
import './outbox.css';

type MailRow = ExpandedRow<typeof outboxMessages, 'tenant'>;

function Cause({ messageId, tenantId }: { messageId: string; tenantId: string }) {
  const mayView = useMay()('ActionDefinitions', 'view');
  const { data } = useList(
    actionHistories,
    { filter: eq(actionHistories, 'messageId', messageId), select: ['messageId'], top: 1 },
    { enabled: mayView },
  );
  if (!data?.rows[0]) return null;
  return (
    <p>
      <Link to={executionAddress(tenantId, messageId)}>{t.cause}</Link>
    </p>
  );
}

export function MailPanel({ id, row: listed, onClose }: PanelProps<MailRow>) {
  const { data: mail, error, refetch } = useRow(outboxMessages, id, { expand: ['tenant'], listed });
  if (!mail) return <MissingRow label={outboxMessages.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
  return (
    <SidePanel title={mail.subject} onClose={onClose} footer={<Button onClick={onClose}>{en.common.close}</Button>}>
      <div className="body">
        <p className="row">
          <Chip tone="warn" dot>
            {t.waits}
          </Chip>
          {mail.isImportant && <Chip tone="danger">{t.important}</Chip>}
          <span className="muted">{t.since(exactTime(mail.created))}</span>
        </p>
        <p className="muted">{t.why}</p>
        <dl className="form-grid facts">
          <ReadOnlyField kind="text" label={t.to} value={mail.recipients} />
          <ReadOnlyField kind="text" label={t.tenant} value={mail.tenant?.name ?? t.installation} />
        </dl>
        {mail.tenantId && <Cause messageId={mail.messageId} tenantId={mail.tenantId} />}
        <section className="outbox-mail" aria-label={t.preview}>
          <h3>{mail.subject}</h3>
          <pre tabIndex={0} role="group" aria-label={t.text}>
            {mail.body}
          </pre>
        </section>
      </div>
    </SidePanel>
  );
}

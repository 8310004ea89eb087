import { useState } from 'react';
import { Link } from 'react-router';
import { dismissMail, mailsOfMailbox, takeMail } from '@cloudfit/contract/calls.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { mailboxTexts as t } from '@cloudfit/contract/messages/mailboxes.en.ts';
import { mailboxes } from '@cloudfit/contract/resources/mailboxes.ts';
import { call, useCall } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { command } from '../../calls/command.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState } from '../../components/states.tsx';
import { decimalText } from '../../theme/times.ts';
import type { MailboxEntity } from './mailbox-row.ts';

type Mails = CallOutput<typeof mailsOfMailbox>;
type ListedMail = Mails['value'][number];

const pollMs = 10_000;
const tones = { Opened: 'ok', Replied: 'ok', Held: 'warn', Refused: 'unknown' } as const;

interface ChosenMail {
  id: string;
  mailId: string;
}
const refreshes = [mailboxes.name, mailsOfMailbox];
const takeIn = command((mail: ChosenMail) => call(takeMail, mail), {
  done: ({ publicWorkUnitId }) => t.takenIn(String(publicWorkUnitId)),
  failed: () => t.takeFailed,
  refreshes,
});
const dismiss = command((mail: ChosenMail) => call(dismissMail, mail), { failed: () => t.dismissFailed, refreshes });

function Mail({ mailbox, mail }: { mailbox: MailboxEntity; mail: ListedMail }) {
  const may = useMay();
  const [isBusy, setBusy] = useState(false);
  const { outcome, reason, message, sender, senderName, subject, sample, checks, received, workUnitId, publicWorkUnitId, mailId } = mail;
  const run = async (what: typeof takeIn | typeof dismiss) => {
    setBusy(true);
    await what({ id: mailbox.mailboxId, mailId });
    setBusy(false);
  };
  const isOpen = outcome === 'Held' || outcome === 'Refused';
  const from = senderName === '' ? sender : `${senderName} <${sender}>`;
  return (
    <article className="mailbox-mail" aria-label={subject || t.noSubject}>
      <header>
        <strong className="grow">{subject || t.noSubject}</strong>
        <Chip tone={tones[outcome]}>{(isOpen && reason && t.reasons[reason]) || t.outcomes[outcome]}</Chip>
        {workUnitId !== null && publicWorkUnitId !== null && (
          <Link to={`/${mailbox.tenantId}/workunitsv2?workUnitId=${workUnitId}`}>{t.unit(String(publicWorkUnitId))}</Link>
        )}
      </header>
      <p className="faint">
        {sender === '' ? t.noSender : from}, <RelativeTime value={received} />
        {checks && `, ${checks}`}
      </p>
      {isOpen && message && <p>{message}</p>}
      {sample !== '' && <p className="mailbox-sample faint">{sample}</p>}
      {isOpen && (
        <p className="mailbox-decide">
          {may('WorkUnits', 'create') && may('WorkUnits', 'edit') && (
            <Button small icon="check" disabled={isBusy} onClick={() => void run(takeIn)}>
              {t.takeIn}
            </Button>
          )}
          {outcome === 'Held' && may('Sources', 'edit') && (
            <Button small icon="close" disabled={isBusy} onClick={() => void run(dismiss)}>
              {t.dismiss}
            </Button>
          )}
        </p>
      )}
    </article>
  );
}

/** Mails of the mailbox that wait or were refused, newest first, with how often for each reason; or all of its mails. */
export function MailboxMails({ row }: { row: MailboxEntity }) {
  const [isAll, setAll] = useState(false);
  const [before, setBefore] = useState<string>();
  const input = { id: row.mailboxId, all: isAll ? ('true' as const) : ('false' as const), ...(before === undefined ? {} : { before }) };
  const mails = useCall(mailsOfMailbox, input, { refreshedBy: mailboxes.name, refetchInterval: pollMs });
  const show = (all: boolean) => {
    setAll(all);
    setBefore(undefined);
  };
  return (
    <section className="form-section" aria-label={t.mails}>
      <Checkbox label={t.all} checked={isAll} onChange={show} />
      <Loaded query={mails} failed={t.mailsFailed}>
        {({ value, more, reasons }) => (
          <>
            {reasons.length > 0 && (
              <p className="mailbox-reasons">
                {reasons.map(({ reason, count }) => (
                  <Chip key={reason}>{t.of(decimalText(count, 0), t.reasons[reason] ?? reason)}</Chip>
                ))}
              </p>
            )}
            {value.length === 0 && (
              <EmptyState small icon="mail" title={isAll ? t.noMailsAtAll : t.noMails} {...(isAll ? {} : { text: t.noMailsText })} />
            )}
            {value.map((mail) => (
              <Mail key={mail.mailId} mailbox={row} mail={mail} />
            ))}
            {more && (
              <p>
                <Button small onClick={() => setBefore(value.at(-1)?.received)}>
                  {t.older}
                </Button>
              </p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

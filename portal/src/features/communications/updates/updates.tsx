/** What customers were told of a communication and when, what became of the mails, and the next update. */
import { useState } from 'react';
import { mailCommunicationUpdate, previewMailsOfUpdate } from '@cloudfit/contract/calls.ts';
import { communicationUpdateTexts as t } from '@cloudfit/contract/messages/communication-updates.en.ts';
import { communicationMailStates } from '@cloudfit/contract/resources/communication-mails.ts';
import { call, useCall } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { useCommand } from '../../../calls/command.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { Button } from '../../../components/button.tsx';
import { Chip, type Tone } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { EmptyState, Skeleton } from '../../../components/states.tsx';
import { PersonName } from '../../../rows/person-name.tsx';
import { CommunicationStatus } from '../communication-status.tsx';
import { isClosed, type CommunicationRow } from '../communication.rules.ts';
import { MailPreviewDialog } from './mail-preview.tsx';
import { UpdateForm } from './update-form.tsx';
import {
  mailNames,
  maxMails,
  resend,
  useMailCounts,
  useMails,
  useUpdates,
  type ContactMail,
  type MailCount,
  type PublishedUpdate,
} from './use-updates.ts';
import './updates.css';

const tones: Record<ContactMail['state'], Tone> = { Queued: 'info', Sent: 'ok', Kept: 'warn', Failed: 'danger' };

function Recipients({ id }: { id: string }) {
  const list = useMails(id);
  return (
    <Loaded query={list} failed={t.recipientsFailed}>
      {({ rows, count = rows.length }) => (
        <>
          <ul className="mail-people">
            {rows.map((mail) => (
              <li key={mail.communicationMailId}>
                <span className="grow">
                  {mail.name} <span className="faint">{mail.email}</span>
                  {mail.reason && <span className="mail-reason">{mail.reason}</span>}
                </span>
                <Chip tone={tones[mail.state]}>{t.states[mail.state]}</Chip>
                {mail.sent && <RelativeTime value={mail.sent} />}
              </li>
            ))}
          </ul>
          {count > maxMails && <p className="muted">{t.firstOf(maxMails, count)}</p>}
        </>
      )}
    </Loaded>
  );
}

/** Mails a published update to contacts who have not got it. */
function MailUpdate({ update, onClose }: { update: PublishedUpdate; onClose: () => void }) {
  const id = update.communicationUpdateId;
  const query = useCall(previewMailsOfUpdate, { id }, { gcTime: 0 });
  const { run, isBusy } = useCommand((digest: string) => call(mailCommunicationUpdate, { id, digest }), {
    done: ({ queued }) => t.queued(queued),
    refreshes: mailNames,
  });
  const send = async (digest: string) => {
    if (await run(digest)) onClose();
    else await query.refetch();
  };
  return <MailPreviewDialog query={query} send={t.sendOnly} isBusy={isBusy} onSend={(digest) => void send(digest)} onClose={onClose} />;
}

function Mails({ update, counts }: { update: PublishedUpdate; counts: readonly MailCount[] }) {
  const [isOpen, setOpen] = useState(false);
  const [isMailing, setMailing] = useState(false);
  const of = (state: ContactMail['state']) => counts.find((count) => count.state === state)?.n ?? 0;
  const all = counts.reduce((sum, { n }) => sum + n, 0);
  const failed = of('Failed');
  return (
    <div className="update-mails">
      <div className="row">
        {all === 0 ? (
          <span className="faint">{t.notMailed}</span>
        ) : (
          <>
            <Button small look="quiet" icon={isOpen ? 'down' : 'right'} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {t.recipients(all)}
            </Button>
            {communicationMailStates
              .filter((state) => of(state) > 0)
              .map((state) => (
                <Chip key={state} tone={tones[state]}>
                  {t.count(of(state), t.states[state])}
                </Chip>
              ))}
          </>
        )}
        <span className="grow" />
        {failed > 0 && (
          <Button small icon="refresh" onClick={() => void resend(update)}>
            {t.resend(failed)}
          </Button>
        )}
        <Button small look="quiet" icon="mail" onClick={() => setMailing(true)}>
          {t.mailTo}
        </Button>
      </div>
      {isOpen && <Recipients id={update.communicationUpdateId} />}
      {isMailing && <MailUpdate update={update} onClose={() => setMailing(false)} />}
    </div>
  );
}

function Entry({ update, counts }: { update: PublishedUpdate; counts: readonly MailCount[] | undefined }) {
  return (
    <li>
      <div className="row update-head">
        <CommunicationStatus status={update.status} />
        <RelativeTime value={update.created} />
        <span className="faint">
          {t.by} <PersonName userName={update.createdBy} />
        </span>
      </div>
      <p className="update-text">{update.detail}</p>
      {update.nextUpdate && !isClosed(update.status) && (
        <p className="faint">
          {t.promised} <RelativeTime value={update.nextUpdate} />
        </p>
      )}
      {counts && <Mails update={update} counts={counts.filter((count) => count.communicationUpdateId === update.communicationUpdateId)} />}
    </li>
  );
}

export function Updates({ communication }: { communication: CommunicationRow }) {
  const mayEdit = useMay()('WorkUnitCommunications', 'edit');
  const id = communication.workUnitCommunicationId;
  const updates = useUpdates(id);
  const counts = useMailCounts(id, mayEdit);
  const [written, setWritten] = useState(0);
  return (
    <Loaded query={updates} failed={t.timelineFailed} loading={<Skeleton width="70%" />}>
      {({ rows }) => (
        <>
          {mayEdit && (
            <UpdateForm key={written} communication={communication} last={rows[0]} onDone={() => setWritten((count) => count + 1)} />
          )}
          <section className="form-section" aria-label={t.timeline}>
            <h3>{t.timeline}</h3>
            {rows.length === 0 ? (
              <EmptyState small title={t.none} />
            ) : (
              <ol className="update-timeline">
                {rows.map((update) => (
                  <Entry key={update.communicationUpdateId} update={update} counts={mayEdit ? (counts.data?.rows ?? []) : undefined} />
                ))}
              </ol>
            )}
          </section>
        </>
      )}
    </Loaded>
  );
}

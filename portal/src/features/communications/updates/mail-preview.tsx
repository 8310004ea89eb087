/** What would be mailed and to whom, before it is: the mail in each language, who gets it, and who does not and why. */
import { useState } from 'react';
import type { MailPreview } from '@cloudfit/contract/actions/work-units/communication-updates.ts';
import { communicationUpdateTexts as t } from '@cloudfit/contract/messages/communication-updates.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Loaded } from '../../../calls/loaded.tsx';
import { Button } from '../../../components/button.tsx';
import { Select } from '../../../components/fields/select.tsx';
import { Dialog } from '../../../components/overlay/floating.tsx';
import { EmptyState } from '../../../components/states.tsx';
import { framedMail } from './mail-frame.ts';

const maxNames = 200;

function Names({ title, people }: { title: string; people: readonly { name: string; email: string; note: string }[] }) {
  if (people.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul className="mail-people" tabIndex={0}>
        {people.slice(0, maxNames).map(({ name, email, note }) => (
          <li key={email}>
            <span className="ellipsis">
              {name} <span className="faint">{email}</span>
            </span>
            <span className="muted">{note}</span>
          </li>
        ))}
      </ul>
      {people.length > maxNames && <p className="muted">{t.firstOf(maxNames, people.length)}</p>}
    </section>
  );
}

const keyOf = ({ language, timeZone }: MailPreview['mails'][number]): string => `${language} ${timeZone}`;

function Mail({ mails }: { mails: MailPreview['mails'] }) {
  const [chosen, setChosen] = useState<string>();
  const [isText, setText] = useState(false);
  const mail = mails.find((entry) => keyOf(entry) === chosen) ?? mails[0];
  if (!mail) return <EmptyState small icon="mail" title={t.nobody} text={t.nobodyText} />;
  return (
    <section className="mail-shown" aria-label={t.previewFrame}>
      <div className="mail-head">
        {mails.length > 1 && (
          <Select
            aria-label={t.language}
            value={keyOf(mail)}
            choices={mails.map((entry) => ({
              value: keyOf(entry),
              label: t.mailFor(t.languages[entry.language], entry.timeZone, entry.recipients),
            }))}
            onChange={setChosen}
          />
        )}
        <Select
          aria-label={t.form}
          value={isText ? 'text' : 'html'}
          choices={[
            { value: 'html', label: t.asHtml },
            { value: 'text', label: t.asText },
          ]}
          onChange={(form) => setText(form === 'text')}
        />
      </div>
      <p>
        <span className="muted">{t.subject}:</span> <strong>{mail.subject}</strong>
      </p>
      {isText ? (
        <pre className="mail-text" tabIndex={0}>
          {mail.text}
        </pre>
      ) : (
        <iframe className="mail-frame" title={t.previewFrame} sandbox="" srcDoc={framedMail(mail.html)} />
      )}
    </section>
  );
}

interface MailPreviewProps {
  query: { data: MailPreview | undefined; error: unknown; refetch: () => Promise<unknown> };
  /** The text of the button that sends. */
  send: (count: number) => string;
  isBusy: boolean;
  onSend: (digest: string) => void;
  onClose: () => void;
}

export function MailPreviewDialog({ query, send, isBusy, onSend, onClose }: MailPreviewProps) {
  const { data } = query;
  const count = data?.recipients.length ?? 0;
  return (
    <Dialog
      title={t.previewTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          {data && count > 0 && (
            <Button look="primary" icon="mail" disabled={isBusy} onClick={() => onSend(data.digest)}>
              {send(count)}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={query} failed={t.previewFailed}>
        {(preview) => (
          <div className="mail-preview">
            {!preview.mailServerIsSet && <p className="mail-warning">{t.noServer}</p>}
            <Mail mails={preview.mails} />
            <p className="muted">{t.counts(t.kinds[preview.kind], preview.severity)}</p>
            <Names
              title={t.gets(count)}
              people={preview.recipients.map(({ language, ...person }) => ({ ...person, note: t.languages[language] }))}
            />
            <Names
              title={t.getsNot(preview.others.length)}
              people={preview.others.map(({ reason, ...person }) => ({ ...person, note: t.reasons[reason] }))}
            />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

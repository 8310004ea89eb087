import { mailboxTexts as t } from '@cloudfit/contract/messages/mailboxes.en.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { pipeLine, type MailboxEntity } from './mailbox-row.ts';

/** What to paste into the configuration of a mail server; without a token a word stands in its place. */
export function PipeBox({ mailbox, token = t.yourToken }: { mailbox: MailboxEntity; token?: string }) {
  const text = pipeLine(mailbox, location.origin, token);
  return (
    <div className="receiver-paste">
      <p className="faint">{t.how}</p>
      <div className="receiver-line">
        <pre tabIndex={0} role="group" aria-label={t.paste}>
          {text}
        </pre>
        <CopyButton text={text} label={t.paste} done={t.copied} />
      </div>
    </div>
  );
}

import { useEffect, useRef } from 'react';
import { mailboxTexts as t } from '@cloudfit/contract/messages/mailboxes.en.ts';
import { IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import type { NewMailbox } from './mailbox-row.ts';
import { PipeBox } from './pipe-box.tsx';

/** A new mailbox, or one with a new token, which is shown only here. */
export function ReadyMailbox({ mailbox, onClose }: { mailbox: NewMailbox; onClose: () => void }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <section ref={place} className="receiver-ready" tabIndex={-1} aria-label={t.ready(mailbox.name)}>
      <Icon name="warning" />
      <div className="grow">
        <strong>{t.ready(mailbox.name)}</strong>
        <p>{t.tokenOnce}</p>
        <PipeBox mailbox={mailbox} token={mailbox.generatedToken} />
      </div>
      <IconButton small icon="close" label={t.hide} onClick={onClose} />
    </section>
  );
}

/** The mailboxes of a tenant. The token of a new one stands above them until the person leaves the page. */
import { useMemo, useState } from 'react';
import { ListPage } from '../../resource/list-page.tsx';
import { useScope } from '../../rows/use-scope.ts';
import type { NewMailbox } from './mailbox-row.ts';
import { mailboxesView } from './mailboxes.view.tsx';
import { ReadyMailbox } from './ready-mailbox.tsx';
import '../../components/receiver.css';
import './mailboxes.css';

export function MailboxesPage() {
  const { tenantId } = useScope();
  const [ready, setReady] = useState<NewMailbox>();
  const view = useMemo(() => mailboxesView(setReady), []);
  return (
    <>
      {ready && ready.tenantId === tenantId && (
        <ReadyMailbox key={ready.generatedToken} mailbox={ready} onClose={() => setReady(undefined)} />
      )}
      <ListPage view={view} />
    </>
  );
}

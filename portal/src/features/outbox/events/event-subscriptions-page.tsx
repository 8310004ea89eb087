/** Receivers of events. The secret of a new one stands above them until the person leaves the page. */
import { useMemo, useState } from 'react';
import { ListPage } from '../../../resource/list-page.tsx';
import { eventSubscriptionsView } from './event-subscriptions.view.tsx';
import { ReadySecret } from './ready-secret.tsx';
import type { NewSecret } from './subscription-row.ts';
import '../../../components/receiver.css';
import './event-subscriptions.css';

export function EventSubscriptionsPage() {
  const [ready, setReady] = useState<NewSecret>();
  const view = useMemo(() => eventSubscriptionsView(setReady), []);
  return (
    <>
      {ready && <ReadySecret key={ready.generatedSecret} {...ready} onClose={() => setReady(undefined)} />}
      <ListPage view={view} />
    </>
  );
}

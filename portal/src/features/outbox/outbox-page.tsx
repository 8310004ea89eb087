import { lazy, Suspense } from 'react';
import { Link, useParams, useSearchParams } from 'react-router';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { eventSubscriptionTexts } from '@cloudfit/contract/messages/event-subscriptions.en.ts';
import { outboxTexts as t } from '@cloudfit/contract/messages/outbox.en.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { Skeleton } from '../../components/states.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { loadCode } from '../../components/load-code.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { MailPanel } from './mail-panel.tsx';
import { SentMails } from './sent-mails.tsx';
import './outbox.css';

const tenantText = ({ tenantId, tenant }: ExpandedRow<typeof outboxMessages, 'tenant'>): string =>
  tenantId === null ? t.installation : (tenant?.name ?? tenantId);

// Loaded by the outbox and not by the router, whose list of files is a part of each first load.
const EventSubscriptionsPage = lazy(async () => ({
  default: (await loadCode(() => import('./events/event-subscriptions-page.tsx'))).EventSubscriptionsPage,
}));

/** Mails in the outbox: no mail server has accepted them yet. */
const outboxView = defineView({
  resource: outboxMessages,
  icon: 'communications',
  texts: { title: t.title, emptyText: t.emptyText },
  columns: [
    'subject',
    'recipients',
    {
      ...fieldColumn(outboxMessages, 'tenantId'),
      cell: tenantText,
      text: tenantText,
    },
    'created',
  ],
  expand: ['tenant'],
  filters: ['subject', 'recipients', 'created', 'messageId', 'correlationId'],
  // The mails without a tenant belong to the installation. The server returns them only to people with a grant in all tenants.
  base: ({ tenantId }) => [tenantId ? or(eq(outboxMessages, 'tenantId', tenantId), eq(outboxMessages, 'tenantId', null)) : undefined],
  panel: { Component: MailPanel },
});

/** Mails that wait, or mails of actions with their states; the address says which. */
export function OutboxPage() {
  const { tenantId = '' } = useParams();
  const [params] = useSearchParams();
  const of = params.get('of');
  usePageTitle(t.title);
  const link = (search: string, label: string, isCurrent: boolean) => (
    <Link to={{ search }} {...(isCurrent ? { 'aria-current': 'page' as const } : {})}>
      {label}
    </Link>
  );
  return (
    <div className="outbox-page">
      <nav className="outbox-which" aria-label={t.which}>
        {link('', t.waitingMails, of !== 'actions' && of !== 'events')}
        {link('of=actions', t.ofActions, of === 'actions')}
        {link('of=events', eventSubscriptionTexts.title, of === 'events')}
      </nav>
      {of === 'events' ? (
        <Suspense fallback={<Skeleton width="60%" />}>
          <EventSubscriptionsPage />
        </Suspense>
      ) : of === 'actions' ? (
        <SentMails tenantId={tenantId} />
      ) : (
        <ListPage view={outboxView} />
      )}
    </div>
  );
}

import { eq } from '@cloudfit/contract/query/build.ts';
import { outboxTexts as t } from '@cloudfit/contract/messages/outbox.en.ts';
import { outboxMessages } from '@cloudfit/contract/resources/outbox.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

/** Mails that no mail server accepted. */
const outboxView = defineView({
  resource: outboxMessages,
  icon: 'communications',
  texts: { title: t.title, emptyText: t.emptyText },
  columns: ['subject', 'recipients', 'tenantId', 'created'],
  expand: ['tenant'],
  filters: ['subject', 'recipients', 'created', 'messageId', 'correlationId'],
  base: ({ tenantId }) => [tenantId ? eq(outboxMessages, 'tenantId', tenantId) : undefined],
});

export function OutboxPage() {
  return <ListPage view={outboxView} />;
}

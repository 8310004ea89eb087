import { en } from '@cloudfit/contract/messages/en.ts';
import { mailboxTexts as t } from '@cloudfit/contract/messages/mailboxes.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { mailboxes } from '@cloudfit/contract/resources/mailboxes.ts';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { GenericPanel, loadGenericPanel } from '../../resource/list-panel.tsx';
import { defineView, type PanelProps } from '../../resource/view.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { exactTime } from '../../theme/times.ts';
import { MailboxFacts } from './mailbox-facts.tsx';
import { MailboxMails } from './mailbox-mails.tsx';
import { stateOf, type MailboxEntity, type NewMailbox } from './mailbox-row.ts';

const hasToken = (mailbox: MailboxEntity): mailbox is NewMailbox => 'generatedToken' in mailbox;

function State({ mailbox }: { mailbox: MailboxEntity }) {
  const { text, tone } = stateOf(mailbox);
  return (
    <Chip dot tone={tone}>
      {text}
    </Chip>
  );
}

const oauth = ['tokenAddress', 'clientId', 'refreshSecret', 'scope'] as const;

/** `onToken` gets a mailbox whose token is new; nothing else ever shows the token. */
export function mailboxesView(onToken: (mailbox: NewMailbox) => void) {
  const view = defineView({
    resource: mailboxes,
    icon: 'mail',
    texts: { title: en.shell.items.mailboxes, saveFailed: t.saveFailed, emptyText: t.emptyText },
    columns: [
      { ...fieldColumn(mailboxes, 'name'), width: 170, grow: true },
      { ...fieldColumn(mailboxes, 'address'), width: 220, below: 'sm' },
      { id: 'state', header: t.state, width: 160, cell: (row) => <State mailbox={row} />, text: (row) => stateOf(row).text },
      {
        ...fieldColumn(mailboxes, 'lastMail'),
        width: 120,
        below: 'sm',
        cell: (row) => (row.lastMail ? <RelativeTime value={row.lastMail} /> : <span className="faint">{t.none}</span>),
        text: (row) => (row.lastMail ? exactTime(row.lastMail) : t.none),
      },
      { ...fieldColumn(mailboxes, 'mailsTaken'), width: 110, below: 'md' },
      { ...fieldColumn(mailboxes, 'mailsHeld'), width: 110, below: 'md' },
      { ...fieldColumn(mailboxes, 'mailsRefused'), width: 110, below: 'md' },
    ],
    base: ({ tenantId }) => [tenantId ? eq(mailboxes, 'tenantId', tenantId) : undefined],
    filters: ['enabled', 'lastMail'],
    form: {
      sections: [
        { fields: ['name', 'address', 'tenantId', 'enabled'] },
        { title: t.opening, fields: ['workUnitTypeId', 'severityId', 'workUnitCategoryId'] },
        { title: t.senders, fields: ['unknownSenders', 'senderLimit', 'programMails', 'authservId'] },
        {
          title: t.reading,
          fields: ['host', 'port', 'security', 'userName', 'signIn', ...oauth, 'passwordSecret', 'folder', 'certificate'],
        },
      ],
      wide: ['authservId', 'tokenAddress', 'certificate'],
      hides: ({ host, signIn }) => [
        ...(host ? [] : (['port', 'security', 'userName', 'signIn', 'passwordSecret', 'folder', 'certificate'] as const)),
        ...(host && signIn === 'OAuth2' ? [] : oauth),
      ],
    },
    panelTop: (row) => <MailboxFacts mailbox={row} onToken={onToken} />,
    tabs: { form: t.details, others: [{ id: 'mails', label: t.mails, Body: MailboxMails }] },
    pollMs: 10_000,
  });
  const announce = (mailbox: MailboxEntity, isNew: boolean) => {
    if (isNew && hasToken(mailbox)) onToken(mailbox);
  };
  const Component = (props: PanelProps<MailboxEntity>) => <GenericPanel {...props} view={view} onSaved={announce} />;
  return { ...view, panel: { Component, load: loadGenericPanel } };
}

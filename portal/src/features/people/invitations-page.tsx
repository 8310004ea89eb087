/** Who was invited, and whether they accepted; deleting an invitation withdraws it. */
import { accessTexts } from '@cloudfit/contract/messages/access.en.ts';
import { invitations } from '@cloudfit/contract/resources/invitations.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { Chip } from '../../components/chips.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

const t = accessTexts.invitations;

type Invitation = Row<typeof invitations>;

function statusOf({ acceptedOn, expiresOn }: Invitation): string {
  if (acceptedOn) return t.accepted;
  return Date.parse(expiresOn) < Date.now() ? t.expired : t.open;
}

function Status({ row }: { row: Invitation }) {
  const text = statusOf(row);
  return <Chip tone={text === t.accepted ? 'ok' : text === t.expired ? 'warn' : 'info'}>{text}</Chip>;
}

const invitationsView = defineView({
  resource: invitations,
  icon: 'mail',
  texts: {
    title: t.title,
    emptyText: t.emptyText,
    delete: t.withdraw,
    deleted: (row) => t.withdrawn(row.email),
    deleteQuestion: (row) => t.withdrawQuestion(row.email),
  },
  columns: [
    'email',
    'name',
    { id: 'status', header: t.status, width: 100, cell: (row) => <Status row={row} />, text: statusOf },
    'permissionSetId',
    'tenantId',
    'invitedBy',
    'created',
    'expiresOn',
  ],
  expand: ['tenant', 'permissionSet'],
  filters: ['tenantId', 'permissionSetId', 'acceptedOn'],
  offers: (row) => (row?.acceptedOn ? ['list'] : ['list', 'delete']),
});

export function InvitationsPage() {
  return <ListPage view={invitationsView} />;
}

/** All grants: which person or group has which permission set in which tenant. */
import { Link } from 'react-router';
import { accessTexts } from '@cloudfit/contract/messages/access.en.ts';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { Chip } from '../../components/chips.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

const t = accessTexts.grants;

const grantsView = defineView({
  resource: grants,
  icon: 'lock',
  texts: {
    title: t.title,
    emptyText: t.emptyText,
    delete: t.deleteTitle,
    deleted: () => t.deleted,
    deleteQuestion: () => t.question,
  },
  columns: [
    {
      id: 'who',
      header: t.who,
      width: 240,
      cell: (row) =>
        row.claim === null ? (
          <Link to={`../people?id=${row.personId}&tab=access`} relative="path">
            {row.person?.name ?? row.personId}
          </Link>
        ) : (
          <span className="row">
            <span className="ellipsis">{row.claim}</span> <Chip>{t.groupChip}</Chip>
          </span>
        ),
      text: (row) => row.claim ?? row.person?.name ?? '',
    },
    { ...fieldColumn(grants, 'permissionSetId'), width: 180 },
    { ...fieldColumn(grants, 'tenantId'), width: 180 },
    { ...fieldColumn(grants, 'created'), width: 110 },
  ],
  expand: ['person', 'permissionSet', 'tenant'],
  searchIn: ['claim', 'person/name', 'person/userName'],
  filters: ['personId', 'claim', 'permissionSetId', 'tenantId', 'created'],
  form: { sections: [{ fields: ['personId', 'claim', 'permissionSetId', 'tenantId'] }] },
});

export function GrantsPage() {
  return <ListPage view={grantsView} />;
}

/** Directories: where people of other organisations sign in, from where they are provisioned, and what their groups give. */
import { directoryTexts as t } from '@cloudfit/contract/messages/directories.en.ts';
import { directories } from '@cloudfit/contract/resources/directories.ts';
import { Chip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { TenantsInput } from '../../../entities/tenants-input.tsx';
import { commaListInput } from '../../../forms/comma-list-input.tsx';
import { ListPage } from '../../../resource/list-page.tsx';
import { defineView } from '../../../resource/view.ts';
import { fieldColumn } from '../../../rows/cells.tsx';
import { exactTime } from '../../../theme/times.ts';
import { DirectoryConnection } from './directory-connection.tsx';
import { DirectoryGroups } from './directory-groups.tsx';
import { tenantsText, stateOf, type Directory } from './directory-row.ts';
import '../../../components/receiver.css';
import '../access.css';
import './directories.css';

const oidc = ['issuer', 'clientId', 'scope', 'hasButton'] as const;
const ldap = ['ldapUrl', 'startTls', 'bindDn', 'baseDn', 'userFilter', 'nestedGroups', 'certificate'] as const;

function State({ row }: { row: Directory }) {
  const { text, tone } = stateOf(row);
  return (
    <Chip dot tone={tone}>
      {text}
    </Chip>
  );
}

const directoriesView = defineView({
  resource: directories,
  icon: 'person',
  texts: { title: t.title, emptyText: t.emptyText, saveFailed: t.saveFailed, deleteQuestion: (row) => t.deleteQuestion(row.name) },
  columns: [
    { ...fieldColumn(directories, 'name'), width: 180, grow: true },
    { id: 'state', header: t.state, width: 160, cell: (row) => <State row={row} />, text: (row) => stateOf(row).text },
    { ...fieldColumn(directories, 'kind'), width: 140, below: 'sm' },
    { ...fieldColumn(directories, 'prefix'), width: 120, below: 'md' },
    { id: 'tenants', header: t.tenants, width: 120, below: 'sm', cell: (row) => <span>{tenantsText(row)}</span>, text: tenantsText },
    {
      ...fieldColumn(directories, 'lastProvisioned'),
      width: 140,
      below: 'md',
      cell: (row) => (row.lastProvisioned ? <RelativeTime value={row.lastProvisioned} /> : <span className="faint">{t.never}</span>),
      text: (row) => (row.lastProvisioned ? exactTime(row.lastProvisioned) : t.never),
    },
  ],
  filters: ['kind', 'enabled'],
  form: {
    sections: [
      { fields: ['name', 'prefix', 'enabled'] },
      { title: t.sections.reach, fields: ['allTenants', 'tenantIds', 'mailDomains', 'provisionedOnly', 'tellNewPeople'] },
      { title: t.sections.how, fields: ['kind', ...oidc, ...ldap, 'groupsClaim'] },
    ],
    wide: ['tenantIds', 'mailDomains', 'issuer', 'userFilter', 'certificate'],
    inputs: { tenantIds: TenantsInput, mailDomains: commaListInput('example.com, example.org') },
    hides: ({ kind, allTenants }) => [
      ...(allTenants ? (['tenantIds'] as const) : []),
      ...(kind === 'None' ? (['provisionedOnly', 'groupsClaim'] as const) : []),
      ...(kind === 'Oidc' ? [] : oidc),
      ...(kind === 'Ldap' ? [] : ldap),
    ],
  },
  tabs: {
    form: t.settings,
    others: [
      { id: 'connection', label: t.connection, Body: DirectoryConnection },
      { id: 'groups', label: t.groups, Body: DirectoryGroups },
    ],
  },
});

export function DirectoriesPage() {
  return <ListPage view={directoriesView} />;
}

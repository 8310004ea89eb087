import { accessTexts, whyTexts } from '@cloudfit/contract/messages/access.en.ts';
import { peopleTexts as t } from '@cloudfit/contract/messages/people.en.ts';
import { preferenceTexts } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { tenantsQuery, useTenants, type TenantChoice } from '../../api/lookups.ts';
import { queryClient } from '../../api/query-client.ts';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { onDemand } from '../../components/on-demand.tsx';
import { Cell, fieldColumn } from '../../rows/cells.tsx';
import { defineView } from '../../resource/view.ts';
import { AccessTab } from './access-tab.tsx';
import { disablePerson, enablePerson, seeAs, type Person } from './change-person.ts';
import { NotificationsTab } from './notifications-tab.tsx';
import { PersonCell, PersonTop } from './person-top.tsx';
import { SignIns } from './sign-ins.tsx';

/** Loaded on demand: its questions name entities, so it needs the declarations of all resources. */
const { Component: WhyTab } = onDemand(() => import('./why-tab.tsx').then((module) => module.WhyTab));

/** The tenants in which the person has individual grants. Grants of the person's groups are not known before a sign-in. */
function Tenants({ row }: { row: Person }) {
  const { data: tenants = [] } = useTenants();
  const text = tenantsText(row, tenants);
  return (
    <span className={row.grants.length === 0 ? 'faint' : 'ellipsis'} title={text}>
      {text}
    </span>
  );
}

function tenantsText({ grants }: Person, tenants: readonly TenantChoice[]): string {
  if (grants.length === 0) return t.byGroup;
  if (grants.some((grant) => grant.tenantId === null)) return t.allTenants;
  const ids = new Set(grants.map((grant) => grant.tenantId));
  return tenants
    .filter((tenant) => ids.has(tenant.tenantId))
    .map((tenant) => tenant.name)
    .join(', ');
}

function Email({ row }: { row: Person }) {
  if (!row.email) return <span className="faint">–</span>;
  return (
    <span className="row">
      <span className="ellipsis">{row.email}</span>
      {row.emailVerified ? <Chip tone="ok">{t.verified}</Chip> : <Chip tone="warn">{t.notVerified}</Chip>}
    </span>
  );
}

export const peopleView = defineView({
  resource: people,
  icon: 'person',
  texts: { title: t.title, emptyText: t.emptyText },
  columns: [
    { ...fieldColumn(people, 'name'), width: 170, cell: (row) => <PersonCell row={row} /> },
    { ...fieldColumn(people, 'userName'), width: 160, tone: 'soft' },
    {
      ...fieldColumn(people, 'email'),
      width: 210,
      below: 'md',
      cell: (row) => <Email row={row} />,
    },
    {
      id: 'tenants',
      header: t.tenants,
      width: 130,
      below: 'md',
      cell: (row) => <Tenants row={row} />,
      texts: async () => {
        const tenants = await queryClient.fetchQuery(tenantsQuery);
        return (row) => tenantsText(row, tenants);
      },
    },
    {
      ...fieldColumn(people, 'lastSignIn'),
      width: 110,
      cell: (row) => (row.lastSignIn ? <RelativeTime value={row.lastSignIn} /> : <span className="faint">{t.never}</span>),
      text: (row) => (row.lastSignIn ? exactTime(row.lastSignIn) : t.never),
    },
    { ...fieldColumn(people, 'secondFactor'), width: 120 },
    { ...fieldColumn(people, 'enabled'), width: 90 },
  ],
  phoneLine: (row) => (
    <>
      <span className="ellipsis">{row.userName}</span>
      {row.secondFactor !== 'None' && <Cell resource={people} name="secondFactor" row={row} />}
      {!row.enabled && <Chip tone="warn">{t.isDisabled}</Chip>}
    </>
  ),
  expand: ['grants'],
  filters: ['enabled', 'secondFactor', 'emailVerified', 'lastSignIn'],
  offers: ['list', 'update'],
  actions: (row, { may }) =>
    may('edit')
      ? [
          row.enabled
            ? { id: 'disable', label: t.disable, icon: 'lock', danger: true, run: () => void disablePerson(row) }
            : { id: 'enable', label: t.enable, icon: 'check', run: () => void enablePerson(row) },
          ...(row.enabled
            ? [{ id: 'seeAs', label: accessTexts.impersonation.begin, icon: 'search' as const, run: () => void seeAs(row) }]
            : []),
        ]
      : [],
  form: { sections: [{ fields: ['name', 'userName', 'email'] }] },
  panelTop: (row) => <PersonTop row={row} />,
  tabs: {
    form: t.tabs.person,
    others: [
      { id: 'access', label: accessTexts.tab, Body: AccessTab },
      { id: 'why', label: whyTexts.tab, Body: WhyTab },
      { id: 'notifications', label: preferenceTexts.tab, hasForm: true, Body: NotificationsTab },
      { id: 'signIns', label: t.tabs.signIns, Body: SignIns },
    ],
  },
});

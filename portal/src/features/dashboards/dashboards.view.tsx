import { eq } from '@cloudfit/contract/query/build.ts';
import { dashboardTexts as t } from '@cloudfit/contract/messages/dashboards.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { dashboards } from '@cloudfit/contract/resources/dashboards.ts';
import { PersonName } from '../../rows/person-name.tsx';
import { defineView } from '../../resource/view.ts';
import { fieldColumn } from '../../rows/cells.tsx';

const resource = dashboards;

export type Dashboard = Row<typeof dashboards>;

export const dashboardsView = defineView({
  resource,
  icon: 'dashboards',
  texts: { title: t.title, emptyText: t.emptyText },
  columns: [
    { ...fieldColumn(resource, 'name'), width: 320 },
    { ...fieldColumn(resource, 'sharing'), width: 180 },
    { ...fieldColumn(resource, 'createdBy'), width: 180 },
    { ...fieldColumn(resource, 'modified'), width: 120 },
  ],
  phoneLine: (row) => (
    <>
      <span>{row.sharing}</span>
      <span className="ellipsis">
        <PersonName userName={row.createdBy} />
      </span>
    </>
  ),
  base: ({ tenantId }) => [tenantId ? eq(resource, 'tenantId', tenantId) : undefined],
  // A dashboard is edited and deleted on its own page.
  offers: ['list'],
  filters: ['sharing', 'createdBy'],
  rows: 25,
  pollMs: 30_000,
});

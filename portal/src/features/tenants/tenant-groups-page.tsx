import { tenantGroupTexts as t } from '@cloudfit/contract/messages/tenant-groups.en.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { TenantsInput } from '../../entities/tenants-input.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { usualTexts } from '../../resource/usual-texts.ts';
import { defineView } from '../../resource/view.ts';

const tenantGroupsView = defineView({
  resource: tenantGroups,
  icon: 'tenants',
  texts: usualTexts(t),
  columns: [
    'name',
    {
      id: 'tenantIds',
      header: tenantGroups.fields.tenantIds.label,
      width: 96,
      cell: (row) => <span className="num">{row.tenantIds.length}</span>,
      text: (row) => String(row.tenantIds.length),
    },
    'description',
    'modified',
  ],
  form: {
    sections: [{ fields: ['name', 'tenantIds', 'description'] }],
    wide: ['tenantIds'],
    inputs: { tenantIds: TenantsInput },
  },
});

/** Named sets of tenants, for which rules are written once. */
export function TenantGroupsPage() {
  return <ListPage view={tenantGroupsView} />;
}

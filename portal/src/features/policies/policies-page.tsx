import { Link } from 'react-router';
import { policyTexts as t, selectionTexts } from '@cloudfit/contract/messages/policies.en.ts';
import { thingsOf } from '@cloudfit/contract/policies/effective.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';
import { useScope } from '../../rows/use-scope.ts';
import { OperationsInput, PackagesInput, RankInput } from './policy-inputs.tsx';

const policiesView = defineView({
  resource: policies,
  icon: 'compliance',
  texts: {
    title: t.title,
    emptyText: t.emptyText,
    delete: t.remove,
    deleted: (row) => t.removed(row.name),
    deleteQuestion: (row) => t.removeQuestion(row.name),
  },
  columns: [
    'name',
    'rank',
    'deviceSelectionId',
    {
      id: 'sets',
      header: t.sets,
      width: 90,
      cell: (row) => t.setsCount(thingsOf(row).length),
      text: (row) => t.setsCount(thingsOf(row).length),
    },
    'tenantId',
    'enabled',
    'modified',
  ],
  expand: ['tenant', 'tenantGroup', 'deviceSelection'],
  base: ({ tenantId }) => [tenantId ? or(eq(policies, 'tenantId', tenantId), eq(policies, 'tenantId', null)) : undefined],
  filters: ['enabled', 'deviceSelectionId'],
  form: {
    sections: [
      { fields: ['name', 'description', 'enabled'] },
      { title: t.forDevices, fields: ['tenantId', 'tenantGroupId', 'deviceSelectionId'] },
      { title: t.gives, fields: ['operations', 'packages', 'tags', 'heartbeatInterval', 'ruleValues'] },
      { title: t.leaving, fields: ['onLeave', 'rank'] },
    ],
    wide: ['name', 'operations', 'packages', 'tags', 'rank'],
    inputs: { operations: OperationsInput, packages: PackagesInput, rank: RankInput },
    help: { onLeave: t.onLeaveHelp },
    hides: (values) => (values.tenantId ? ['tenantGroupId'] : []),
  },
});

/** What the devices of selections should have. */
export function PoliciesPage() {
  const { tenantId } = useScope();
  return (
    <ListPage
      view={policiesView}
      bar={
        <Link className="btn" to={`${tenantId ? `/${tenantId}` : ''}/deviceselections`}>
          {selectionTexts.title}
        </Link>
      }
    />
  );
}

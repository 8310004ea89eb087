import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { policyFromTemplate } from '@cloudfit/contract/calls.ts';
import { policyTexts as t, selectionTexts } from '@cloudfit/contract/messages/policies.en.ts';
import { thingsOf } from '@cloudfit/contract/policies/effective.ts';
import { templateIds, type TemplateId } from '@cloudfit/contract/policies/templates.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { deviceSelections } from '@cloudfit/contract/resources/device-selections.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { ListPage } from '../../resource/list-page.tsx';
import { usualTexts } from '../../resource/usual-texts.ts';
import { defineView } from '../../resource/view.ts';
import { useScope } from '../../rows/use-scope.ts';
import { RunningPolicyRollout } from './running-policy-rollout.tsx';
import { OperationsInput, PackagesInput, RankInput } from './policy-inputs.tsx';

const { Component: PolicyOnDevices } = onDemand(() => import('./policy-on-devices.tsx').then((module) => module.PolicyOnDevices));
const { Component: AddPolicyCheck } = onDemand(() => import('./add-policy-check.tsx').then((module) => module.AddPolicyCheck));

/** Above the form: what is going out in rings, and the check that comes with its rule. */
function PolicyTop({ row }: { row: Row<typeof policies> }) {
  const may = useMay();
  const [isAdding, setIsAdding] = useState(false);
  const mayAdd = may(policies.area, 'edit') && may(policies.area, 'create') && may(rules.area, 'create');
  return (
    <>
      <RunningPolicyRollout policyId={row.policyId} />
      {mayAdd && (
        <div className="row policy-actions">
          <Button small icon="plus" aria-haspopup="dialog" onClick={() => setIsAdding(true)}>
            {t.check.open}
          </Button>
        </div>
      )}
      {isAdding && <AddPolicyCheck policy={row} onClose={() => setIsAdding(false)} />}
    </>
  );
}

const policiesView = defineView({
  resource: policies,
  icon: 'compliance',
  texts: usualTexts(t),
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
  panelTop: (row) => <PolicyTop row={row} />,
  tabs: { form: t.onDevices.form, others: [{ id: 'devices', label: t.onDevices.tab, Body: PolicyOnDevices }] },
  form: {
    sections: [
      { fields: ['name', 'description', 'enabled'] },
      { title: t.forDevices, fields: ['tenantId', 'tenantGroupId', 'deviceSelectionId'] },
      { title: t.gives, fields: ['operations', 'packages', 'tags', 'heartbeatInterval', 'ruleValues', 'forbidsOthers'] },
      { title: t.leaving, fields: ['onLeave', 'rank'] },
    ],
    wide: ['name', 'operations', 'packages', 'tags', 'rank'],
    inputs: { operations: OperationsInput, packages: PackagesInput, rank: RankInput },
    help: { onLeave: t.onLeaveHelp },
    hides: (values) => (values.tenantId ? ['tenantGroupId'] : []),
  },
});

/** Makes a policy from a template, which is disabled, and opens it. */
function TemplateMenu({ tenantId }: { tenantId: string | null }) {
  const navigate = useNavigate();
  const { run } = useCommand((template: TemplateId) => call(policyFromTemplate, { template, tenantId }, { creates: true }), {
    done: () => t.fromTemplateDone,
    refreshes: [policies.name, deviceSelections.name],
  });
  const make = async (template: TemplateId) => {
    const created = await run(template);
    if (created) await navigate(`?id=${created.answer.policyId}`);
  };
  const entries = templateIds.map((id) => ({ id, label: t.templates[id], run: () => void make(id) }));
  return <MenuButton label={t.fromTemplate} entries={entries} />;
}

/** What the devices of selections should have. */
export function PoliciesPage() {
  const { tenantId } = useScope();
  const may = useMay();
  return (
    <ListPage
      view={policiesView}
      bar={
        <>
          {may(policies.area, 'create') && <TemplateMenu tenantId={tenantId} />}
          <Link className="btn" to={`${tenantId ? `/${tenantId}` : ''}/deviceselections`}>
            {selectionTexts.title}
          </Link>
        </>
      }
    />
  );
}

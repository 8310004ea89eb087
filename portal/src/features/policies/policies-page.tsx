import { useState } from 'react';
import { policyTexts as t } from '@cloudfit/contract/messages/policies.en.ts';
import { policyCareTexts } from '@cloudfit/contract/messages/policy-care.en.ts';
import { thingsOf } from '@cloudfit/contract/policies/effective.ts';
import { templateIds, type TemplateId } from '@cloudfit/contract/policies/templates.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { useMay } from '../../api/lookups.ts';
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
const { Component: PrecedenceDialog } = onDemand(() => import('./precedence-dialog.tsx').then((module) => module.PrecedenceDialog));
const { Component: TemplateDialog } = onDemand(() => import('./template-dialog.tsx').then((module) => module.TemplateDialog));
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

function TemplateMenu({ tenantId }: { tenantId: string | null }) {
  const [chosen, setChosen] = useState<TemplateId>();
  const entries = templateIds.map((id) => ({ id, label: t.templates[id], run: () => setChosen(id) }));
  return (
    <>
      <MenuButton label={t.fromTemplate} entries={entries} />
      {chosen && <TemplateDialog template={chosen} tenantId={tenantId} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function Precedence({ tenantId }: { tenantId: string | null }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {policyCareTexts.order.open}
      </Button>
      {isOpen && <PrecedenceDialog tenantId={tenantId} onClose={() => setIsOpen(false)} />}
    </>
  );
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
          {may(policies.area, 'edit') && <Precedence tenantId={tenantId} />}
          {may(policies.area, 'create') && <TemplateMenu tenantId={tenantId} />}
        </>
      }
    />
  );
}

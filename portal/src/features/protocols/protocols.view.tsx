import { eq, or } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { protocolTexts as t } from '@cloudfit/contract/messages/protocols.en.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { ImpactPanel } from '../../entities/impact/impact-panel.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { inputs } from '../../forms/inputs.tsx';
import { defineView } from '../../resource/view.ts';
import { SimulationTab } from './simulation-tab.tsx';
import { AssignedRules } from './assigned-rules.tsx';

const resource = protocols;

/** The tenant of a protocol never changes. */
function TenantInput(props: InputProps) {
  return <inputs.lookup {...props} disabled={props.disabled || props.row !== undefined} />;
}

/** `showActions` opens the protocol's actions. */
export const protocolsView = (showActions: (protocolId: string) => void) =>
  defineView({
    resource,
    icon: 'protocols',
    texts: {
      title: en.shell.items.protocols,
      saveFailed: t.saveFailed,
      deleteFailed: (_row, error) => failureText(error),
      emptyText: t.emptyText,
    },
    columns: [
      { ...fieldColumn(resource, 'name'), grow: false, width: 240 },
      { ...fieldColumn(resource, 'protocolId'), header: t.id, width: 200, below: 'md' },
      { ...fieldColumn(resource, 'description'), width: 200, grow: true, tone: 'soft' },
      { ...fieldColumn(resource, 'tenantId'), tone: 'soft' },
    ],
    expand: ['tenant'],
    base: ({ tenantId }) => [tenantId ? or(eq(protocols, 'tenantId', tenantId), eq(protocols, 'tenantId', null)) : undefined],
    searchIn: ['protocolId'],
    actions: (row) => [{ id: 'actions', label: t.actions.view, icon: 'actions', run: () => showActions(row.protocolId) }],
    impact: (row, change) => <ImpactPanel entity="protocols" id={row.protocolId} change={change} />,
    panelTop: (row) => (
      <div className="row panel-top">
        <Button small icon="actions" onClick={() => showActions(row.protocolId)}>
          {t.actions.view}
        </Button>
      </div>
    ),
    form: {
      sections: [
        { title: t.sections.what, fields: ['name', 'timerInverval', 'description', 'tenantId'] },
        { title: t.sections.people, fields: ['manualActions'] },
      ],
      inputs: { tenantId: TenantInput },
      requiredTexts: { timerInverval: t.timerRequired },
    },
    tabs: {
      form: t.details,
      others: [
        { id: 'rules', label: t.rules.tab, Body: AssignedRules },
        { id: 'simulation', label: t.simulation.tab, Body: SimulationTab },
      ],
    },
  });

import { builtInActionTypes } from '@cloudfit/contract/enums.ts';
import { actionCatalogTexts as t } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { eq, or } from '@cloudfit/contract/query/build.ts';
import type { Choice } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { ImpactPanel } from '../../entities/impact/impact-panel.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { inputs } from '../../forms/inputs.tsx';
import { TemplateInput } from '../../entities/placeholders/template-input.tsx';
import { GenericPanel, loadGenericPanel } from '../../resource/list-panel.tsx';
import { defineView, type PanelProps } from '../../resource/view.ts';
import { ActionButtons } from './action-buttons.tsx';
import { ActionHistory } from './action-history.tsx';
import { HeadersInput } from './headers-input.tsx';
import { ownNames } from './own-names.ts';
import type { ActionDefinition } from './use-action.ts';
import type { CatalogPanel } from './use-catalog-panels.ts';

const choices: readonly Choice<number>[] = Object.entries(t.types).map(([value, label]) => ({ value: Number(value), label }));
const { actionDefinitionTypeId: type } = actionDefinitions.fields;

/** The resource of action definitions, with display names for the types. */
const resource = {
  ...actionDefinitions,
  fields: { ...actionDefinitions.fields, actionDefinitionTypeId: { ...type, choices } },
};

const isBuiltIn = (row: Pick<ActionDefinition, 'actionDefinitionTypeId'> | undefined) =>
  row !== undefined && builtInActionTypes.includes(row.actionDefinitionTypeId);

/** The select of an action's type. It offers the types of built-in actions only for a built-in action. */
function TypeInput(props: InputProps<typeof actionDefinitions>) {
  const offered = isBuiltIn(props.row) ? choices : choices.filter((choice) => !builtInActionTypes.includes(choice.value));
  return <inputs.select {...props} field={{ ...props.field, choices: offered }} />;
}

function BodyInput(props: InputProps<typeof actionDefinitions>) {
  return <TemplateInput {...props} ownNames={ownNames(props.values)} rows={4} className="code" />;
}

function UrlInput(props: InputProps<typeof actionDefinitions>) {
  return <TemplateInput {...props} ownNames={ownNames(props.values)} />;
}

export function actionCatalogView(show: (panel: CatalogPanel, actionDefinitionId: string) => void) {
  const view = defineView({
    resource,
    icon: 'actions',
    texts: { title: en.shell.items.actions, saveFailed: t.saveFailed, emptyText: t.emptyText },
    columns: [
      { ...fieldColumn(resource, 'name'), grow: false, width: 240 },
      { ...fieldColumn(resource, 'description'), width: 200, grow: true, tone: 'soft' },
      { ...fieldColumn(resource, 'actionDefinitionTypeId'), width: 220 },
      { ...fieldColumn(resource, 'tenantId'), tone: 'soft' },
    ],
    expand: ['tenant'],
    base: ({ tenantId }) => [
      tenantId ? or(eq(actionDefinitions, 'tenantId', tenantId), eq(actionDefinitions, 'tenantId', null)) : undefined,
    ],
    filters: ['actionDefinitionTypeId', 'httpMethod', 'actionDefinitionId'],
    searchDebounceMs: 250,
    // Deleting has its own panel, which first lists what uses the action.
    offers: (row) => (isBuiltIn(row) ? ['list'] : ['list', 'create', 'update']),
    actions: (row, { may }) => {
      const id = row.actionDefinitionId;
      return [
        ...(may('edit') ? [{ id: 'test', label: t.test.action, icon: 'actions' as const, run: () => show('testOf', id) }] : []),
        ...(may('delete') && !isBuiltIn(row)
          ? [{ id: 'delete', label: en.common.delete, icon: 'trash' as const, danger: true, run: () => show('deleteOf', id) }]
          : []),
      ];
    },
    impact: (row, change) => <ImpactPanel entity="actionDefinitions" id={row.actionDefinitionId} change={change} />,
    panelTop: (row) => <ActionButtons id={row.actionDefinitionId} isBuiltIn={isBuiltIn(row)} show={show} />,
    form: {
      sections: [
        { title: t.sections.action, fields: ['name', 'actionDefinitionTypeId', 'description', 'inputParameters', 'tenantId'] },
        { title: t.sections.call, fields: ['httpMethod', 'endpointUrl', 'headers', 'body'], isFor: (row) => !isBuiltIn(row) },
        {
          title: t.sections.answer,
          fields: [
            'successStatuses',
            'successText',
            'successField',
            'successValue',
            'referenceField',
            'referenceAddress',
            'lookBackAddress',
          ],
          isFor: (row) => !isBuiltIn(row),
        },
      ],
      wide: ['endpointUrl'],
      inputs: { actionDefinitionTypeId: TypeInput, endpointUrl: UrlInput, headers: HeadersInput, body: BodyInput },
      help: { inputParameters: t.inputHelp, endpointUrl: t.urlHelp, headers: t.headersHelp, body: t.bodyHelp },
    },
    tabs: { form: t.details, others: [{ id: 'history', label: t.history.tab, Body: ActionHistory }] },
  });
  const locked = (row: ActionDefinition) => (isBuiltIn(row) ? t.builtIn : undefined);
  const Component = (props: PanelProps<ExpandedRow<typeof resource, 'tenant'>>) => <GenericPanel {...props} view={view} locked={locked} />;
  return { ...view, panel: { Component, load: loadGenericPanel } };
}

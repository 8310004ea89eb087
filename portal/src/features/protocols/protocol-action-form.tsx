import { useMemo, useState } from 'react';
import { severities, workUnitStates } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { protocolTexts } from '@cloudfit/contract/messages/protocols.en.ts';
import { protocolActions as resource } from '@cloudfit/contract/resources/protocol-actions.ts';
import { RequestFailed } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { CopyId } from '../../components/chips.tsx';
import { FormFooter } from '../../components/form-footer.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import {
  isParameterValues,
  namedValues,
  parameterNames,
  readParameters,
  type ParameterValues,
} from '../../entities/executions/action-parameters.ts';
import type { FormLayout } from '../../forms/form-types.ts';
import { ParameterFields } from '../../entities/executions/parameter-fields.tsx';
import { FormFields } from '../../forms/form-fields.tsx';
import { inputs } from '../../forms/inputs.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { RowFacts } from '../../forms/row-facts.tsx';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { showFieldErrors, useResourceForm } from '../../forms/use-resource-form.ts';
import { useSave } from '../../rows/use-rows.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { ChoicesInput } from './choices-input.tsx';
import { ActionInput } from './action-input.tsx';
import { protocolActionParam } from './use-actions-of.ts';
import { nameOf, useActionChoices, type ProtocolAction } from './use-protocol-actions.ts';
import { labelOf } from '../../rows/row.ts';

const t = protocolTexts.actions;

const layoutFor = (tenantId: string | null): FormLayout<typeof resource> => ({
  sections: [
    { title: t.what, fields: ['workUnitEventTypeId', 'actionDefinitionId', 'summary', 'sequence', 'runAutomatically', 'repeatable'] },
    { title: t.timing, fields: ['wait', 'repeatEvery', 'repeatTimes', 'stopWhen'] },
    { title: t.conditions, fields: ['onlyStates', 'onlySeverities', 'hours', 'hoursScheduleId'] },
    { title: t.afterwards, fields: ['onFailure', 'onLate', 'lateAfter'] },
  ],
  wide: ['onlyStates', 'onlySeverities'],
  inputs: {
    actionDefinitionId: (props) => <ActionInput {...props} tenantId={tenantId} />,
    onlyStates: (props) => <ChoicesInput {...props} choices={workUnitStates} />,
    onlySeverities: (props) => <ChoicesInput {...props} choices={severities} />,
    hoursScheduleId: (props) => <inputs.lookup {...props} values={{ ...props.values, tenantId }} />,
  },
  requiredTexts: { workUnitEventTypeId: t.eventRequired },
  help: { sequence: t.sequenceHelp, runAutomatically: t.automaticHelp, repeatable: t.repeatableHelp },
});

interface ProtocolActionFormProps {
  protocolId: string;
  tenantId: string | null;
  row: ProtocolAction | undefined;
  onClose: () => void;
}

export function ProtocolActionForm({ protocolId, tenantId, row, onClose }: ProtocolActionFormProps) {
  const may = useMay();
  const { close } = usePanel(protocolActionParam);
  const readOnly = !may(resource.area, row ? 'edit' : 'create');
  const layout = useMemo(() => layoutFor(tenantId), [tenantId]);
  const start = row ? undefined : { protocolId };
  const state = useResourceForm({ resource, mode: row ? 'edit' : 'create', row, layout, readOnly, start });
  const { form } = state;
  const save = useSave(resource);
  const [typed, setTyped] = useState<ParameterValues>({});
  const [refusal, setRefusal] = useState<string>();

  const [actionId, event] = form.watch(['actionDefinitionId', 'workUnitEventTypeId']);
  const choices = useActionChoices(tenantId, actionId !== '' && actionId !== row?.actionDefinitionId);
  const action =
    actionId === row?.actionDefinitionId
      ? row?.actionDefinition
      : choices.data?.find((definition) => definition.actionDefinitionId === actionId);
  const names = parameterNames(action?.inputParameters);
  const rowParameters = readParameters(row?.parameters);
  const values = { ...rowParameters, ...typed };
  const isTyped = names.some((name) => name in typed && (typed[name] ?? '') !== (rowParameters[name] ?? ''));
  const isDirty = state.isDirty || isTyped;
  const dropParameters = useDraft({
    name: `protocolActions.parameters.${row?.protocolActionId ?? protocolId}`,
    typed: isTyped ? typed : undefined,
    isTyped: isParameterValues,
    restore: setTyped,
  });
  useUnsavedGuard(isDirty, protocolActionParam, () => {
    state.dropDraft();
    dropParameters();
  });

  const submit = form.handleSubmit(async (all) => {
    const parameters = JSON.stringify(namedValues(names, values));
    setRefusal(undefined);
    try {
      await save.mutateAsync({ id: row?.protocolActionId, values: { ...state.changed(all), parameters } });
      tellOfRow({ tenantId }, (row ? en.form.saved : en.form.created)(resource.label));
      close({ saved: true });
    } catch (error) {
      // A failure is only logged (PACT-014); the fields show their errors.
      console.warn(error);
      showFieldErrors(state, error);
      if (error instanceof RequestFailed) setRefusal(error.details.find((detail) => detail.target === 'parameters')?.message);
    }
  });

  const title = row ? (readOnly ? en.form.viewTitle : en.form.editTitle)(resource.label, nameOf(row)) : en.form.createTitle(resource.label);
  return (
    <SidePanel
      title={title}
      onClose={onClose}
      meta={row && <CopyId id={row.protocolActionId} label={labelOf(resource)} />}
      footer={
        <FormFooter
          formId={state.id}
          isNew={row === undefined}
          isDirty={isDirty}
          isSaving={save.isPending}
          readOnly={readOnly}
          onClose={onClose}
        />
      }
    >
      <form id={state.id} className="body" noValidate onSubmit={(event) => void submit(event)}>
        <FormFields state={state} />
        <section className="form-section" aria-label={t.parameters}>
          <h3>{t.parameters}</h3>
          <ErrorNotice text={refusal} />
          {!action && <p className="faint">{t.chooseAction}</p>}
          {action && names.length === 0 && <p className="faint">{t.noParameters}</p>}
          {action && names.length > 0 && (
            <>
              <ParameterFields
                action={action}
                values={values}
                disabled={readOnly}
                tenantId={tenantId}
                event={typeof event === 'number' ? event : undefined}
                onChange={(name, value) => setTyped((now) => ({ ...now, [name]: value }))}
              />
              <p className="faint form-note">{t.parametersHelp}</p>
            </>
          )}
        </section>
        {row && <RowFacts resource={resource} row={row} />}
      </form>
    </SidePanel>
  );
}

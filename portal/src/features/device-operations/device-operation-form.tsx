import { useEffect, useMemo, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { addCheck } from '@cloudfit/contract/calls.ts';
import { frequencyTypes } from '@cloudfit/contract/enums.ts';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { saysUpOrDown } from '@cloudfit/contract/packages/says-up-or-down.ts';
import { call } from '../../api/call.ts';
import { RequestFailed } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { CopyId } from '../../components/chips.tsx';
import { FormFooter } from '../../components/form-footer.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import type { FormValues } from '../../rows/row.ts';
import { FormFields } from '../../forms/form-fields.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { RowFacts } from '../../forms/row-facts.tsx';
import { showFieldErrors, useResourceForm } from '../../forms/use-resource-form.ts';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { useSave } from '../../rows/use-rows.ts';
import { CheckFields, type ChosenCheck } from '../../entities/check-fields.tsx';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { formResource as resource, operationLayout } from './operation-layout.tsx';
import { ParameterInputs } from './parameter-inputs.tsx';
import { definitionsOf, faultsOf, isParameterDraft, isSame, startOf, toSend, type ParameterDraft } from './parameter-values.ts';
import type { DeviceOperation, Operation } from './use-device-operations.ts';
import { overParam, useOperationPanels } from './use-operation-panels.ts';
import { labelOf } from '../../rows/row.ts';

const t = operationTexts.form;
const allFrequencies = frequencyTypes.map((type) => type.value);

export interface DeviceOfForm {
  deviceId: string;
  tenantId: string;
  operatingSystemId: number;
}

interface DeviceOperationFormProps {
  device: DeviceOfForm;
  /** Undefined for a new device operation. */
  row: DeviceOperation | undefined;
  /** Undefined for people who may not view packages. */
  operation: Operation | undefined;
  onClose: () => void;
}

/** The first values of a new device operation. Disabled, not interactive and not complete are defaults (OPR-037..039). */
const startWith = (deviceId: string, operation: Operation) => ({
  deviceId,
  operationId: operation.operationId,
  label: operation.name,
  interval: operation.defaultInterval,
  ...(operation.frequencyDefinitions.length === 1 ? { frequencyTypeId: operation.frequencyDefinitions[0] } : {}),
});

export function DeviceOperationForm({ device, row, operation, onClose }: DeviceOperationFormProps) {
  const may = useMay();
  const panels = useOperationPanels();
  const readOnly = !may(resource.area, row ? 'edit' : 'create');
  // Memoized by the joined text, because each read of the row creates a new list, and a rebuilt form would lose the focus.
  const offered = (operation?.frequencyDefinitions ?? allFrequencies).join(',');
  const layout = useMemo(() => operationLayout(offered.split(',').map(Number)), [offered]);
  const start = row || !operation ? undefined : startWith(device.deviceId, operation);
  const state = useResourceForm({ resource, mode: row ? 'edit' : 'create', row, layout, readOnly, start });
  const { form } = state;
  const save = useSave(resource);

  const definitions = operation?.parameterDefinitions ?? definitionsOf(row?.parameters ?? []);
  const startValues = startOf(definitions, row?.parameters);
  const [typed, setTyped] = useState<ParameterDraft>({});
  const [tries, setTries] = useState(0);
  const [refusal, setRefusal] = useState<string>();
  const isCheck = operation !== undefined && saysUpOrDown(operation.operationTypeId);
  const [check, setCheck] = useState<ChosenCheck | null>(null);
  const client = useQueryClient();
  const draft = { ...startValues, ...typed };
  const faults = faultsOf(definitions, draft);
  const areChanged = !isSame(startValues, draft);
  const isDirty = state.isDirty || areChanged;
  const dropParameters = useDraft({
    name: `deviceOperations.parameters.${row?.deviceOperationId ?? `${device.deviceId}.${operation?.operationId ?? ''}`}`,
    typed: areChanged ? typed : undefined,
    isTyped: isParameterDraft,
    restore: setTyped,
  });
  useUnsavedGuard(isDirty, row ? overParam.edit : overParam.create, () => {
    state.dropDraft();
    dropParameters();
  });

  useEffect(() => {
    if (tries > 0) document.getElementById(state.id)?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [tries, state.id]);

  const send = async (all: FormValues<typeof resource>) => {
    const parameters = row && !areChanged ? {} : { parameters: toSend(definitions, draft) };
    setRefusal(undefined);
    try {
      if (check && !row) {
        const { label, frequencyTypeId, interval } = { ...start, ...state.changed(all) } as Partial<DeviceOperation>;
        const operationId = operation?.operationId ?? '';
        const sent = { id: device.deviceId, operationId, label: label ?? '', frequencyTypeId, interval, ...parameters, ...check };
        await call(addCheck, sent, { creates: true });
        await Promise.all([resource.name, rules.name].map((name) => client.invalidateQueries({ queryKey: [name] })));
        tellOfRow(device, t.check.done);
        panels.saved({ isHidden: false });
        return;
      }
      const saved = await save.mutateAsync({ id: row?.deviceOperationId, values: { ...state.changed(all), ...parameters } });
      tellOfRow(saved, row ? operationTexts.updated : operationTexts.created);
      panels.saved({ isHidden: !row && !saved.enabled });
    } catch (error) {
      showFieldErrors(state, error);
      if (error instanceof RequestFailed)
        setRefusal(error.details.find((detail) => /^(?:parameters|when)/.test(detail.target ?? ''))?.message);
      toastFailure(error);
    }
  };
  const submit = form.handleSubmit((all) => (Object.keys(faults).length === 0 ? send(all) : undefined));

  return (
    <SidePanel
      title={row ? (readOnly ? t.view : t.edit)(row.label) : t.create}
      onClose={onClose}
      meta={row && <CopyId id={row.deviceOperationId} label={labelOf(resource)} />}
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
      <form
        id={state.id}
        className="body"
        noValidate
        onSubmit={(event) => {
          setTries(tries + 1);
          void submit(event);
        }}
      >
        <p className="operation-of">
          <strong>{operation?.name ?? row?.packageName}</strong>
          {operation?.package && <span className="muted">{operation.package.name}</span>}
          {operation?.description && <span className="muted">{operation.description}</span>}
        </p>
        <FormFields state={state} />
        <section className="form-section" aria-label={t.parameters}>
          <h3>{t.parameters}</h3>
          <ErrorNotice text={refusal} />
          {definitions.length === 0 && <p className="faint">{t.noParameters}</p>}
          <ParameterInputs
            definitions={definitions}
            draft={draft}
            faults={tries > 0 ? faults : {}}
            tenantId={device.tenantId}
            disabled={readOnly}
            onChange={(name, value) => setTyped((now) => ({ ...now, [name]: value }))}
          />
        </section>
        {!row && may(rules.area, 'create') && <CheckFields check={check} saysUpOrDown={isCheck} onChange={setCheck} />}
        {row && <RowFacts resource={resource} row={row} />}
      </form>
    </SidePanel>
  );
}

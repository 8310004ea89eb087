/** Runs an action once for real, and shows the result. */
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { testAction } from '@cloudfit/contract/calls.ts';
import { actionCatalogTexts } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { useMay, useTenants } from '../../api/lookups.ts';
import { refresh } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { namedValues, parameterNames, type ParameterValues } from '../../entities/executions/action-parameters.ts';
import { ParameterFields } from '../../entities/executions/parameter-fields.tsx';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { useScope } from '../../rows/use-scope.ts';
import { PanelOfAction } from './panel-of-action.tsx';
import { Preview } from './test-preview.tsx';
import { SubjectInput } from './test-subject.tsx';
import { TestOutcome } from './test-outcome.tsx';
import type { ActionDefinition } from './use-action.ts';
import { subjectOf, useTestPreview, type TestSubjectChoice } from './use-test-subjects.ts';

const t = actionCatalogTexts.test;
const previewDebounceMs = 250;

function TenantField({ value, onChange }: { value: string | null; onChange: (tenantId: string) => void }) {
  const { data: tenants = [] } = useTenants();
  return (
    <Field label={t.tenant} required>
      {(aria) => (
        <Select
          {...aria}
          value={value ?? ''}
          choices={tenants.map((tenant) => ({ value: tenant.tenantId, label: tenant.name }))}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

function Test({ action, onClose }: { action: ActionDefinition; onClose: () => void }) {
  const scope = useScope();
  const mayRun = useMay()('ActionDefinitions', 'edit');
  const [tenantId, setTenantId] = useState(action.tenantId ?? scope.tenantId);
  const [values, setValues] = useState<ParameterValues>({});
  const [subject, setSubject] = useState<TestSubjectChoice>({ kind: 'example', choice: null });
  // An action of a tenant always runs for that tenant.
  const of = subjectOf(action.tenantId === null ? tenantId : null, subject);
  const test = useMutation({
    mutationFn: (body: ParameterValues) => call(testAction, { ...of, ...body, id: action.actionDefinitionId }),
    onSuccess: () => refresh([actionHistories.name]),
    onError: (error) => toastFailure(error, t.failed),
  });
  const names = parameterNames(action.inputParameters);
  const body = namedValues(names, values);
  const settled = useDebounced(JSON.stringify(body), previewDebounceMs);
  const preview = useTestPreview(action.actionDefinitionId, of, JSON.parse(settled) as ParameterValues, mayRun && tenantId !== null);
  return (
    <SidePanel
      title={t.titleOf(action.name)}
      onClose={onClose}
      footer={
        <>
          {mayRun && (
            <Button look="primary" icon="actions" type="submit" form="action-test" disabled={test.isPending || of === undefined}>
              {test.isPending ? t.running : test.data ? t.again : t.run}
            </Button>
          )}
          <Button onClick={onClose}>{en.common.close}</Button>
          <span className="grow" />
          {!mayRun && <span className="faint">{en.form.noRight}</span>}
        </>
      }
    >
      <div className="body">
        <form
          id="action-test"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (of !== undefined) test.mutate(body);
          }}
        >
          <p className="notice">{t.notice}</p>
          {action.tenantId === null && (
            <div className="form-grid test-tenant">
              <TenantField
                value={tenantId}
                onChange={(next) => {
                  setTenantId(next);
                  setSubject({ kind: subject.kind, choice: null });
                }}
              />
            </div>
          )}
          <section className="form-section" aria-label={t.subject.title}>
            <h3>{t.subject.title}</h3>
            <SubjectInput key={tenantId} tenantId={tenantId} value={subject} disabled={!mayRun} onChange={setSubject} />
          </section>
          <section className="form-section" aria-label={t.parameters}>
            <h3>{t.parameters}</h3>
            {names.length === 0 && <p className="faint">{t.noParameters}</p>}
            <ParameterFields
              action={action}
              values={values}
              disabled={!mayRun}
              tenantId={tenantId}
              onChange={(name, value) => setValues((now) => ({ ...now, [name]: value }))}
            />
          </section>
        </form>
        {mayRun && <Preview data={preview.data} error={preview.error} isMissing={of === undefined} />}
        <ErrorNotice text={test.error && failureText(test.error)} />
        {test.data && <TestOutcome messageId={test.data.id} />}
      </div>
    </SidePanel>
  );
}

export function TestPanel({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <PanelOfAction id={id} onClose={onClose}>
      {(action) => <Test action={action} onClose={onClose} />}
    </PanelOfAction>
  );
}

/** Edits a tenant: its details, its additional fields and an unsaved secret, across tabs. */
import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { RequestFailed } from '../../api/client.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import type { FormLayout } from '../../forms/form-types.ts';
import type { FormValues } from '../../rows/row.ts';
import { keyOf } from '../../rows/row.ts';
import { useTabAddress } from '../../hooks/use-tab-address.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { showFieldErrors, useResourceForm } from '../../forms/use-resource-form.ts';
import { useSave } from '../../rows/use-rows.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { customFieldChanges, customFieldProblems, customFieldsOf, type CustomField, type FieldProblems } from './custom-fields.rules.ts';
import { isTouched, noSecret } from './use-secrets.ts';
import { renewTenants, type Tenant } from './toggle-tenant.ts';

// Without `enabled`, which a separate action toggles.
const layout: FormLayout<typeof tenants> = {
  sections: [{ fields: ['name', 'internalNotificationEmailAddress', 'assignmentGroups', 'changesNeedApproval', 'onlyTrustedPublishers'] }],
  wide: ['assignmentGroups'],
};

const tabNames = ['details', 'fields', 'secrets', 'rules', 'offboarding'] as const;
type Tab = (typeof tabNames)[number];

function useTab(isStored: boolean) {
  const [named, choose] = useTabAddress('details');
  const tab: Tab = tabNames.find((name) => name === named && (isStored || name === 'details' || name === 'fields')) ?? 'details';
  return { tab, choose };
}

/** Maps the server's messages about columns to the rows of the form. */
function refusedFields(error: unknown, fields: readonly CustomField[]): Record<string, FieldProblems> {
  const details = error instanceof RequestFailed ? error.details : [];
  return Object.fromEntries(
    fields.flatMap(({ key, slot }) => {
      const message = details.find((detail) => detail.target === `workUnitFieldDef${slot}`)?.message;
      return message ? [[key, { name: message }]] : [];
    }),
  );
}

export function useTenantEditing(row: Tenant | undefined, readOnly: boolean) {
  const { close } = usePanel();
  const { tab, choose } = useTab(row !== undefined);
  const state = useResourceForm({ resource: tenants, mode: row ? 'edit' : 'create', row, layout, readOnly });
  const [typed, setTyped] = useState<readonly CustomField[]>();
  const [secret, setSecret] = useState(noSecret);
  const [isTried, setTried] = useState(false);
  const [refused, setRefused] = useState<Record<string, FieldProblems>>({});
  const save = useSave(tenants);
  // Until the person edits the custom fields, they follow the saved tenant.
  const fields = typed ?? customFieldsOf(row);
  const problems = customFieldProblems(fields);
  const changes = customFieldChanges(row, fields);
  const hasChanges = Object.keys(changes).length > 0 || (typed !== undefined && Object.keys(problems).length > 0);
  const isDirty = state.isDirty || hasChanges;
  useUnsavedGuard(isDirty || isTouched(secret), 'id', state.dropDraft);

  const send = async (values: FormValues<typeof tenants>) => {
    try {
      await save.mutateAsync({ id: row && keyOf(tenants, row), values: { ...state.changed(values), ...changes } });
      toast.success((row ? en.form.saved : en.form.created)(tenants.label));
      void renewTenants();
      close({ saved: true });
    } catch (error) {
      const refusals = refusedFields(error, fields);
      setRefused(refusals);
      if (showFieldErrors(state, error)) choose('details');
      else if (Object.keys(refusals).length > 0) choose('fields');
      toastFailure(error, t.saveFailed);
    }
  };
  const submit = state.form.handleSubmit(
    (values) => {
      setTried(true);
      if (Object.keys(problems).length > 0) choose('fields');
      else return send(values);
      return undefined;
    },
    () => {
      setTried(true);
      choose('details');
    },
  );
  return {
    tab,
    choose,
    state,
    fields,
    /** The custom fields that differ from the saved ones. */
    changedFields: Object.keys(changes),
    changeFields: (next: readonly CustomField[]) => {
      setRefused({});
      setTyped(next);
    },
    problems: isTried ? { ...refused, ...problems } : {},
    secret,
    setSecret,
    isDirty,
    isSaving: save.isPending,
    submit,
  };
}

/** State of a call: its form, its draft, and the work unit that it becomes. */
import { useMemo, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { severityOfScope } from '@cloudfit/contract/enums.ts';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { RowInput } from '@cloudfit/contract/resource.ts';
import { useFormId } from '../../api/client.ts';
import { createRow } from '../../api/row-calls.ts';
import { refresh } from '../../calls/command.ts';
import { useContextNow } from '../../api/context.ts';
import { hideTitle } from '../../api/intake-settings.ts';
import { rememberTenant } from '../../api/known-tenants.ts';
import { useTenants } from '../../api/lookups.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { showFieldErrors, useResourceForm, type ResourceFormState } from '../../forms/use-resource-form.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import type { IntakeDraft, Drafts } from './drafts.ts';
import { blankIntake, intakeLayout, isBlank, workUnitOf, type IntakeValues } from './intake-form.ts';
import { intakeDeclaration, type IntakeDeclaration, type IntakeMode } from './intake-declaration.ts';

export interface Intake {
  state: ResourceFormState<IntakeDeclaration>;
  mode: IntakeMode;
  setSpam: (isSpam: boolean) => void;
  /** When the draft of the call was last saved, in epoch milliseconds. */
  savedAt: number | undefined;
  isSubmitting: boolean;
  submit: () => void;
  saveDraft: () => void;
}

export function useIntake(drafts: Drafts, draft: IntakeDraft | undefined): Intake {
  const navigate = useNavigate();
  const setAddress = useAddress();
  const { tenantId: inAddress } = useParams();
  const { tenantId: homeTenant } = useContextNow(inAddress);
  const { data: tenants } = useTenants();
  const hidesTitle = hideTitle.use();
  const [start] = useState<IntakeValues>(() => ({ ...blankIntake, ...draft?.values }));
  const [isSpam, setIsSpam] = useState(start.isSpamCall === true);
  const [savedAt, setSavedAt] = useState(draft?.at);
  const mode = useMemo<IntakeMode>(() => ({ isSpam, hidesTitle }), [isSpam, hidesTitle]);
  const resource = useMemo(() => intakeDeclaration(mode), [mode]);
  const layout = useMemo(() => intakeLayout(mode), [mode]);
  const state = useResourceForm({ resource, mode: 'create', row: undefined, layout, start });
  const { form } = state;
  const formId = useFormId();
  const [isSubmitting, setSubmitting] = useState(false);
  useUnsavedGuard(state.isDirty, 'intake', state.dropDraft);
  // Re-renders the form when the tenant changes, because the choices of other fields depend on the tenant.
  form.watch('tenantId');

  const question = (values: IntakeValues) => {
    if (isSpam) return t.confirmSpam(String(values.stakeHolderPhoneNumber).trim());
    const tenant = tenants?.find((tenant) => tenant.tenantId === values.tenantId)?.name ?? '';
    return t.confirmText(String(workUnitOf(values, mode, null).title), tenant, severityOfScope(String(values.scope)));
  };

  const submit = form.handleSubmit(
    async () => {
      const values = form.getValues();
      const answer = await confirm({ title: t.confirmTitle, text: question(values), yes: t.submit, no: t.keepEditing });
      if (!answer.yes) return;
      setSubmitting(true);
      try {
        // The form has validated the values.
        const created = await createRow(workUnits, workUnitOf(values, mode, homeTenant) as RowInput<typeof workUnits>, { form: formId });
        // At once: a draft that is still there would create the unit again.
        if (draft) drafts.remove(draft.index);
        void refresh([workUnits.name]);
        if (values.tenantId) rememberTenant(String(values.tenantId));
        const address = `/${created.tenantId}/workunitsv2?workUnitId=${created.workUnitId}`;
        toast.success(t.created, { action: { label: t.view, href: address, run: () => void navigate(address) } });
        void navigate(address, { state: { saved: true } });
      } catch (error) {
        showFieldErrors(state, error);
        toastFailure(error, t.failed);
      } finally {
        setSubmitting(false);
      }
    },
    () => {
      if (isBlank(form.getValues())) toast.error(t.noValues);
    },
  );

  const saveDraft = () => {
    const values = form.getValues();
    if (isBlank(values)) {
      toast.error(t.noValues);
      return;
    }
    const index = drafts.save(values, draft?.index);
    if (index === undefined) {
      toast.error(t.tooManyDrafts);
      return;
    }
    setSavedAt(Date.now());
    form.reset(values, { keepErrors: true, keepTouched: true });
    toast.success(t.draftSaved);
    setAddress(
      (next) => {
        next.set('intake', String(index));
        return undefined;
      },
      { replace: true, saved: true },
    );
  };

  return {
    state,
    mode,
    setSpam: (value) => {
      setIsSpam(value);
      state.fields.setValue('isSpamCall', value, { shouldDirty: true });
      form.clearErrors();
    },
    savedAt,
    isSubmitting,
    submit: () => void submit(),
    saveDraft,
  };
}

/** Creates a request in the tenant of the address, else in the person's own or only tenant, else in a chosen one (RC-030). */
import { useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { useParams } from 'react-router';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { createRequest } from '@cloudfit/contract/calls.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { call } from '../../api/call.ts';
import { useFormId } from '../../api/client.ts';
import { useCurrentUser, useTenants } from '../../api/lookups.ts';
import { refresh } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { Skeleton } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { FormFields } from '../../forms/form-fields.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { showFieldErrors, useResourceForm } from '../../forms/use-resource-form.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { requestLayout } from './request-form.ts';
import { requestDeclaration } from './request-declaration.ts';
import { requests } from './requests.ts';

const t = resolutionCenterEn.request;

interface FormProps {
  tenantId: string | null;
  /** The element in which the buttons are rendered. */
  footer: HTMLElement | null;
  onClose: () => void;
}

function RequestForm({ tenantId, footer, onClose }: FormProps) {
  const setAddress = useAddress();
  const formId = useFormId();
  const asksTenant = tenantId === null;
  const layout = useMemo(() => requestLayout(asksTenant), [asksTenant]);
  const start = { tenantId: tenantId ?? '' };
  const state = useResourceForm({ resource: requestDeclaration, mode: 'create', row: undefined, layout, start });
  const { form } = state;
  const { isSubmitting } = form.formState;
  // Re-renders the form when the service or the tenant changes, because the choices of other fields depend on them.
  form.watch(['workUnitCategoryId', 'tenantId']);
  useUnsavedGuard(state.isDirty, 'workUnitId', state.dropDraft);

  const submit = form.handleSubmit(async (values) => {
    try {
      // The form has validated the values.
      const { workUnitId } = await call(createRequest, values as CallInput<typeof createRequest>, { form: formId });
      await refresh([requests.name]);
      toast.success(t.created);
      setAddress(
        (params) => {
          params.set('workUnitId', String(workUnitId));
          return undefined;
        },
        { replace: true, saved: true },
      );
    } catch (error) {
      showFieldErrors(state, error);
      toastFailure(error, t.failed);
    }
  });

  return (
    <form id={state.id} noValidate onSubmit={(event) => void submit(event)}>
      <FormFields state={state} />
      {footer &&
        createPortal(
          <>
            <Button look="primary" type="submit" form={state.id} disabled={isSubmitting}>
              {isSubmitting ? en.common.saving : t.submit}
            </Button>
            <Button onClick={onClose}>{en.common.cancel}</Button>
          </>,
          footer,
        )}
    </form>
  );
}

export function RequestCreate({ onClose }: { onClose: () => void }) {
  const { tenantId: inAddress } = useParams();
  const { data: user } = useCurrentUser();
  const { data: tenants } = useTenants();
  const [footer, setFooter] = useState<HTMLElement | null>(null);
  const only = tenants?.length === 1 ? tenants[0]?.tenantId : undefined;
  const isKnown = user !== undefined && tenants !== undefined;
  return (
    <SidePanel title={t.create} onClose={onClose} footer={<div ref={setFooter} className="row" />}>
      <div className="body">
        {isKnown ? (
          <RequestForm tenantId={inAddress ?? user.tenantId ?? only ?? null} footer={footer} onClose={onClose} />
        ) : (
          <Skeleton width="60%" />
        )}
      </div>
    </SidePanel>
  );
}

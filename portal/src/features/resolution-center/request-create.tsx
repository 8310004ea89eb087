/** Creates a request in the tenant of the address, else in the only one, else in a chosen one: at first that of the person (RC-030). */
import { useMemo, useState } from 'react';
import { useParams } from 'react-router';
import { createRequest } from '@cloudfit/contract/calls.ts';
import { resolutionCenterEn } from '@cloudfit/contract/messages/resolution-center.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { call } from '../../api/call.ts';
import { useCurrentUser, useTenants } from '../../api/lookups.ts';
import { ActionForm } from '../../calls/action-form.tsx';
import { Loaded } from '../../calls/loaded.tsx';
import { useActionForm } from '../../calls/use-action-form.ts';
import { Button } from '../../components/button.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { toast } from '../../components/toasts.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { HelpedContext } from './title-input.tsx';
import { requestFields } from './request-declaration.ts';
import { RequestFiles, sendRequestFiles } from './request-files.tsx';
import { requestLayout } from './request-form.ts';
import { requests } from './requests.ts';

const t = resolutionCenterEn.request;

interface RequestFormProps {
  /** The only tenant that the request can be of; undefined if the person chooses, at first `chosen`. */
  only: string | undefined;
  chosen?: string | null;
  onClose: () => void;
}

function RequestForm({ only, chosen, onClose }: RequestFormProps) {
  const initial = only ?? chosen ?? '';
  const setAddress = useAddress();
  const [files, setFiles] = useState<readonly File[]>([]);
  // A hidden field is not among the values.
  const { isBusy, ...form } = useActionForm(
    async (values, once) => {
      const request = await call(createRequest, { ...values, tenantId: only ?? values.tenantId }, once);
      await sendRequestFiles(request.workUnitId, files);
      return request;
    },
    {
      draft: `request.${only ?? ''}`,
      fields: useMemo(() => requestFields(initial), [initial]),
      layout: useMemo(() => requestLayout(only === undefined), [only]),
      failed: t.failed,
      onDone: ({ workUnitId }) => {
        toast.success(t.created);
        setAddress(
          (params) => {
            params.set('workUnitId', String(workUnitId));
            return undefined;
          },
          { replace: true, saved: true },
        );
      },
      refreshes: [requests.name],
    },
  );
  useUnsavedGuard(form.state.isDirty, 'workUnitId', form.state.dropDraft);
  const panel = usePanel('workUnitId');
  const { dropDraft } = form.state;
  // What was typed is answered, so nobody asks whether to discard it.
  const helped = () => {
    dropDraft();
    panel.close({ saved: true });
  };
  return (
    <SidePanel
      title={t.create}
      onClose={onClose}
      footer={
        <>
          <Button look="primary" type="submit" form={form.state.id} disabled={isBusy}>
            {isBusy ? en.common.saving : t.submit}
          </Button>
          <Button onClick={onClose}>{en.common.cancel}</Button>
        </>
      }
    >
      <div className="body">
        <HelpedContext value={helped}>
          <ActionForm {...form} />
        </HelpedContext>
        <RequestFiles files={files} onChange={setFiles} />
      </div>
    </SidePanel>
  );
}

export function RequestCreate({ onClose }: { onClose: () => void }) {
  const { tenantId: inAddress } = useParams();
  const [user, tenants] = [useCurrentUser(), useTenants()];
  if (!user.data || !tenants.data) {
    const missing = user.data ? tenants : user;
    // The shell has requested both before; only a failure is worth a panel of its own.
    if (!missing.error) return null;
    return (
      <SidePanel title={t.create} onClose={onClose}>
        <div className="body">
          <Loaded query={missing}>{() => null}</Loaded>
        </div>
      </SidePanel>
    );
  }
  const only = tenants.data.length === 1 ? tenants.data[0]?.tenantId : undefined;
  return <RequestForm only={inAddress ?? only} chosen={user.data.tenantId} onClose={onClose} />;
}

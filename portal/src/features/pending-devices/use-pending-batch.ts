/** Promotes and deletes several pending devices at once, after a question (PEND-011..015). */
import { useIsMutating, useMutation } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { deletePending, promotePending } from '@cloudfit/contract/calls.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { pendingTexts as t } from '@cloudfit/contract/messages/pending-devices.en.ts';
import { call } from '../../api/call.ts';
import { useContextNow } from '../../api/context.ts';
import { useMay } from '../../api/lookups.ts';
import { refresh } from '../../calls/command.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { clearSelection } from '../../hooks/use-selection.ts';
import { useScope } from '../../rows/use-scope.ts';

export interface Subscription {
  subscriptionId: string;
  name: string;
}

const promoteKey = [pendingDevices.name, 'promote'];

export interface PendingBatch {
  mayPromote: boolean;
  mayDelete: boolean;
  /** Whether a promotion that this page started is running. */
  isPromoting: boolean;
  isBusy: boolean;
  /**
   * `promote` and `remove` return whether they succeeded. `promote` uses the current subscription unless `to` names another.
   */
  promote: (ids: readonly string[], to?: Subscription) => Promise<boolean>;
  remove: (ids: readonly string[]) => Promise<boolean>;
}

export function usePendingBatch(): PendingBatch {
  const navigate = useNavigate();
  const may = useMay();
  const { tenantId } = useScope();
  const { subscriptionId, subscriptionName } = useContextNow(tenantId ?? undefined);
  const isPromoting = useIsMutating({ mutationKey: promoteKey }) > 0;
  const settle = {
    onError: (error: Error) => toastFailure(error),
    onSettled: () => refresh([pendingDevices.name, devices.name]),
  };
  /** The link in the message after a promotion: to the new device, or to the list of devices if there are several. */
  const toDevices = ({ value }: CallOutput<typeof promotePending>) => {
    const href = `/${tenantId}/devices${value.length === 1 ? `?id=${value[0]?.deviceId}` : ''}`;
    return { label: value.length === 1 ? t.openDevice : t.viewDevices, href, run: () => void navigate(href) };
  };
  const promotion = useMutation({
    mutationKey: promoteKey,
    mutationFn: ({ ids, to }: { ids: readonly string[]; to: string | null }) =>
      call(promotePending, { items: [...ids], subscriptionId: to ?? undefined }),
    onSuccess: (answer, { ids }) => {
      clearSelection(pendingDevices.name);
      toast.success(t.promoted(ids.length), tenantId && may('Devices', 'view') ? { action: toDevices(answer) } : {});
    },
    ...settle,
  });
  const deletion = useMutation({
    mutationFn: ({ ids }: { ids: readonly string[] }) => call(deletePending, { items: [...ids] }),
    onSuccess: (_answer, { ids }) => {
      clearSelection(pendingDevices.name);
      toast.success(t.deleted(ids.length));
    },
    ...settle,
  });

  const promote = async (ids: readonly string[], to?: Subscription) => {
    const { yes } = await confirm({
      title: t.promoteTitle(ids.length, to?.name ?? subscriptionName),
      text: to ? t.promoteToQuestion(to.name) : t.promoteQuestion,
      yes: t.promote,
      no: en.common.cancel,
    });
    return yes && promotion.mutateAsync({ ids, to: to?.subscriptionId ?? subscriptionId }).then(...outcome);
  };
  const remove = async (ids: readonly string[]) => {
    const { yes } = await confirm({
      title: t.deleteTitle(ids.length),
      text: t.deleteQuestion,
      yes: en.common.delete,
      no: en.common.cancel,
      danger: true,
    });
    return yes && deletion.mutateAsync({ ids }).then(...outcome);
  };
  return {
    mayPromote: may('PendingDevices', 'edit') && may('Devices', 'create'),
    mayDelete: may('PendingDevices', 'delete'),
    isPromoting,
    isBusy: isPromoting || deletion.isPending,
    promote,
    remove,
  };
}

const outcome = [() => true, () => false] as const;

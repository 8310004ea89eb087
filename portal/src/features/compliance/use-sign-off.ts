/** The sign-off of a week, which freezes it, and opening the week again. */
import { useMutation } from '@tanstack/react-query';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { signOffTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { complianceSignOffs } from '@cloudfit/contract/resources/compliance.ts';
import { callJson } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useList } from '../../rows/use-rows.ts';

const renew = () => queryClient.invalidateQueries({ queryKey: [complianceSignOffs.name] });

/** `signed` is undefined while it loads, and null while the week is open. */
export function useSignOff(setId: string, tenantId: string, monday: string) {
  const filter = and(
    eq(complianceSignOffs, 'controlSetId', setId),
    eq(complianceSignOffs, 'tenantId', tenantId),
    eq(complianceSignOffs, 'checkDate', monday),
    eq(complianceSignOffs, 'reopenedOn', null),
  );
  const { data, isPlaceholderData } = useList(complianceSignOffs, { filter, top: 1 }, { enabled: setId !== '' && tenantId !== '' });
  const sign = useMutation({
    mutationFn: (note: string) =>
      callJson(`/v1/controlsets(${setId})/SignOff`, { method: 'POST', body: { tenantId, week: monday, note }, quiet: true }),
    onSuccess: () => toast.success(t.done),
    onError: (error) => toastFailure(error, t.failed),
    onSettled: renew,
  });
  const reopen = useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) =>
      callJson(`/v1/compliancesignoffs(${id})/Reopen`, { method: 'POST', body: { reason }, quiet: true }),
    onSuccess: () => toast.success(t.reopened),
    onError: (error) => toastFailure(error, t.reopenFailed),
    onSettled: renew,
  });
  return { signed: isPlaceholderData || !data ? undefined : (data.rows[0] ?? null), sign, reopen };
}

export type SignOff = ReturnType<typeof useSignOff>;

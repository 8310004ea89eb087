/** Runs a finished execution once more. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { activityTexts as t } from '@cloudfit/contract/messages/activity.en.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { callJson } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';

export function ReplayButton({ actionHistoryId, name }: { actionHistoryId: number; name: string }) {
  const client = useQueryClient();
  const mayEdit = useMay()('ActionDefinitions', 'edit');
  const { mutateAsync, isPending } = useMutation({
    mutationFn: () => callJson<{ id: string }>(`/v1/actionHistories/${actionHistoryId}/replay`, { method: 'POST' }),
    onSettled: () => client.invalidateQueries({ queryKey: [actionHistories.name] }),
  });
  const replay = async () => {
    const { yes } = await confirm({ title: t.replayTitle, text: t.replayQuestion(name), yes: t.replay });
    if (!yes) return;
    try {
      await mutateAsync();
      toast.success(t.replayed(name));
    } catch (error) {
      toastFailure(error, t.replayFailed);
    }
  };
  if (!mayEdit) return null;
  return (
    <Button small icon="refresh" aria-label={t.replayOf(name)} disabled={isPending} onClick={() => void replay()}>
      {t.replay}
    </Button>
  );
}

/** Retries a waiting execution now, or stops it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { executionTexts as t } from '@cloudfit/contract/messages/executions.en.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { actionTries } from '@cloudfit/contract/resources/action-tries.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callJson } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { NextTry } from './next-try.tsx';

interface TryButtonsProps {
  actionHistoryId: number;
  /** The display name. */
  name: string;
  /** The time of the next try; null while the mail of the execution waits for a mail server. */
  nextTry: string | null;
  mayEdit: boolean;
}

export function TryButtons({ actionHistoryId, name, nextTry, mayEdit }: TryButtonsProps) {
  const client = useQueryClient();
  const { mutateAsync, isPending } = useMutation({
    mutationFn: (what: 'tryNow' | 'stop') =>
      callJson<{ isUnderWay: boolean }>(`/v1/actionHistories/${actionHistoryId}/${what}`, { method: 'POST' }),
    onSettled: () =>
      Promise.all([actionHistories, actionTries, workUnits].map((one) => client.invalidateQueries({ queryKey: [one.name] }))),
  });
  const tryNow = async () => {
    try {
      const { isUnderWay } = await mutateAsync('tryNow');
      toast.info(isUnderWay ? t.underWay(name) : t.trying(name));
    } catch (error) {
      toastFailure(error, t.tryFailed);
    }
  };
  const stop = async () => {
    const { yes } = await confirm({ title: t.stopTitle, text: t.stopQuestion(name), yes: t.stop, danger: true });
    if (!yes) return;
    try {
      const { isUnderWay } = await mutateAsync('stop');
      if (isUnderWay) toast.warning(t.stoppedUnderWay(name));
      else toast.success(t.stopped(name));
    } catch (error) {
      toastFailure(error, t.stopFailed);
    }
  };
  return (
    <div className="row try-buttons">
      {nextTry && <NextTry at={nextTry} />}
      {mayEdit && nextTry && (
        <Button small icon="refresh" aria-label={t.tryNowOf(name)} disabled={isPending} onClick={() => void tryNow()}>
          {t.tryNow}
        </Button>
      )}
      {mayEdit && (
        <Button small aria-label={t.stopOf(name)} disabled={isPending} onClick={() => void stop()}>
          {t.stop}
        </Button>
      )}
    </div>
  );
}

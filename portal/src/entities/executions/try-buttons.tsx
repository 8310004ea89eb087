/** Retries a waiting execution now, or stops it. */
import { stopExecution, tryExecutionNow } from '@cloudfit/contract/calls.ts';
import { executionTexts as t } from '@cloudfit/contract/messages/executions.en.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { actionTries } from '@cloudfit/contract/resources/action-tries.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../api/call.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toasts.tsx';
import { NextTry } from './next-try.tsx';

const refreshes = [actionHistories.name, actionTries.name, workUnits.name];

interface TryButtonsProps {
  actionHistoryId: number;
  /** The display name. */
  name: string;
  /** The time of the next try; null while the mail of the execution waits for a mail server. */
  nextTry: string | null;
  mayEdit: boolean;
}

export function TryButtons({ actionHistoryId, name, nextTry, mayEdit }: TryButtonsProps) {
  const tryNow = useCommand((id: number) => call(tryExecutionNow, { id }), { failed: t.tryFailed, refreshes });
  const stop = useCommand((id: number) => call(stopExecution, { id }), {
    confirm: () => ({ title: t.stopTitle, text: t.stopQuestion(name), yes: t.stop, danger: true }),
    failed: t.stopFailed,
    refreshes,
  });
  const isBusy = tryNow.isBusy || stop.isBusy;
  const runNow = async () => {
    const done = await tryNow.run(actionHistoryId);
    if (done) toast.info(done.answer.isUnderWay ? t.underWay(name) : t.trying(name));
  };
  const runStop = async () => {
    const done = await stop.run(actionHistoryId);
    if (done?.answer.isUnderWay) toast.warning(t.stoppedUnderWay(name));
    else if (done) toast.success(t.stopped(name));
  };
  return (
    <div className="row try-buttons">
      {nextTry && <NextTry at={nextTry} />}
      {mayEdit && nextTry && (
        <Button small icon="refresh" aria-label={t.tryNowOf(name)} disabled={isBusy} onClick={() => void runNow()}>
          {t.tryNow}
        </Button>
      )}
      {mayEdit && (
        <Button small aria-label={t.stopOf(name)} disabled={isBusy} onClick={() => void runStop()}>
          {t.stop}
        </Button>
      )}
    </div>
  );
}

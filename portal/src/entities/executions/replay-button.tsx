/** Runs a finished execution once more. */
import { replayExecution } from '@cloudfit/contract/calls.ts';
import { activityTexts as t } from '@cloudfit/contract/messages/activity.en.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';

export function ReplayButton({ actionHistoryId, name }: { actionHistoryId: number; name: string }) {
  const mayEdit = useMay()('ActionDefinitions', 'edit');
  const replay = useCommand((id: number) => call(replayExecution, { id }), {
    confirm: () => ({ title: t.replayTitle, text: t.replayQuestion(name), yes: t.replay }),
    done: () => t.replayed(name),
    failed: t.replayFailed,
    refreshes: [actionHistories.name],
  });
  if (!mayEdit) return null;
  return (
    <Button small icon="refresh" aria-label={t.replayOf(name)} disabled={replay.isBusy} onClick={() => void replay.run(actionHistoryId)}>
      {t.replay}
    </Button>
  );
}

import { useState } from 'react';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { Button } from '../../../components/button.tsx';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { EmailPreviewDialog } from '../feed/email-preview.tsx';
import { headingOf, useTrigger, type Parameters, type PendingAction } from './use-pending-actions.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const t = workUnitPanelTexts.pending;
const noteMax = 2_000;

interface PendingButtonsProps {
  unit: PanelWorkUnit;
  action: PendingAction;
  /** The person's changes to the action's parameters. */
  parameters: Parameters;
  /** The error of the latest try; null after a success. */
  onOutcome: (failure: Error | null) => void;
}

/** The buttons of an action: Run and Reject while it is pending, else Replay if it may run. A mail can be previewed first. */
export function PendingButtons({ unit, action, parameters, onOutcome }: PendingButtonsProps) {
  const trigger = useTrigger(unit.workUnitId);
  const [previewing, setPreviewing] = useState(false);
  const heading = headingOf(action);
  const { name, status, mayRun, repeatable } = action;
  const isRunning = trigger.isPending || status === 'running';
  const isFirst = status === 'waiting' || (status === 'running' && !repeatable);

  const ask = async (reject: boolean) => {
    const number = unit.publicWorkUnitId;
    const answer = await confirm({
      title: reject ? t.rejectTitle : isFirst ? t.runTitle : t.replayTitle,
      text: reject ? t.rejectQuestion(heading, number, repeatable) : t.runQuestion(heading, number),
      yes: reject ? t.reject : isFirst ? t.run : t.replay,
      no: en.common.cancel,
      danger: reject,
      inputLabel: t.note,
      inputOptional: true,
      inputMax: noteMax,
    });
    if (!answer.yes) return;
    try {
      onOutcome(null);
      await trigger.mutateAsync({ action, parameters, reject, note: answer.input });
      tellOfRow(unit, reject ? t.rejected(heading) : t.started(heading));
    } catch (error) {
      onOutcome(error instanceof Error ? error : null);
      toastFailure(error, t.triggerFailed(name));
    }
  };

  const isMail = action.actionDefinitionId === builtInAction.email;
  if (!mayRun && !isRunning) return null;
  return (
    <div className="row pending-buttons">
      <Button
        small
        look={isFirst ? 'primary' : 'plain'}
        icon={isFirst ? 'actions' : 'refresh'}
        aria-label={isFirst ? t.runOf(heading) : t.replayOf(heading)}
        disabled={isRunning}
        onClick={() => void ask(false)}
      >
        {isFirst ? t.run : t.replay}
      </Button>
      {isFirst && (
        <Button small aria-label={t.rejectOf(heading)} disabled={isRunning} onClick={() => void ask(true)}>
          {t.reject}
        </Button>
      )}
      {isMail && (
        <Button small look="quiet" aria-label={t.previewOf(heading)} disabled={isRunning} onClick={() => setPreviewing(true)}>
          {t.preview}
        </Button>
      )}
      <span className="muted" role="status">
        {isRunning && t.running}
      </span>
      {previewing && <EmailPreviewDialog unit={unit} action={action} parameters={parameters} onClose={() => setPreviewing(false)} />}
    </div>
  );
}

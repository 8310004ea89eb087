/** What is to come in the timeline of a unit: actions that wait for a person, with Run and Reject, and steps with their times. */
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { situationTexts as t } from '@cloudfit/contract/messages/work-unit-situation.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { useMay } from '../../../api/lookups.ts';
import { Icon } from '../../../components/icon.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { exactTime } from '../../../theme/times.ts';
import { useList } from '../../../rows/use-rows.ts';
import { stepsToComeQuery } from '../panel/notifications-query.ts';
import { useUnitTab } from '../panel/unit-tabs.tsx';
import { PendingButtons } from '../pending-actions/pending-buttons.tsx';
import { headingOf, usePendingActions, type PendingAction } from '../pending-actions/use-pending-actions.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const noParameters = {};
const noOutcome = () => undefined;

/** An action with the parameters of its protocol; the tab of the actions lets a person change these first. */
function WaitingAction({ unit, action, mayEdit }: { unit: PanelWorkUnit; action: PendingAction; mayEdit: boolean }) {
  return (
    <li className="entry to-come">
      <span className="avatar">
        <Icon name="actions" />
      </span>
      <span>
        <b>{headingOf(action)}</b> {t.waitsForPerson}
        {mayEdit && <PendingButtons unit={unit} action={action} parameters={noParameters} onOutcome={noOutcome} />}
      </span>
    </li>
  );
}

function WaitingStep({ step }: { step: Row<typeof plannedSteps> }) {
  return (
    <li className="entry to-come">
      <span className="avatar">
        <Icon name="pending" />
      </span>
      <span>
        <b>{step.name}</b> {workUnitPanelTexts.notified.next(exactTime(step.due), step.runsLeft)}
      </span>
      <span className="entry-end">
        <RelativeTime value={step.due} />
      </span>
    </li>
  );
}

/** Nothing while another tab is open: that of the actions has the same buttons. */
export function ToCome({ unit }: { unit: PanelWorkUnit }) {
  const [tab] = useUnitTab();
  const mayEdit = useMay()('WorkUnits', 'edit');
  const { data: pending } = usePendingActions(unit.workUnitId);
  const { data: steps } = useList(plannedSteps, stepsToComeQuery(unit.workUnitId), { together: true });
  const actions = pending?.value?.filter(({ status }) => status === 'waiting') ?? [];
  if (tab !== 'form') return null;
  if (actions.length === 0 && (steps?.rows.length ?? 0) === 0) return null;
  return (
    <ol className="steps-to-come" aria-label={t.toCome}>
      {steps?.rows.toReversed().map((step) => (
        <WaitingStep key={step.plannedStepId} step={step} />
      ))}
      {actions.map((action) => (
        <WaitingAction key={action.protocolActionId} unit={unit} action={action} mayEdit={mayEdit} />
      ))}
    </ol>
  );
}

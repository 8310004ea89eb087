/** What a person does about a reason, in its place. */
import { Link, useSearchParams } from 'react-router';
import { markInboxItems } from '@cloudfit/contract/calls.ts';
import { doNowTexts as t } from '@cloudfit/contract/messages/do-now.en.ts';
import { inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';
import { useCommand } from '../../../calls/command.ts';
import { Button } from '../../../components/button.tsx';
import { TakeCall } from '../../../entities/call-backs/call-backs.tsx';
import { executionAddress } from '../../../entities/explanations/addresses.ts';
import { useAsking } from '../approvals/approvals.tsx';
import { slotsOf, type SlotState } from '../approvals/standing.ts';
import { useDecider } from '../approvals/use-approvals.ts';
import { PendingButtons } from '../pending-actions/pending-buttons.tsx';
import { headingOf, usePendingActions } from '../pending-actions/use-pending-actions.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { addressOf, titleOf, type DoNowEntry, type Reason } from './use-do-now.ts';

function Decision({ unit, state, title }: { unit: PanelWorkUnit; state: SlotState; title: string }) {
  const { ask, isPending } = useAsking(unit, state);
  const { mayApprove, mayDecline, refusal } = useDecider(unit, state);
  return (
    <>
      {mayApprove && (
        <Button small look="primary" icon="check" aria-label={t.approveOf(title)} disabled={isPending} onClick={() => void ask(true)}>
          {t.approve}
        </Button>
      )}
      {mayDecline && (
        <Button small icon="close" aria-label={t.declineOf(title)} disabled={isPending} onClick={() => void ask(false)}>
          {t.decline}
        </Button>
      )}
      {refusal && <span className="muted">{refusal}</span>}
    </>
  );
}

function ReadButton({ id, title }: { id: string; title: string }) {
  const { run, isBusy } = useCommand(() => call(markInboxItems, { ids: [id], isRead: true }), {
    refreshes: [inboxItems.name, workUnits.name],
  });
  return (
    <Button small aria-label={t.readOf(title)} disabled={isBusy} onClick={() => void run(undefined)}>
      {t.read}
    </Button>
  );
}

function nothing() {}

/** The buttons of the steps that wait, each after its name. */
export function Steps({ unit, ids }: { unit: PanelWorkUnit; ids: readonly (string | null)[] }) {
  const { data } = usePendingActions(unit.workUnitId);
  const waiting = data?.value.filter(({ status, protocolActionId }) => status === 'waiting' && ids.includes(protocolActionId)) ?? [];
  return waiting.map((action) => (
    <div key={action.protocolActionId} className="row do-now-step">
      <span className="grow ellipsis" title={headingOf(action)}>
        {headingOf(action)}
      </span>
      <PendingButtons unit={unit} action={action} parameters={{}} onOutcome={nothing} />
    </div>
  ));
}

/** The verb of a reason; none for those that the verbs of the unit are for. */
export function ReasonVerb({ entry, reason }: { entry: DoNowEntry; reason: Reason }) {
  const mayExecutions = useMay()('ActionDefinitions', 'view');
  const [here] = useSearchParams();
  const title = titleOf(entry);
  const { unit } = entry;
  const { kind, id } = reason;
  switch (kind) {
    case 'CallBack':
      return id && <TakeCall callBack={{ callBackId: id, phone: reason.detail }} title={title} />;
    case 'Approval': {
      const state = unit ? slotsOf(unit).find(({ slot }) => String(slot) === id) : undefined;
      return unit && state && <Decision unit={unit} state={state} title={title} />;
    }
    case 'UpdateOverdue':
      return (
        <Link className="btn small" to={addressOf(entry, here)} aria-label={t.verbOf(t.writeUpdate, title)}>
          {t.writeUpdate}
        </Link>
      );
    case 'StepFailed':
      return (
        mayExecutions &&
        id && (
          <Link className="btn small" to={executionAddress(entry.tenantId, id)} aria-label={t.verbOf(t.seeWhy, title)}>
            {t.seeWhy}
          </Link>
        )
      );
    case 'Mentioned':
    case 'Reply':
      return id && <ReadButton id={id} title={title} />;
    default:
      return null;
  }
}

/** The two approvals of a change request: pending ones, decisions, and the approver's buttons. */
import { limits } from '@cloudfit/contract/limits.ts';
import { overrideApproval } from '@cloudfit/contract/calls.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { changePlanTexts as p } from '@cloudfit/contract/messages/change-plan.en.ts';
import { changeTexts } from '@cloudfit/contract/messages/changes.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { call } from '../../../api/call.ts';
import { failureText } from '../../../api/client.ts';
import { useCommand } from '../../../calls/command.ts';
import { usePersonName } from '../../../api/people-names.ts';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { Icon } from '../../../components/icon.tsx';
import { toast } from '../../../components/toasts.tsx';
import { shortTime, zoneTime } from '../../../theme/times.ts';
import { PersonAvatar } from '../../../entities/people/person-avatar.tsx';
import { takesDecisions, type SlotState } from './standing.ts';
import { useDecide, useDecisionTime, type Decider } from './use-approvals.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';

const t = workUnitPanelTexts.approvals;

function Outcome({ unit, state }: { unit: PanelWorkUnit; state: SlotState }) {
  const nameOf = usePersonName();
  const time = useDecisionTime(unit, state);
  const by = state.approvedBy ?? state.declinedBy;
  if (by)
    return (
      <span className="row">
        <Chip tone={state.approvedBy ? 'ok' : 'danger'} dot title={t.by(nameOf(by))}>
          {state.approvedBy ? t.approved : t.declined}
        </Chip>
        {time && <time className="muted">{shortTime(time)}</time>}
      </span>
    );
  if (!takesDecisions(unit)) return <span className="faint">{t.notDecided}</span>;
  const awaited = state.approver ? t.awaiting(nameOf(state.approver)) : t.awaitingNobody;
  return (
    <span className="awaiting" title={awaited}>
      <Icon name="pending" label={awaited} />
      <span aria-hidden>{t.awaitingShort}</span>
    </span>
  );
}

/** The planned time of a change in words. */
export function whenOf({ plannedStartTime: from, plannedFinishTime: until }: PanelWorkUnit): string | undefined {
  return from && until ? changeTexts.times(shortTime(from), zoneTime(until)) : undefined;
}

/** Asks for a note, then decides. */
export function useAsking(unit: PanelWorkUnit, state: SlotState) {
  const when = whenOf(unit);
  const decide = useDecide(unit, state.slot);
  const ask = async (approve: boolean) => {
    const answer = await confirm({
      title: approve ? t.approveTitle : t.declineTitle,
      text: (approve ? t.approveQuestion : t.declineQuestion)(unit.publicWorkUnitId, unit.title),
      details: (
        <div className="asked-plan">
          {when && <p className="muted">{when}</p>}
          {unit.implementationPlan && <p className="plan-words clipped">{unit.implementationPlan}</p>}
        </div>
      ),
      yes: approve ? p.approve : p.reject,
      no: en.common.cancel,
      danger: !approve,
      inputLabel: approve ? t.optionalNote : t.note,
      inputOptional: approve,
      inputMax: limits.noteLength,
    });
    if (!answer.yes) return;
    try {
      await decide.mutateAsync({ approve, note: answer.input });
      tellOfRow(unit, approve ? t.approvedDone : t.declinedDone);
    } catch {
      // Shown for a forbidden decision too (ERR-047, ERR-048), in addition to the shell's message.
      toast.error(approve ? t.approveFailed : t.declineFailed);
    }
  };
  return { ask, isPending: decide.isPending, error: decide.error };
}

export interface SlotRowProps {
  unit: PanelWorkUnit;
  state: SlotState;
  decider: Decider;
  mayEdit: boolean;
}

export function SlotRow({ unit, state, decider, mayEdit }: SlotRowProps) {
  const { ask, isPending, error } = useAsking(unit, state);
  const nameOf = usePersonName();
  const [mayApprove, mayDecline] = [mayEdit && decider.mayApprove, mayEdit && decider.mayDecline];
  const refusal = decider.isApprover && !mayEdit ? p.readOnly : decider.refusal;
  const { slot, approver } = state;
  const by = state.approvedBy ?? state.declinedBy;
  return (
    <li className="approval" aria-label={t.slot(slot)}>
      {approver ? <PersonAvatar userName={approver} /> : <span className="avatar" aria-hidden />}
      <span className="grow">
        <span className="row">
          <b title={approver ?? undefined}>{approver ? nameOf(approver) : t.noApprover}</b>
          <span className="faint">
            {t.slot(slot)}
            {state.isOptional && `, ${t.optional}`}
          </span>
        </span>
        {by && by.toLowerCase() !== approver?.toLowerCase() && <span className="muted">{t.by(nameOf(by))}</span>}
        {state.notes && <span className="decision-note">{state.notes}</span>}
        {refusal && <span className="muted">{refusal}</span>}
        {error && (
          <span className="error" role="alert">
            {failureText(error)}
          </span>
        )}
      </span>
      {mayApprove || mayDecline ? (
        <span className="row decide">
          {mayApprove && (
            <Button look="primary" icon="check" disabled={isPending} onClick={() => void ask(true)}>
              {p.approveSlot(slot)}
            </Button>
          )}
          {mayDecline && (
            <Button look="danger" icon="close" aria-label={p.rejectSlot(slot)} disabled={isPending} onClick={() => void ask(false)}>
              {p.reject}
            </Button>
          )}
        </span>
      ) : (
        <Outcome unit={unit} state={state} />
      )}
    </li>
  );
}

/** For emergencies: lets the change start without its approvals. */
export function Override({ unit }: { unit: PanelWorkUnit }) {
  const { run, isBusy } = useCommand((reason: string) => call(overrideApproval, { workUnitId: unit.workUnitId, reason }), {
    done: () => t.overridden,
    failed: t.overrideFailed,
    refreshes: [workUnits.name],
  });
  const ask = async () => {
    const answer = await confirm({
      title: t.overrideTitle,
      text: t.overrideQuestion(unit.publicWorkUnitId, unit.title),
      yes: t.override,
      no: en.common.cancel,
      danger: true,
      inputLabel: t.reason,
      inputMax: 1_000,
    });
    if (answer.yes) await run(answer.input);
  };
  return (
    <Button small look="quiet" disabled={isBusy} onClick={() => void ask()}>
      {t.override}
    </Button>
  );
}

/** The two approvals of a change request, above its form: pending ones, decisions, and the approver's buttons. */
import { limits } from '@cloudfit/contract/limits.ts';
import { overrideApproval } from '@cloudfit/contract/calls.ts';
import { overrideApproval as overridePermission } from '@cloudfit/contract/permissions.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { call } from '../../../api/call.ts';
import { failureText } from '../../../api/client.ts';
import { useCommand } from '../../../calls/command.ts';
import { useHas } from '../../../api/lookups.ts';
import { usePersonName } from '../../../api/people-names.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { Icon } from '../../../components/icon.tsx';
import { toast } from '../../../components/toasts.tsx';
import { PersonAvatar } from '../../../entities/people/person-avatar.tsx';
import { awaitsApproval, slotsOf, takesDecisions, useDecide, useDecider, useIsFrozen, type SlotState } from './use-approvals.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import './approvals.css';

const t = workUnitPanelTexts.approvals;

function Outcome({ state, isOpen }: { state: SlotState; isOpen: boolean }) {
  const nameOf = usePersonName();
  const by = state.approvedBy ?? state.declinedBy;
  if (by)
    return (
      <Chip tone={state.approvedBy ? 'ok' : 'danger'} dot title={t.by(nameOf(by))}>
        {state.approvedBy ? t.approved : t.declined}
      </Chip>
    );
  if (!isOpen) return <span className="faint">{t.notDecided}</span>;
  const awaited = state.approver ? t.awaiting(nameOf(state.approver)) : t.awaitingNobody;
  return (
    <span className="awaiting" title={awaited}>
      <Icon name="pending" label={awaited} />
      <span aria-hidden>{t.awaitingShort}</span>
    </span>
  );
}

/** Asks for a note, then decides. */
export function useAsking(unit: PanelWorkUnit, state: SlotState) {
  const decide = useDecide(unit, state.slot);
  const ask = async (approve: boolean) => {
    const answer = await confirm({
      title: approve ? t.approveTitle : t.declineTitle,
      text: (approve ? t.approveQuestion : t.declineQuestion)(unit.publicWorkUnitId, unit.title),
      yes: approve ? t.approve : t.decline,
      no: en.common.cancel,
      danger: !approve,
      inputLabel: approve ? t.optionalNote : t.note,
      inputOptional: approve,
      inputMax: limits.noteLength,
    });
    if (!answer.yes) return;
    try {
      await decide.mutateAsync({ approve, note: answer.input });
      toast.success(approve ? t.approvedDone : t.declinedDone);
    } catch {
      // Shown for a forbidden decision too (ERR-047, ERR-048), in addition to the shell's message.
      toast.error(approve ? t.approveFailed : t.declineFailed);
    }
  };
  return { ask, isPending: decide.isPending, error: decide.error };
}

function SlotRow({ unit, state, mayEdit }: { unit: PanelWorkUnit; state: SlotState; mayEdit: boolean }) {
  const isOpen = takesDecisions(unit);
  const { ask, isPending, error } = useAsking(unit, state);
  const isAsked = mayEdit && isOpen && state.isUndecided;
  const decider = useDecider(unit, state, isAsked);
  const { mayApprove, refusal } = isAsked ? decider : { mayApprove: false, refusal: null };
  const mayDecline = isAsked && decider.mayDecline && !state.notes;
  const nameOf = usePersonName();
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
            <IconButton look="plain" icon="check" label={t.approveSlot(slot)} disabled={isPending} onClick={() => void ask(true)} />
          )}
          {mayDecline && (
            <IconButton look="danger" icon="close" label={t.declineSlot(slot)} disabled={isPending} onClick={() => void ask(false)} />
          )}
        </span>
      ) : (
        <Outcome state={state} isOpen={isOpen} />
      )}
    </li>
  );
}

/** For emergencies: lets the change start without its approvals. */
function Override({ unit }: { unit: PanelWorkUnit }) {
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

export function Approvals({ unit, mayEdit }: { unit: PanelWorkUnit; mayEdit: boolean }) {
  const slots = slotsOf(unit);
  const nameOf = usePersonName();
  const mayOverride = useHas(overridePermission);
  const isUnapproved = awaitsApproval(unit);
  const waitsBeforeStart = ['New', 'Acknowledged'].includes(unit.stateId) && !unit.approvalOverriddenBy && slots.length > 0;
  const isFrozen = useIsFrozen(unit, mayEdit && mayOverride && !isUnapproved && waitsBeforeStart);
  if (slots.length === 0) return null;
  return (
    <section className="approvals" aria-label={t.title}>
      <ul>
        {slots.map((state) => (
          <SlotRow key={state.slot} unit={unit} state={state} mayEdit={mayEdit} />
        ))}
      </ul>
      {unit.approvalOverriddenBy && <p className="faint">{t.overriddenBy(nameOf(unit.approvalOverriddenBy))}</p>}
      {mayEdit && mayOverride && (isUnapproved || isFrozen) && <Override unit={unit} />}
    </section>
  );
}

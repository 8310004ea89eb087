/** Decisions on a change request: who may decide a slot, past decisions, and deciding. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callJson } from '../../../api/client.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

export type ApprovalSlot = 1 | 2;
const endStates: readonly string[] = ['Resolved', 'Closed', 'Canceled'];

export interface SlotState {
  slot: ApprovalSlot;
  approver: string | null;
  approvedBy: string | null;
  declinedBy: string | null;
  notes: string | null;
  isUndecided: boolean;
  /** Whether the change may start without this slot: the second slot, if only one approval is required. */
  isOptional: boolean;
}

/** The slots of a change request; empty for any other unit. */
export function slotsOf(unit: PanelWorkUnit): readonly SlotState[] {
  if (unit.workUnitTypeId !== workUnitType.changeRequest) return [];
  return ([1, 2] as const).map((slot) => {
    const [approvedBy, declinedBy] = [unit[`approved${slot}By`], unit[`declined${slot}By`]];
    return {
      slot,
      approver: unit[`approver${slot}`],
      approvedBy,
      declinedBy,
      notes: unit[`decision${slot}Notes`],
      isUndecided: !approvedBy && !declinedBy,
      isOptional: slot === 2 && !unit.isApproverRequired,
    };
  });
}

/** Whether a decision is still possible: not for an ended change request. */
export function takesDecisions(unit: PanelWorkUnit): boolean {
  return !endStates.includes(unit.stateId);
}

/** Whether the change lacks an approval without which it may not start, as the server judges it. */
export function awaitsApproval(unit: PanelWorkUnit): boolean {
  if (!takesDecisions(unit) || unit.approvalOverriddenBy) return false;
  return slotsOf(unit).some((state) => !state.approvedBy && !state.isOptional);
}

/** Lets the change start without its approvals; history and audit say by whom and why. */
export function useOverride(unit: PanelWorkUnit) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (reason: string) => callJson(`/v1/workunits/${unit.workUnitId}/overrideApproval`, { method: 'POST', body: { reason } }),
    onSettled: () => client.invalidateQueries({ queryKey: [workUnits.name] }),
  });
}

interface ApprovalAnswer {
  isApprover?: boolean;
  /** Why the person may not approve or decline; null if the person may. */
  refusals?: { approve: string | null; decline: string | null };
}

export interface Decider {
  mayApprove: boolean;
  mayDecline: boolean;
  /** Why the approver may not approve; null if the approver may. */
  refusal: string | null;
}

const nobody: Decider = { mayApprove: false, mayDecline: false, refusal: null };

/** Asks the server whether the signed-in person is the approver of the slot and may decide now. */
export function useDecider(unit: PanelWorkUnit, { slot, approver }: SlotState, enabled: boolean): Decider {
  const { data } = useQuery({
    // The answer depends on the decisions of the unit and on the author of its plan.
    queryKey: ['approval', approver, unit.workUnitId, slot, unit.modified],
    queryFn: ({ signal }) =>
      callJson<ApprovalAnswer>(
        `/api/generallookup/approval?approverId=${encodeURIComponent(approver ?? '')}&workUnitId=${unit.workUnitId}&slot=${slot}`,
        { signal, quiet: true },
      ),
    enabled: enabled && Boolean(approver),
    staleTime: 60_000,
  });
  if (!data?.isApprover) return nobody;
  const { approve = null, decline = null } = data.refusals ?? {};
  return { mayApprove: approve === null, mayDecline: decline === null, refusal: approve };
}

export function useDecide(unit: PanelWorkUnit, slot: ApprovalSlot) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ approve, note }: { approve: boolean; note: string }) =>
      callJson(`/v1/workunits/${unit.workUnitId}/${approve ? 'approve' : 'decline'}/${slot}`, {
        method: 'POST',
        body: { decisionNote: note || null },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: [workUnits.name] }),
  });
}

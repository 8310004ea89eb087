/** Decisions on a change request: who may decide a slot, past decisions, and deciding. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { approvalLookup, approveChange, declineChange, planCollisions } from '@cloudfit/contract/calls.ts';
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { changeFreezes } from '@cloudfit/contract/resources/change-freezes.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call, useCall } from '../../../api/call.ts';
import { refresh } from '../../../calls/command.ts';
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

/**
 * Whether a change that has its approvals waits for an override all the same: a change freeze is in its planned time, or now.
 */
export function useIsFrozen(unit: PanelWorkUnit, isAsked: boolean): boolean {
  const [now] = useState(Date.now);
  const { tenantId, workUnitId, plannedStartTime, plannedFinishTime } = unit;
  const from = new Date(Math.min(Date.parse(plannedStartTime ?? '') || now, now)).toISOString();
  const until = new Date(Math.max(Date.parse(plannedFinishTime ?? '') || now, now + minuteMs)).toISOString();
  const input = { tenantId, workUnitId, deviceIds: [], from, until };
  const { data } = useCall(planCollisions, input, { refreshedBy: changeFreezes.name, enabled: isAsked });
  return isAsked && (data?.value.some(({ kind }) => kind === 'freeze') ?? false);
}

export interface Decider {
  mayApprove: boolean;
  mayDecline: boolean;
  /** Why the approver may not approve; null if the approver may. */
  refusal: string | null;
}

const nobody: Decider = { mayApprove: false, mayDecline: false, refusal: null };

/** Asks the server whether the signed-in person is the approver of the slot and may decide now. */
export function useDecider({ workUnitId, modified }: PanelWorkUnit, { slot, approver }: SlotState, enabled: boolean): Decider {
  // The answer depends on the decisions of the unit and on the author of its plan.
  const refreshedBy = ['approval', modified];
  const input = { approverId: approver ?? '', workUnitId, slot };
  const { data } = useCall(approvalLookup, input, {
    refreshedBy,
    together: true,
    enabled: enabled && Boolean(approver),
    staleTime: 60_000,
  });
  if (!data?.isApprover) return nobody;
  const { approve = null, decline = null } = data.refusals ?? {};
  return { mayApprove: approve === null, mayDecline: decline === null, refusal: approve };
}

export function useDecide(unit: PanelWorkUnit, slot: ApprovalSlot) {
  const of = { workUnitId: unit.workUnitId, slot };
  return useMutation({
    mutationFn: ({ approve, note }: { approve: boolean; note: string }) =>
      approve ? call(approveChange, { ...of, decisionNote: note || null }) : call(declineChange, { ...of, decisionNote: note }),
    onSettled: () => refresh([workUnits.name]),
  });
}

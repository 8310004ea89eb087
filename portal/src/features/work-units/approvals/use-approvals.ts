/** Decisions on a change request: who may decide a slot, past decisions, and deciding. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { decisionEvent } from '@cloudfit/contract/notes.ts';
import { approvalLookup, approveChange, declineChange, planCollisions } from '@cloudfit/contract/calls.ts';
import { changeFreezes } from '@cloudfit/contract/resources/change-freezes.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call, useCall } from '../../../api/call.ts';
import { refresh } from '../../../calls/command.ts';
import { useHistory } from '../panel/use-work-unit.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { freezeAmong, takesDecisions, thisMinute, waitsForStart, type ApprovalSlot, type SlotState } from './standing.ts';

/** The freeze of this moment: it holds an approved change that has not started, whatever its plan says. */
export function useFreezeNow(unit: PanelWorkUnit) {
  const [now] = useState(Date.now);
  const { tenantId, workUnitId } = unit;
  const input = { tenantId, workUnitId, deviceIds: [], ...thisMinute(now) };
  const isAsked = waitsForStart(unit);
  const { data } = useCall(planCollisions, input, { refreshedBy: changeFreezes.name, enabled: isAsked });
  return isAsked ? freezeAmong(data?.value, now) : undefined;
}

export interface Decider {
  isApprover: boolean;
  mayApprove: boolean;
  mayDecline: boolean;
  /** Why the approver may not approve; null if the approver may. */
  refusal: string | null;
}

const nobody: Decider = { isApprover: false, mayApprove: false, mayDecline: false, refusal: null };

/** Asks the server whether the signed-in person is the approver of the slot and may decide now. */
export function useDecider(unit: PanelWorkUnit, { slot, approver, isUndecided, notes }: SlotState): Decider {
  const { workUnitId, modified } = unit;
  const isAsked = isUndecided && Boolean(approver) && takesDecisions(unit);
  // The answer depends on the decisions of the unit and on the author of its plan.
  const refreshedBy = ['approval', modified];
  const input = { approverId: approver ?? '', workUnitId, slot };
  const { data } = useCall(approvalLookup, input, { refreshedBy, together: true, enabled: isAsked, staleTime: 60_000 });
  if (!isAsked || !data?.isApprover) return nobody;
  const { approve = null, decline = null } = data.refusals ?? {};
  return { isApprover: true, mayApprove: approve === null, mayDecline: decline === null && !notes, refusal: approve };
}

export function useDecide(unit: PanelWorkUnit, slot: ApprovalSlot) {
  const of = { workUnitId: unit.workUnitId, slot };
  return useMutation({
    mutationFn: ({ approve, note }: { approve: boolean; note: string }) =>
      approve ? call(approveChange, { ...of, decisionNote: note || null }) : call(declineChange, { ...of, decisionNote: note }),
    onSettled: () => refresh([workUnits.name]),
  });
}

/** When the slot was decided, as the history says; undefined if it does not. */
export function useDecisionTime(unit: PanelWorkUnit, { slot, approvedBy, isUndecided }: SlotState): string | undefined {
  const { data: history } = useHistory(unit.workUnitId);
  if (isUndecided) return undefined;
  const begin = decisionEvent(Boolean(approvedBy), slot);
  return history
    ?.filter(({ historyType, detail, mergedNumber }) => {
      return historyType === 'WorkUnitEvent' && mergedNumber === undefined && detail?.startsWith(begin);
    })
    .toSorted((a, b) => b.id - a.id)[0]?.created;
}

/** Decisions on change requests (CHG-018..040): who may decide, and the decision itself. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { overrideApproval as permission } from '../permissions.ts';

const workUnitId = z.coerce.number().int().positive();
const slot = z.coerce.number().pipe(z.union([z.literal(1), z.literal(2)], { error: 'There are approvers 1 and 2.' }));
const note = z.string().max(4_000, 'A Decision Note is at most 4000 characters.');
const row = z.record(z.string(), z.unknown());

/**
 * Is the caller the approver that a work unit names by this value? (API-007, API-008) For a slot of a unit it also says why the caller may not
 * approve or decline it; null when they may.
 */
export const approvalLookup = defineAction({
  name: 'approvalLookup',
  method: 'GET',
  path: '/api/generallookup/approval',
  access: { area: 'WorkUnits', verb: 'view' },
  input: z.object({ approverId: z.string().max(320).default(''), workUnitId: workUnitId.optional(), slot: slot.optional() }),
  output: z.object({
    approverId: z.string(),
    isApprover: z.boolean(),
    refusals: z.object({ approve: z.string().nullable(), decline: z.string().nullable() }).optional(),
  }),
});

/** Approves one slot; only its approver may, and once. Answers the work unit, or 409 when the slot is decided or the unit closed. */
export const approveChange = defineAction({
  name: 'approveChange',
  method: 'POST',
  path: '/v1/workunits/{workUnitId}/approve/{slot}',
  access: { area: 'WorkUnits', verb: 'edit' },
  input: z.object({ workUnitId, slot, decisionNote: note.nullish() }),
  output: row,
});

/** Declines one slot under the same conditions and cancels the change request. The note is required. */
export const declineChange = defineAction({
  name: 'declineChange',
  method: 'POST',
  path: '/v1/workunits/{workUnitId}/decline/{slot}',
  access: { area: 'WorkUnits', verb: 'edit' },
  input: z.object({
    workUnitId,
    slot,
    decisionNote: z
      .string({ error: 'Please enter a Decision Note.' })
      .max(4_000, 'A Decision Note is at most 4000 characters.')
      .refine((text) => text.trim() !== '', 'Please enter a Decision Note.'),
  }),
  output: row,
});

/** Lets an open change start without its approvals, in an emergency. The reason is required, and is written to history and audit. */
export const overrideApproval = defineAction({
  name: 'overrideApproval',
  method: 'POST',
  path: '/v1/workunits/{workUnitId}/overrideApproval',
  access: { anyOf: [permission] },
  input: z.object({
    workUnitId,
    reason: z
      .string({ error: 'Please enter a reason.' })
      .max(1_000, 'A reason is at most 1000 characters.')
      .refine((text) => text.trim() !== '', 'Please enter a reason.'),
  }),
  output: row,
});

/** Turns an incident into a change request. The next save requires its plan. */
export const changeToChangeRequest = defineAction({
  name: 'changeToChangeRequest',
  method: 'POST',
  path: '/v1/workunits/{workUnitId}/changeToChangeRequest',
  access: { area: 'WorkUnits', verb: 'edit' },
  input: z.object({ workUnitId }),
  output: row,
});

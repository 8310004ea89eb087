/** Calls about change requests (CHG-018..040): who may decide, the decision, an override, and making a unit a change. */
import { z } from 'zod';
import { defineAction, rowOf } from '../../action.ts';
import { overrideApproval as permission } from '../../permissions.ts';
import { asLines } from '../../text-checks.ts';

const workUnitId = z.coerce.number().int().positive();
const slot = z.coerce.number().pipe(z.union([z.literal(1), z.literal(2)], { error: 'There are approvers 1 and 2.' }));
const note = z
  .string()
  .check(...asLines('A Decision Note'))
  .max(4_000, 'A Decision Note is at most 4000 characters.');
export const approvalLookup = defineAction({
  name: 'approvalLookup',
  method: 'GET',
  path: '/api/generallookup/approval',
  access: { area: 'WorkUnits', verb: 'view' },
  about:
    'Whether the caller is the approver that a work unit names by this value. For a slot of a unit it also says why the caller may not approve or decline it.',
  input: z.object({ approverId: z.string().max(320).default(''), workUnitId: workUnitId.optional(), slot: slot.optional() }),
  output: z.object({
    approverId: z.string(),
    isApprover: z.boolean(),
    refusals: z.object({ approve: z.string().nullable(), decline: z.string().nullable() }).optional(),
  }),
});

export const approveChange = defineAction({
  name: 'approveChange',
  method: 'POST',
  path: '/v1/workunits/{workUnitId}/approve/{slot}',
  access: { area: 'WorkUnits', verb: 'edit' },
  about: 'Approves one slot; only its approver may, and once. Answers the work unit, or 409 when the slot is decided or the unit closed.',
  input: z.object({ workUnitId, slot, decisionNote: note.nullish() }),
  output: rowOf('workUnits'),
});

export const declineChange = defineAction({
  name: 'declineChange',
  method: 'POST',
  path: '/v1/workunits/{workUnitId}/decline/{slot}',
  access: { area: 'WorkUnits', verb: 'edit' },
  about: 'Declines one slot under the same conditions and cancels the change request. The note is required.',
  input: z.object({
    workUnitId,
    slot,
    decisionNote: z
      .string({ error: 'Please enter a Decision Note.' })
      .max(4_000, 'A Decision Note is at most 4000 characters.')
      .refine((text) => text.trim() !== '', 'Please enter a Decision Note.'),
  }),
  output: rowOf('workUnits'),
});

export const overrideApproval = defineAction({
  name: 'overrideApproval',
  method: 'POST',
  path: '/v1/workunits/{workUnitId}/overrideApproval',
  access: { anyOf: [permission] },
  about: 'Lets an open change start without its approvals, in an emergency. The reason is required, and is written to history and audit.',
  input: z.object({
    workUnitId,
    reason: z
      .string({ error: 'Please enter a reason.' })
      .max(1_000, 'A reason is at most 1000 characters.')
      .refine((text) => text.trim() !== '', 'Please enter a reason.'),
  }),
  output: rowOf('workUnits'),
});

export const changeToChangeRequest = defineAction({
  name: 'changeToChangeRequest',
  method: 'POST',
  path: '/v1/workunits/{workUnitId}/changeToChangeRequest',
  access: { area: 'WorkUnits', verb: 'edit' },
  about: 'Turns an incident into a change request. The next save requires its plan.',
  input: z.object({ workUnitId }),
  output: rowOf('workUnits'),
});

/**
 * Notes that customers write, in the resolution center or by mail. They mention nobody, and are no answer to them. They let a unit go on
 * that is on hold until the customer answers.
 */
import { permission } from '@cloudfit/contract/permissions.ts';
import type { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { update } from '../../resources/update.ts';
import { followsFromNews } from './inbox/news.ts';
import { tellInbox } from './inbox/tell.ts';
import { wakeFor } from './snooze/wake.ts';
import { servedWorkUnitNotes, servedWorkUnits } from './work-units.served.ts';

type NoteRow = Row<typeof workUnitNotes>;

// The answer to a question about a merged request concerns the unit that stays, as in the view of the resolution center.
const waiting = `select h.work_unit_id::float8 as id from work_unit w join work_unit h on h.work_unit_id = coalesce(case when w.state_id = 'Canceled' then merged_into(w.work_unit_id) end, w.work_unit_id)
where w.work_unit_id = $1 and h.state_id = 'OnHold' and h.hold_reason = 'Customer'`;

/** A message is never refused for what the unit lacks, such as a field that has become required. */
const unchecked: typeof servedWorkUnits = { ...servedWorkUnits, check: () => [] };

/** Lets the unit go on that waits for its customer: in progress for whoever has it, otherwise acknowledged. Its clocks run again. */
async function goOn(ctx: Ctx, { workUnitId, tenantId }: Pick<NoteRow, 'workUnitId' | 'tenantId'>): Promise<void> {
  const [unit] = await ctx.db.query<{ id: number }>({ name: 'unit-waiting-for-customer', text: waiting, values: [workUnitId] });
  if (!unit) return;
  // The customer may not see the unit.
  const permissions = new Map([[tenantId, new Set([permission('WorkUnits', 'view'), permission('WorkUnits', 'edit')])]]);
  await inTransaction({ ...ctx, permissions }, (inner) =>
    update(inner, unchecked, unit.id, (before) => {
      if (before.stateId !== 'OnHold' || before.holdReason !== 'Customer') return {};
      followsFromNews.add(before);
      return { stateId: before.assignedTo === null ? ('Acknowledged' as const) : ('InProgress' as const) };
    }),
  );
}

const noteFromCustomer = (followers: 'CallMe' | 'Reply', set: Partial<NoteRow> = {}): typeof servedWorkUnitNotes => ({
  ...servedWorkUnitNotes,
  fill: async (ctx, change) => ({ ...(await servedWorkUnitNotes.fill?.(ctx, change)), isFromCustomer: true, ...set }),
  after: async (ctx, { after }) => {
    const { workUnitId, workUnitNoteId, detail } = after;
    await tellInbox(ctx, workUnitId, { cause: `note ${workUnitNoteId}`, detail, followers });
    await wakeFor(ctx, servedWorkUnits, after);
    await goOn(ctx, after);
  },
});

export const noteOfCall = noteFromCustomer('CallMe');
export const noteOfReply = noteFromCustomer('Reply');

/** What a note that came by mail says of that. */
export type MailOfNote = Pick<NoteRow, 'mailFrom' | 'mailChecks' | 'mailFileId'> & { createdBy: string };

/** An answer of a customer by mail. */
export const noteOfMail = (mail: MailOfNote): typeof servedWorkUnitNotes => noteFromCustomer('Reply', mail);

/** The first note of a unit that a mail has opened: whoever is told of the unit need not be told of it. */
export const noteOfOpening = (mail: MailOfNote): typeof servedWorkUnitNotes => ({
  ...servedWorkUnitNotes,
  fill: async (ctx, change) => ({ ...(await servedWorkUnitNotes.fill?.(ctx, change)), isFromCustomer: true, ...mail }),
  after: () => Promise.resolve(),
});

/** The first note of a unit that a program has opened by mail, which no customer has written. */
export const noteOfProgram = (mail: MailOfNote): typeof servedWorkUnitNotes => ({ ...noteOfDesk(mail), after: () => Promise.resolve() });

/** A note that somebody who works on units has sent by mail: an internal one, whatever it says. It mentions as other notes do. */
export const noteOfDesk = (mail: MailOfNote): typeof servedWorkUnitNotes => ({
  ...servedWorkUnitNotes,
  fill: async (ctx, change) => ({ ...(await servedWorkUnitNotes.fill?.(ctx, change)), ...mail }),
});

/** Notes that customers write, in the resolution center or by mail. They mention nobody, and are no answer to them. */
import type { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { tellInbox } from './inbox/tell.ts';
import { wakeFor } from './snooze/wake.ts';
import { servedWorkUnitNotes, servedWorkUnits } from './work-units.served.ts';

type NoteRow = Row<typeof workUnitNotes>;

const noteFromCustomer = (followers: 'CallMe' | 'Reply', set: Partial<NoteRow> = {}): typeof servedWorkUnitNotes => ({
  ...servedWorkUnitNotes,
  fill: async (ctx, change) => ({ ...(await servedWorkUnitNotes.fill?.(ctx, change)), isFromCustomer: true, ...set }),
  after: async (ctx, { after }) => {
    const { workUnitId, workUnitNoteId, detail } = after;
    await tellInbox(ctx, workUnitId, { cause: `note ${workUnitNoteId}`, detail, followers });
    await wakeFor(ctx, servedWorkUnits, after);
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

/** A note that somebody who works on units has sent by mail: an internal one, whatever it says. It mentions as other notes do. */
export const noteOfDesk = (mail: MailOfNote): typeof servedWorkUnitNotes => ({
  ...servedWorkUnitNotes,
  fill: async (ctx, change) => ({ ...(await servedWorkUnitNotes.fill?.(ctx, change)), ...mail }),
});

/** How many items of the inbox are unread; reading, snoozing and muting. */
import {
  inboxCount,
  markInboxItems,
  muteInboxKinds,
  mutedInboxKinds,
  snoozeInboxItems,
} from '@cloudfit/contract/actions/work-units/inbox.ts';
import { ApiError, forbidden } from '@cloudfit/contract/errors.ts';
import { inboxItems, type InboxKind } from '@cloudfit/contract/resources/inbox-items.ts';
import { recordAboutPerson } from '../../../auth/audit-entry.ts';
import { actorName, inTransaction, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { list } from '../../../resources/list.ts';
import { servedInboxItems } from './inbox.served.ts';

function personOf({ actor }: Ctx): string {
  if (actor.kind !== 'person') throw forbidden('Only people have an inbox.');
  return actor.id;
}

const count = implement(inboxCount, async (ctx) => {
  personOf(ctx);
  // Through the list, so that the number is that of the items that the caller sees.
  const unread = await list(ctx, servedInboxItems, '$filter=readAt eq null and due le now()&$top=0&$count=true');
  const later = await list(ctx, servedInboxItems, '$filter=readAt eq null and due gt now()&$orderby=due&$top=1', { select: ['due'] });
  return { unread: unread.count ?? 0, nextDue: later.value[0]?.due ?? null };
});

// Reading and snoozing are no changes of the unit, so they are announced to the person's pages but not audited.
const mark = `with marked as (
  update inbox_item set read_at = case when $3 then now() end
  where person_id = $1 and inbox_item_id = any($2::uuid[]) and (read_at is null) = $3 returning tenant_id, inbox_item_id
), told as (${changed(inboxItems, 'update', 'marked', '$4')})
select count(*)::int as changed from marked`;

const snooze = `with snoozed as (
  update inbox_item set due = $3::timestamptz, read_at = null
  where person_id = $1 and inbox_item_id = any($2::uuid[]) returning tenant_id, inbox_item_id
), told as (${changed(inboxItems, 'update', 'snoozed', '$4')})
select count(*)::int as changed from snoozed`;

async function write(ctx: Ctx, text: string, ids: readonly string[], value: boolean | string): Promise<{ changed: number }> {
  const [row] = await ctx.db.query<{ changed: number }>({ text, values: [personOf(ctx), ids, value, ctx.correlationId] });
  return { changed: row?.changed ?? 0 };
}

const marking = implement(markInboxItems, (ctx, { ids, isRead }) => write(ctx, mark, ids, isRead));

const snoozing = implement(snoozeInboxItems, (ctx, { ids, until }) => {
  if (Date.parse(until) <= ctx.now().getTime())
    throw new ApiError('ValidationFailed', 'Please choose a time in the future.', { target: 'until' });
  return write(ctx, snooze, ids, until);
});

async function mutedBy(ctx: Ctx, personId: string): Promise<InboxKind[]> {
  const [row] = await ctx.db.query<{ muted: InboxKind[] }>({
    name: 'inbox-muted',
    text: 'select muted_inbox_kinds as muted from person where person_id = $1',
    values: [personId],
  });
  return row?.muted ?? [];
}

const muted = implement(mutedInboxKinds, async (ctx) => ({ muted: await mutedBy(ctx, personOf(ctx)) }));

const mute = implement(muteInboxKinds, (outside, { muted: chosen }) =>
  inTransaction(outside, async (ctx) => {
    const personId = personOf(ctx);
    await ctx.db.query({ text: 'select 1 from person where person_id = $1 for no key update', values: [personId] });
    const before = await mutedBy(ctx, personId);
    const after = [...new Set(chosen)];
    await ctx.db.query({ text: 'update person set muted_inbox_kinds = $2 where person_id = $1', values: [personId, after] });
    await recordAboutPerson(ctx.db, personId, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'update',
      entity: 'notificationPreferences',
      entityId: personId,
      before: { mutedInboxKinds: before },
      after: { mutedInboxKinds: after },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return { muted: after };
  }),
);

export const inboxActions: readonly ImplementedAction[] = [count, marking, snoozing, muted, mute];

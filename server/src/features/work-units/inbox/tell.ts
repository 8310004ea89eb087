/** Tells people of a work unit in their inbox: the only function that writes items. */
import { plainNote } from '@cloudfit/contract/notes.ts';
import { shortened } from '@cloudfit/contract/one-line.ts';
import { inboxItems, type InboxKind } from '@cloudfit/contract/resources/inbox-items.ts';
import { mayEditUnits, mayViewUnits } from '../viewers.ts';
import { actorName, type Ctx } from '../../../context/ctx.ts';
import { changed } from '../../../db/changed.ts';

/** Whom a change of a unit concerns. Names are sign-in names; who may not view the unit, or made the change, is not told. */
export interface UnitNews {
  /** What caused it; by default this version of the unit. The same cause tells nobody twice. */
  cause?: string;
  /** Which note was written, or what changed, for those who are mentioned or watch. */
  detail?: string;
  assigned?: string | null | undefined;
  approvers?: readonly string[];
  mentioned?: readonly string[];
  group?: string | null | undefined;
  /**
   * The kind for the watchers and the assignee. Of a call that is asked for, the group too; of a customer's reply, the group if nobody is
   * assigned; of both, all who may edit the unit if it has neither.
   */
  followers?: Extract<InboxKind, 'Watched' | 'CallMe' | 'Reply'>;
}

/** Longest text of an item. */
const longest = 300;

const ofAssignee = (name: string) => `lower(${name}) in (lower(p.user_name), lower(p.email))`;

// `overtaken`: of several changes of a watched unit that wait unread, the last one stays so, as of what became of a call back; a note or a reply is
// read by itself.
// `holder`: what a customer writes on a merged unit concerns those of the unit that stays. `meant`: who is concerned and why. Of several reasons, the one with the lowest rank counts.
// News for people that it names is part of each creation with an assignee, so it has a statement of its own that PostgreSQL plans once. It would
// plan it each time, for longer than it runs, if it saw that a plan for these values costs less than one for all: sub-selects hide them.
const statement = (hasFollowers: boolean): string => `with unit as (
  select u.work_unit_id, u.tenant_id, u.version${
    hasFollowers
      ? `, u.assigned_to, h.work_unit_id as holder, h.assigned_to as held_by, h.assignment_group
  from work_unit u join work_unit h on h.work_unit_id = case when $11 in ('CallMe', 'Reply') then coalesce(merged_into(u.work_unit_id), u.work_unit_id) else u.work_unit_id end`
      : ' from work_unit u'
  }
  where u.work_unit_id = $1
), meant as (
  select p.person_id, 1 as rank, 'Assigned' as kind from person p where ${ofAssignee('(select $2::text)')}
  union all select p.person_id, 2, 'Approval' from person p where lower(p.user_name) = any((select $3::text[])::text[])
  union all select p.person_id, 3, 'Mentioned' from person p where lower(p.user_name) = any((select $4::text[])::text[])
  union all select p.person_id, 4, 'AssignedToGroup' from person p where (select $5::text) is not null and (select $5::text) = any(p.claims)${
    hasFollowers
      ? `
  union all select p.person_id, 5, $11::text from unit u join person p
    on ${ofAssignee('u.assigned_to')} or ${ofAssignee('u.held_by')}
      or exists (select from work_unit_watcher w where w.work_unit_id in (u.work_unit_id, u.holder) and w.person_id = p.person_id)
      or ($11 in ('CallMe', 'Reply') and case when u.assignment_group is null then u.held_by is null and ${mayEditUnits('u.tenant_id')}
        else u.assignment_group = any(p.claims) and ($11 = 'CallMe' or u.held_by is null) end)`
      : ''
  }
), told as (
  insert into inbox_item (tenant_id, person_id, work_unit_id, kind, cause, detail, created_by)
  select distinct on (m.person_id) u.tenant_id, m.person_id, u.work_unit_id, m.kind, coalesce($6, 'version ' || u.version),
    case when m.kind in ('Assigned', 'AssignedToGroup', 'Approval') then '' else $7 end, $8
  from unit u cross join meant m join person p on p.person_id = m.person_id
  where ${mayViewUnits('u.tenant_id')} and m.person_id is distinct from (select $9::uuid) and not m.kind = any(p.muted_inbox_kinds)
  order by m.person_id, m.rank
  on conflict (person_id, work_unit_id, kind, cause) do nothing
  returning tenant_id, inbox_item_id, person_id, work_unit_id, kind, cause
)${
  hasFollowers
    ? `, overtaken as (
  update inbox_item i set read_at = now() from told n
  where i.person_id = n.person_id and i.work_unit_id = n.work_unit_id and i.kind = n.kind and i.read_at is null and i.due <= now()
    and (n.kind = 'CallMe' or n.kind = 'Watched' and i.cause like 'version %' and n.cause like 'version %')
  returning i.tenant_id, i.inbox_item_id
), noted as (${changed(inboxItems, 'update', 'overtaken', '$10')})`
    : ''
}
${changed(inboxItems, 'create', 'told', '$10')}`;

const [toNamed, toFollowers] = [statement(false), statement(true)];

/** Writes the items in the transaction of the change; it does not wait for the result. */
export async function tellInbox(ctx: Ctx, workUnitId: number, news: UnitNews): Promise<void> {
  const { cause = null, detail = '', assigned = null, approvers = [], mentioned = [], group = null, followers = null } = news;
  if (!assigned && approvers.length === 0 && mentioned.length === 0 && !group && !followers) return;
  const lower = (names: readonly string[]) => names.map((name) => name.trim().toLowerCase());
  await ctx.db.defer({
    name: followers ? 'tell-followers' : 'tell-inbox',
    text: followers ? toFollowers : toNamed,
    values: [
      workUnitId,
      assigned?.trim() ?? null,
      lower(approvers),
      lower(mentioned),
      group?.trim() ?? null,
      cause,
      shortened(plainNote(detail), longest),
      actorName(ctx),
      ctx.actor.kind === 'person' ? ctx.actor.id : null,
      ctx.correlationId,
      ...(followers ? [followers] : []),
    ],
  });
}

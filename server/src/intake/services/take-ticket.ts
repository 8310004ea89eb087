/**
 * Takes what a tracker says of a ticket: a comment becomes a note of its unit, and the end of the ticket that of the unit. All of it is
 * one transaction with the id of the call, so that a call that comes again changes nothing.
 */
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { startOf } from '@cloudfit/contract/one-line.ts';
import type { LinkingService } from '@cloudfit/contract/events/services.ts';
import { unitLinks } from '@cloudfit/contract/resources/unit-links.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { writeHistory } from '../../features/work-units/feed/history.ts';
import { isEnded, type WorkUnitRow } from '../../features/work-units/state.rules.ts';
import { servedWorkUnitNotes, servedWorkUnits } from '../../features/work-units/work-units.served.ts';
import { create } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { update } from '../../resources/update.ts';
import { lockLink, storeLink, unitOfReference, type TicketRow } from '../../automation/services/links.ts';
import type { TicketCall } from '../../automation/services/read-call.ts';
import { noteOf } from '../../automation/services/words.ts';

export interface ServiceOrigin {
  eventSubscriptionId: string;
  tenantId: string;
  service: LinkingService;
  reopens: boolean;
}

/** What became of a call; its service shows it to whoever looks there. */
interface CallOutcome {
  outcome: 'taken' | 'unchanged' | 'duplicate' | 'unknown' | 'ignored' | 'refused';
  message?: string;
  workUnitId?: number;
  /** What was done. */
  deeds?: string[];
}

const once = `insert into service_call (event_subscription_id, call_key, tenant_id) values ($1, $2, $3) on conflict do nothing returning call_key`;

/** Whether the call is new, as far as it has an id; in the transaction of what it does. */
export async function isFirstCall(ctx: Ctx, { eventSubscriptionId, tenantId }: ServiceOrigin, key: string): Promise<boolean> {
  if (key === '') return true;
  const rows = await ctx.db.query<{ call_key: string }>({
    name: 'service-call',
    text: once,
    values: [eventSubscriptionId, key.slice(0, 300), tenantId],
  });
  return rows.length > 0;
}

/** What this transaction changes is not told to the subscription again. */
export async function notToldAgain(ctx: Ctx, { eventSubscriptionId }: Pick<ServiceOrigin, 'eventSubscriptionId'>): Promise<void> {
  await ctx.db.query({ text: "select set_config('cloudfit.event_from', $1, true)", values: [eventSubscriptionId] });
}

async function linkOf(ctx: Ctx, origin: ServiceOrigin, { link }: TicketCall): Promise<TicketRow | undefined> {
  const { eventSubscriptionId, tenantId } = origin;
  const row = await lockLink(ctx.db, eventSubscriptionId, link.key);
  if (row || link.url === null) return row;
  const workUnitId = await unitOfReference(ctx.db, tenantId, link.url);
  if (workUnitId === undefined) return undefined;
  await storeLink(ctx.db, { ...origin, workUnitId }, { ...link, state: null, at: null }, ctx.correlationId);
  return lockLink(ctx.db, eventSubscriptionId, link.key);
}

async function writeComment(ctx: Ctx, call: TicketCall, service: string, workUnitId: number): Promise<string | undefined> {
  const { comment, by } = call;
  if (!comment || comment.text.trim() === '') return undefined;
  const author = `${comment.by || by} (${service})`.slice(0, 200);
  // A form that no sign-in name has: who wrote it was not signed in here.
  const served: typeof servedWorkUnitNotes = {
    ...servedWorkUnitNotes,
    fill: async (inner, change) => ({ ...(await servedWorkUnitNotes.fill?.(inner, change)), createdBy: author }),
  };
  await create(ctx, served, { workUnitId, detail: noteOf(comment.text, comment.url || call.link.name) });
  return 'noted';
}

/** Ends or opens the unit as its ticket. What the rules of units refuse is written to the unit. */
async function followState(ctx: Ctx, origin: ServiceOrigin, call: TicketCall, link: TicketRow): Promise<string | undefined> {
  const { phase, by, stateText } = call;
  const { workUnitId } = link;
  const unit = await get(ctx, servedWorkUnits, workUnitId, { lock: 'edit' });
  const say = (detail: string) => writeHistory(ctx, unit, [{ historyType: 'WorkUnitEvent', detail }]);
  const where = `${link.name} in ${origin.service}`;
  if (phase === 'gone') {
    await say(`${by} has ${stateText} ${where}. The work unit stays ${unit.stateId}.`);
    return 'noted';
  }
  /** Changes the unit, or says in its history why its rules refuse that. */
  const change = async (edit: Partial<WorkUnitRow>, sentence: string, deed: string): Promise<string> => {
    try {
      await update(ctx, servedWorkUnits, workUnitId, edit);
      return deed;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      await say(`${sentence} The work unit stays ${unit.stateId}: ${error.details[0]?.message ?? messageOf(error)}`);
      return 'noted';
    }
  };
  if (phase === 'closed' && !isEnded(unit.stateId)) {
    const sentence = `${by} set ${where} to ${stateText}.`;
    const resolution = [unit.resolution?.trim(), sentence].filter(Boolean).join('\n\n');
    return change({ stateId: 'Resolved', resolution }, sentence, 'resolved');
  }
  if (phase === 'open' && isEnded(unit.stateId)) {
    const sentence = `${by} opened ${where} again.`;
    if (origin.reopens) {
      const deed = await change({ stateId: 'New' }, sentence, 'reopened');
      if (deed === 'reopened') await say(sentence);
      return deed;
    }
    await say(`${sentence} The work unit stays ${unit.stateId}.`);
    return 'noted';
  }
  return undefined;
}

async function followTitle(ctx: Ctx, { title }: TicketCall, workUnitId: number): Promise<string | undefined> {
  const text = title?.replace(/^Sev[0-4]: /, '').trim() ?? '';
  if (text.length < 3) return undefined;
  const unit = await get(ctx, servedWorkUnits, workUnitId);
  if (unit.title === text) return undefined;
  await update(ctx, servedWorkUnits, workUnitId, { title: startOf(text, 500) });
  return 'renamed';
}

const synced = `with stored as (
  update unit_link set remote_state = $3, remote_at = coalesce($4, remote_at), last_sync = now(), modified = now(), version = version + 1
  where event_subscription_id = $1 and remote_key = $2 returning tenant_id, unit_link_id
)
${changed(unitLinks, 'update', 'stored', '$5')}`;

export async function takeTicket(outside: Ctx, origin: ServiceOrigin, call: TicketCall): Promise<CallOutcome> {
  return inTransaction(outside, async (ctx) => {
    const link = await linkOf(ctx, origin, call);
    if (!link) return { outcome: 'unknown', message: `No work unit is linked to ${call.link.name}.` };
    const { workUnitId } = link;
    // The lock of the link lets one of two calls with the same id wait for the other.
    if (!(await isFirstCall(ctx, origin, call.callKey))) return { outcome: 'duplicate', workUnitId };
    await notToldAgain(ctx, origin);
    const deeds: (string | undefined)[] = [await writeComment(ctx, call, origin.service, workUnitId)];
    // What is older than the state that is stored says nothing new, such as a delivery that was late.
    const isNewer = link.at === null || call.link.at === null || Date.parse(call.link.at) >= Date.parse(link.at);
    if (isNewer) {
      deeds.push(await followTitle(ctx, call, workUnitId));
      if (call.phase !== undefined && call.link.state !== link.state && !(link.state === null && call.phase === 'open'))
        deeds.push(await followState(ctx, origin, call, link));
      const state = call.phase === undefined ? link.state : call.link.state;
      await ctx.db.query({
        name: 'unit-link-synced',
        text: synced,
        values: [origin.eventSubscriptionId, call.link.key, state, call.link.at, ctx.correlationId],
      });
    }
    const done = deeds.filter((deed) => deed !== undefined);
    return { outcome: done.length > 0 ? 'taken' : 'unchanged', workUnitId, ...(done.length > 0 ? { deeds: done } : {}) };
  });
}

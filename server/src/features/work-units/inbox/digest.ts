/** The digest: a mail with what is new and unread in the inbox of a person, at the times that the person has chosen. */
import type { Logger } from 'pino';
import { inboxKinds, inboxItems } from '@cloudfit/contract/resources/inbox-items.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import type { Locale } from '@cloudfit/contract/messages/language.ts';
import { nextDigest, type DigestTime } from '@cloudfit/contract/on-call/digest.ts';
import { defaultPreferences, quietUntil, type NotificationPreferences } from '@cloudfit/contract/on-call/preferences.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { personAccess } from '../../../auth/people.ts';
import { systemCtx } from '../../../auth/system-ctx.ts';
import { tenantScopeWith, type Ctx } from '../../../context/ctx.ts';
import type { Database } from '../../../db/connection.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { Periodic } from '../../../jobs/schedule.ts';
import type { DigestLinks } from '../../../platform/digest-links.ts';
import { readerOf, type TextReader } from '../../../platform/language.ts';
import { mailTextsFor } from '../../../platform/mail-texts.ts';
import { agoText, momentText } from '../../../platform/times.ts';
import { uuidV5 } from '../../../platform/uuid-v5.ts';
import { list } from '../../../resources/list.ts';
import { countToDo } from '../do-now/do-now.action.ts';
import { servedInboxItems } from './inbox.served.ts';
import { currentTime } from '../../../platform/clock.ts';

/** How many entries a mail lists, and how many it counts. What is beyond comes with the next one. */
const maxListed = 50;
const maxCounted = 1_000;

interface DueDigest {
  personId: string;
  due: string | null;
  digest: DigestTime;
  timeZone: string;
  quietHours: NotificationPreferences['quietHours'];
  /** Null unless the address is known to be the person's. */
  email: string | null;
  locale: Locale | null;
  claims: string[] | null;
}

const dueText = `select n.person_id as "personId", n.digest_due as due, n.digest, n.time_zone as "timeZone", n.quiet_hours as "quietHours",
  case when p.email_verified then p.email end as email, p.locale, p.claims
from notification_preference n join person p using (person_id) where n.digest_due <= $1 and n.digest is not null order by n.digest_due`;

// Of two processes, one moves the time on, and sends.
const moveText =
  'update notification_preference set digest_due = $3 where person_id = $1 and digest_due = $2::timestamptz returning person_id';

// $3: tenants whose work units the person may view, null for all.
const newText = `select i.inbox_item_id as id, t.name as tenant from inbox_item i join tenant t using (tenant_id)
where i.person_id = $1 and i.read_at is null and i.due <= $2 and (i.digested is null or i.digested < i.due) and ($3::uuid[] is null or i.tenant_id = any($3::uuid[]))
order by i.due desc, i.inbox_item_id limit ${maxCounted}`;

const markText = 'update inbox_item set digested = $3 where person_id = $1 and inbox_item_id = any($2::uuid[])';

const iso = (at: number): string => new Date(at).toISOString();

interface DigestOptions {
  publicUrl: string;
  log: Logger;
  links: DigestLinks;
}

interface Digest {
  ids: string[];
  subject: string;
  text: string;
}

/** A ctx with the present permissions of the person; undefined for somebody who is disabled or views no work units. */
async function ctxOf(database: Database, log: Logger, { personId, claims }: DueDigest, now: number): Promise<Ctx | undefined> {
  const access = await personAccess(database.scoped('all'), { personId, groups: claims ?? [] }, []);
  if (!access?.enabled) return undefined;
  const { actor, tenants, permissions } = access;
  const system = systemCtx({ database, log, name: 'Automation', tenants, now: () => new Date(now) });
  const ctx: Ctx = { ...system, actor, permissions };
  return tenantScopeWith(ctx, [permission('WorkUnits', 'view')]).length === 0 ? undefined : ctx;
}

/** What is new for the person; undefined if that is nothing. */
async function digestOf(ctx: Ctx, { personId, locale, timeZone }: DueDigest, publicUrl: string): Promise<Digest | undefined> {
  const now = ctx.now().getTime();
  const tenants = tenantScopeWith(ctx, [permission('WorkUnits', 'view')]);
  const rows = await ctx.db.query<{ id: string; tenant: string }>({
    name: 'digest-new',
    text: newText,
    values: [personId, iso(now), tenants === 'all' ? null : tenants],
  });
  const ids = rows.map(({ id }) => id);
  const tenantNames = new Map(rows.map(({ id, tenant }) => [id, tenant]));
  if (ids.length === 0) return undefined;
  // Through the list, so that a mail names nothing that the inbox would not show.
  const query = queryText<typeof inboxItems>({
    filter: oneOf(inboxItems, 'inboxItemId', ids.slice(0, maxListed)),
    top: maxListed,
    expand: ['workUnit'],
  });
  const items = (await list(ctx, servedInboxItems, query)).value as ExpandedRow<typeof inboxItems, 'workUnit'>[];
  const reader: TextReader = { ...readerOf(locale), timeZone: locale?.timeZone ?? timeZone };
  const texts = mailTextsFor(reader).digest;
  const groups = inboxKinds.flatMap((kind) => {
    const lines = items.flatMap((item) => {
      const { workUnit } = item;
      if (item.kind !== kind || !workUnit) return [];
      const link = `${publicUrl}/${item.tenantId}/workunitsv2?workUnitId=${item.workUnitId}`;
      return [
        texts.unit(workUnit.publicWorkUnitId, tenantNames.get(item.inboxItemId) ?? '', workUnit.title),
        `${agoText(reader, item.due, now)}, ${momentText(reader, item.due)}`,
        link,
      ];
    });
    return lines.length === 0 ? [] : [[texts.kinds[kind], ...lines].join('\n')];
  });
  const [first] = items;
  if (!first || groups.length === 0) return undefined;
  const home = `${publicUrl}/${first.tenantId}`;
  const text = [
    texts.intro(ctx.actor.name, ids.length),
    ...groups,
    ...(ids.length > maxListed ? [texts.more(ids.length - maxListed)] : []),
    [texts.doNow(await countToDo(ctx), home), texts.inbox(`${home}/inbox`)].join('\n'),
    texts.noMore(`${home}/notifications`),
  ];
  return { ids, subject: texts.subject(ids.length), text: text.join('\n\n') };
}

/** Sends one digest, or moves it to the end of the quiet hours. */
async function send(database: Database, person: DueDigest, { now, publicUrl, log, links }: DigestOptions & { now: number }): Promise<void> {
  const { personId, due, digest, timeZone, quietHours, email } = person;
  const db = database.scoped('all');
  const move = (to: number) => ({ name: 'digest-move', text: moveText, values: [personId, due, iso(to)] });
  // No severity is that of a digest, so none that is urgent for the person lets it through.
  const quiet = quietUntil({ ...defaultPreferences, timeZone, quietHours, urgent: [] }, '', now);
  if (quiet !== undefined) return void (await db.query(move(quiet)));
  const ctx = email === null ? undefined : await ctxOf(database, log, person, now);
  const mail = ctx && (await digestOf(ctx, person, publicUrl));
  await db.transaction(async (tx) => {
    const moved = await tx.query(move(nextDigest(digest, timeZone, now)));
    if (moved.length === 0 || !mail) return;
    await tx.query({ name: 'digest-mark', text: markText, values: [personId, mail.ids, iso(now)] });
    const messageId = uuidV5(personId, `digest ${iso(Date.parse(String(due)))}`);
    // Of the installation: it may name several tenants, so nobody of one tenant may read it in the outbox.
    const payload = { messageId, tenantId: null, to: email, subject: mail.subject, text: mail.text, unsubscribe: links.url(personId) };
    await enqueue(tx, { name: 'send-mail', payload, tenantId: null, correlationId: messageId });
  });
}

/** Sends the digests that are due at `now`. */
export async function sendDigests(database: Database, options: DigestOptions & { now: number }): Promise<void> {
  const due = await database.scoped('all').query<DueDigest>({ name: 'digests-due', text: dueText, values: [iso(options.now)] });
  for (const person of due)
    // One that fails is tried again in the next round, and does not keep the others waiting.
    await send(database, person, options).catch((error: unknown) =>
      options.log.error({ err: error, personId: person.personId }, 'A digest could not be sent.'),
    );
}

export const digestWork = (database: Database, options: DigestOptions): Periodic => ({
  name: 'inbox-digests',
  everyMs: 30_000,
  run: () => sendDigests(database, { ...options, now: currentTime() }),
});

/** Feeds of people: made, listed and removed by their owner, and read by whoever has the link. */
import { addFeed, feedsMax, ownFeeds, readFeed, removeFeed, type feedKinds } from '@cloudfit/contract/events/feeds.ts';
import { ApiError, forbidden, notFound } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { presentAccess } from '../../auth/people.ts';
import { localeOf } from '../../context/locale.ts';
import { actorName, inTransaction, type Ctx } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import type { FeedLinks } from '../../platform/feeds/feed-links.ts';
import { readerOf } from '../../platform/language.ts';
import { mailTextsFor } from '../../platform/mail-texts.ts';
import { implement, TextAnswer, type ImplementedAction } from '../../resources/action.ts';
import { changesCalendar, unitsFeed, type OpenFeed } from './read-feed.ts';

interface FeedParts {
  feedLinks: FeedLinks;
  database: Database;
  publicUrl: string;
}

type FeedKind = (typeof feedKinds)[number];

function personOf({ actor }: Ctx): string {
  if (actor.kind !== 'person') throw forbidden('Only people have feeds; sign in as a person.');
  return actor.id;
}

const audit = (ctx: Ctx, verb: string, personId: string, tenantId: string, feedId: string, after?: object): Promise<void> =>
  recordAudit(ctx.db, {
    actor: { ...ctx.actor, name: actorName(ctx) },
    verb,
    entity: 'people',
    entityId: personId,
    tenantId,
    after: { feedId, ...after },
    correlationId: ctx.correlationId,
    address: ctx.address,
  });

interface ListedFeed {
  feedId: string;
  kind: FeedKind;
  tenantId: string;
  tenantName: string;
  viewName: string | null;
  created: string;
  lastRead: string | null;
}

const listed = `select f.feed_id as "feedId", f.kind, f.tenant_id as "tenantId", t.name as "tenantName", v.name as "viewName", f.created, f.last_read as "lastRead"
from person_feed f join tenant t on t.tenant_id = f.tenant_id left join saved_view v on v.saved_view_id = f.saved_view_id
where f.person_id = $1 order by f.created`;

const listedFeeds = implement(ownFeeds, async (ctx) => ({
  feeds: await ctx.db.query<ListedFeed>({ text: listed, values: [personOf(ctx)] }),
}));

const viewOf = `select v.saved_view_id as id from saved_view v join person p on p.person_id = $1
where v.saved_view_id = $2 and v.tenant_id = $3 and v.screen = 'workunitsv2' and (v.person_id = $1 or v.sharing = 'Tenant' or (v.sharing = 'Team' and v.team = any(p.claims)))`;

const add = ({ feedLinks }: FeedParts) =>
  implement(addFeed, (outside, { kind, tenantId, savedViewId = null }) =>
    inTransaction(outside, async (ctx) => {
      const personId = personOf(ctx);
      if (ctx.tenants !== 'all' && !ctx.tenants.includes(tenantId)) throw notFound('Tenant');
      if (savedViewId !== null) {
        const [view] = await ctx.db.query<{ id: string }>({ text: viewOf, values: [personId, savedViewId, tenantId] });
        if (!view)
          throw new ApiError('ValidationFailed', 'There is no such view of work units of this tenant that you see.', {
            target: 'savedViewId',
          });
      }
      const [counted] = await ctx.db.query<{ n: number }>({
        text: 'select count(*)::int as n from person_feed where person_id = $1',
        values: [personId],
      });
      if ((counted?.n ?? 0) >= feedsMax)
        throw new ApiError('Conflict', `You have ${feedsMax} feeds, the most that one person can have. Remove one first.`);
      const [row] = await ctx.db.query<{ feedId: string }>({
        text: 'insert into person_feed (tenant_id, person_id, kind, saved_view_id) values ($1, $2, $3, $4) returning feed_id as "feedId"',
        values: [tenantId, personId, kind, savedViewId],
      });
      if (!row) throw notFound('Tenant');
      await audit(ctx, 'addFeed', personId, tenantId, row.feedId, { kind, savedViewId });
      return { feedId: row.feedId, url: feedLinks.url({ feedId: row.feedId, tenantId }) };
    }),
  );

const remove = implement(removeFeed, (outside, { id }) =>
  inTransaction(outside, async (ctx) => {
    const personId = personOf(ctx);
    const [row] = await ctx.db.query<{ tenantId: string }>({
      text: 'delete from person_feed where feed_id = $1 and person_id = $2 returning tenant_id as "tenantId"',
      values: [id, personId],
    });
    if (!row) throw notFound('Feed');
    await audit(ctx, 'removeFeed', personId, row.tenantId, id);
  }),
);

const opened = `with read as (
  update person_feed set last_read = now() where feed_id = $1 and tenant_id = $2 and (last_read is null or last_read < now() - interval '10 minutes')
)
select f.feed_id as "feedId", f.tenant_id as "tenantId", f.person_id as "personId", f.kind, t.name as "tenantName", v.name as "viewName", v.filter
from person_feed f join tenant t on t.tenant_id = f.tenant_id and t.enabled left join saved_view v on v.saved_view_id = f.saved_view_id
  and (v.person_id = f.person_id or v.sharing = 'Tenant' or v.sharing = 'Team' and exists (select from person p where p.person_id = f.person_id and v.team = any(p.claims)))
where f.feed_id = $1 and f.tenant_id = $2 and (f.saved_view_id is null or v.saved_view_id is not null)`;

/** A link whose feed was removed, whose owner may not view it any more, or that nobody signed gets the same answer. */
const read = ({ feedLinks, database, publicUrl }: FeedParts) =>
  implement(readFeed, async (outside, { token }) => {
    const place = feedLinks.read(token.replace(/\.(?:atom|xml|ics)$/, ''));
    if (!place) throw notFound('Feed');
    const all = database.scoped('all');
    const [feed] = await database
      .scoped([place.tenantId])
      .query<OpenFeed & { personId: string; kind: FeedKind }>({ name: 'feed-open', text: opened, values: [place.feedId, place.tenantId] });
    const access = feed && (await presentAccess(all, feed.personId));
    if (!feed || !access?.enabled || (access.tenants !== 'all' && !access.tenants.includes(feed.tenantId))) throw notFound('Feed');
    const { actor, permissions, tenants } = access;
    const ctx: Ctx = { ...outside, actor, permissions, tenants, db: database.scoped(tenants) };
    const reader = readerOf(await localeOf(all, feed.personId));
    const texts = mailTextsFor(reader).feeds;
    try {
      if (feed.kind === 'calendar')
        return new TextAnswer('text/calendar; charset=utf-8', await changesCalendar(ctx, feed, { texts, publicUrl }));
      const about = { texts, language: reader.language, publicUrl, self: feedLinks.url(place) };
      return new TextAnswer('application/atom+xml; charset=utf-8', await unitsFeed(ctx, feed, about));
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) throw notFound('Feed');
      throw error;
    }
  });

export const feedActions = (parts: FeedParts): readonly ImplementedAction[] => [listedFeeds, add(parts), remove, read(parts)];

/** Feeds that a person reads in another program: open work units as Atom, changes and maintenance as a calendar. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

export const feedKinds = ['workUnits', 'calendar'] as const;
/** The most feeds of one person. */
export const feedsMax = 20;

export const ownFeeds = defineAction({
  name: 'ownFeeds',
  method: 'GET',
  path: '/v1/ownFeeds',
  access: 'signed-in',
  about: "The caller's feeds, without their links.",
  input: z.object({}),
  output: z.object({
    feeds: z.array(
      z.object({
        feedId: z.string(),
        kind: z.enum(feedKinds),
        tenantId: z.string(),
        tenantName: z.string(),
        viewName: z.string().nullable(),
        created: z.string(),
        lastRead: z.string().nullable(),
      }),
    ),
  }),
});

export const addFeed = defineAction({
  name: 'addFeed',
  method: 'PUT',
  path: '/v1/ownFeeds',
  access: 'signed-in',
  about:
    'Makes a feed of a tenant, of all open work units or those of a saved view, and returns its link. Whoever has the link reads what the caller may view at that time, until the feed is removed.',
  noStore: true,
  input: z
    .object({
      kind: z.enum(feedKinds, { error: 'kind is workUnits or calendar.' }),
      tenantId: guidSchema,
      savedViewId: z.optional(z.nullable(guidSchema)),
    })
    .refine(({ kind, savedViewId }) => kind === 'workUnits' || !savedViewId, {
      error: 'Only a feed of work units is of a view.',
      path: ['savedViewId'],
    }),
  output: z.object({ feedId: z.string(), url: z.string() }),
});

export const removeFeed = defineAction({
  name: 'removeFeed',
  method: 'DELETE',
  path: '/v1/ownFeeds/{id}',
  access: 'signed-in',
  about: "Removes a feed of the caller's. Its link is dead at once.",
  input: z.object({ id: guidSchema }),
});

export const readFeed = defineAction({
  name: 'readFeed',
  method: 'GET',
  path: '/v1/feeds/{token}',
  access: 'anonymous',
  about: 'A feed, for whoever has its link: Atom of work units, or an iCalendar file of changes, maintenance and freezes.',
  noStore: true,
  input: z.object({ token: z.string().max(500) }),
  content: 'application/atom+xml',
});

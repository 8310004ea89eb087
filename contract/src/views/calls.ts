/** Calls about the saved views of the caller, and how many rows lists have. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';
import { asOneLine } from '../text-checks.ts';
import { viewLimits, viewScreens, viewSharing, type ViewScreen } from './screens.ts';

const screen = z.enum(Object.keys(viewScreens) as [ViewScreen, ...ViewScreen[]], { error: 'Views cannot be saved of this list.' });
const title = (label: string) =>
  z
    .string()
    .trim()
    .min(1, `${label} is required.`)
    .check(...asOneLine(label));
const sharing = z.enum(viewSharing, { error: `A view is shared with one of ${viewSharing.join(', ')}.` });

/** What a person decides about a view. */
const chosen = {
  name: title('The name').max(viewLimits.name, `The name has at most ${viewLimits.name} characters.`),
  /** The query of the list's address: filters, search and sort. */
  address: z.string().max(viewLimits.address, 'This view has too many filters.'),
  /** The filter of the rows for their count, with `readerMarks` in place of the reader; null for all rows. */
  filter: z.string().max(viewLimits.filter, 'This view has too many filters.').nullable(),
  /** Columns that are hidden; null leaves the columns as the reader has them. */
  hidden: z.array(z.string().max(100)).max(viewLimits.columns).nullable(),
  sharing,
  /** The assignment group, for a view that is shared with a team. */
  team: title('The team').max(200).nullable(),
  inMenu: z.boolean(),
  /** The tenant to whose people the view is shared; nobody without access to it sees the view. */
  tenantId: guidSchema,
};

const shown = z.object({
  savedViewId: z.string(),
  screen,
  ...chosen,
  /** The sign-in name of its owner; null if there is none any more. */
  owner: z.string().nullable(),
  isMine: z.boolean(),
  mayChange: z.boolean(),
  /** Whether the list opens with this view for the caller. */
  isDefault: z.boolean(),
});

export const savedViews = defineAction({
  name: 'savedViews',
  method: 'GET',
  path: '/v1/savedViews',
  access: 'signed-in',
  about:
    "The caller's views of lists, those of the caller's teams, and those of one tenant. A view stands for filters; it shows nobody rows that they may not view.",
  input: z.object({ tenantId: z.optional(guidSchema) }),
  output: z.object({
    views: z.array(shown),
    /** Assignment groups of the caller, with which a view can be shared. */
    teams: z.array(z.string()),
  }),
});

export const saveView = defineAction({
  name: 'saveView',
  method: 'POST',
  path: '/v1/savedViews',
  access: 'signed-in',
  about: 'Saves a view of a list. Sharing it with a tenant requires the permission to create dashboards there.',
  repeatable: true,
  input: z.object({ screen, ...chosen }),
  output: z.object({ savedViewId: z.string() }),
});

export const changeView = defineAction({
  name: 'changeView',
  method: 'POST',
  path: '/v1/savedViews/{id}',
  access: 'signed-in',
  about: "Changes a view: one's own, or a shared one of a tenant whose settings the caller may edit.",
  input: z.object({ id: guidSchema, ...z.object(chosen).partial().shape }),
  output: z.object({ savedViewId: z.string() }),
});

export const removeView = defineAction({
  name: 'removeView',
  method: 'DELETE',
  path: '/v1/savedViews/{id}',
  access: 'signed-in',
  about: "Deletes a view: one's own, or a shared one of a tenant whose settings the caller may edit.",
  input: z.object({ id: guidSchema }),
});

export const chooseDefaultView = defineAction({
  name: 'chooseDefaultView',
  method: 'POST',
  path: '/v1/savedViews/default/{screen}',
  access: 'signed-in',
  about: 'Sets the view with which a list opens for the caller; null opens it without one.',
  input: z.object({ screen, savedViewId: z.nullable(guidSchema) }),
});

export const countRows = defineAction({
  name: 'countRows',
  method: 'POST',
  path: '/v1/countRows',
  access: 'signed-in',
  reads: true,
  about: `How many rows lists have, named by their screens, each counted up to ${viewLimits.countUpTo} with the rights of the caller; null for a list that the caller may not view, or whose filter is not valid.`,
  input: z.object({
    lists: z
      .array(z.object({ screen, filter: z.string().max(viewLimits.filter).nullable() }))
      .min(1, 'Please name at least one list.')
      .max(viewLimits.counted, `At most ${viewLimits.counted} lists at once.`),
  }),
  output: z.object({ counts: z.array(z.int().nullable()) }),
});

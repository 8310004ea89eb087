/** Calls of knowledge articles besides those of the entity: what a search found, what may help, and that it did. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { permission, viewMine } from '../permissions.ts';
import { guidSchema } from '../resource.ts';

const readers = { anyOf: [permission('Articles', 'view'), permission('WorkUnits', 'view'), viewMine] } as const;

export const articlePlaces = defineAction({
  name: 'articlePlaces',
  method: 'POST',
  path: '/v1/knowledgearticles/searchplaces',
  access: readers,
  about:
    'Where knowledge articles have a searched text: what the search looks for, mistyped words corrected, and for each article whose title has not all of it a part of its keywords or text.',
  input: z.object({
    text: z.string().max(500, 'A searched text has at most 500 characters.'),
    knowledgeArticleIds: z.array(guidSchema).max(100, 'At most 100 articles at a time.'),
  }),
  output: z.object({
    /** A term has alternatives with | between them; a blank is the beginning of a word. */
    terms: z.array(z.string()),
    places: z.array(z.object({ knowledgeArticleId: z.string(), text: z.string() })),
  }),
  reads: true,
});

export const suggestArticles = defineAction({
  name: 'suggestArticles',
  method: 'GET',
  path: '/v1/knowledgearticles/suggest',
  access: readers,
  about:
    'Up to three published articles that may help with a work unit that is being written or open, the best first: by the words of its title, its category, and articles that were used in units of the same rule or category. The runbook of the rule that opened the unit comes before them.',
  input: z.object({
    tenantId: guidSchema,
    title: z.string().max(500, 'At most 500 characters.').default(''),
    workUnitCategoryId: z.optional(guidSchema),
    /** The unit, once it exists; only for those who may view it. */
    workUnitId: z.coerce.number().int().positive().optional(),
  }),
  output: z.object({
    articles: z.array(
      z.object({
        knowledgeArticleId: z.string(),
        title: z.string(),
        excerpt: z.string(),
        /** Whether the rule that opened the unit names it as its runbook; it is the first then. */
        isRunbook: z.boolean(),
      }),
    ),
  }),
});

export const countArticleUse = defineAction({
  name: 'countArticleUse',
  method: 'POST',
  path: '/v1/knowledgearticles/{id}/use',
  access: readers,
  about:
    'Counts that the caller has read the article, or that it has answered a request, which was not sent then. Each person counts once a day and kind.',
  input: z.object({ id: guidSchema, kind: z.enum(['Viewed', 'Solved'], { error: 'kind is one of Viewed, Solved.' }) }),
  output: z.object({ counted: z.boolean() }),
});

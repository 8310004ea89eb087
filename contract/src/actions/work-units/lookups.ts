/** Lookups of work unit forms; the spellings are the spec's. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { permission, viewMine } from '../../permissions.ts';

export const categoryLookup = defineAction({
  name: 'categoryLookup',
  method: 'GET',
  path: '/api/generallookup/workunitcatgories',
  access: { anyOf: [permission('WorkUnits.Categories', 'view'), viewMine] },
  about: 'The categories of work units. Callers who see only their requests get the enabled ones of the resolution center.',
  input: z.object({}),
  output: z.array(
    z.object({
      workUnitCategoryId: z.string(),
      name: z.string(),
      tenantId: z.string(),
      workUnitTypeId: z.number(),
      isEnabled: z.boolean(),
      isVisibleInResolutionCenter: z.boolean(),
    }),
  ),
});

export const subcategoryLookup = defineAction({
  name: 'subcategoryLookup',
  method: 'GET',
  path: '/api/generallookup/workunitsubcatgories',
  access: { anyOf: [permission('WorkUnits.Subcategories', 'view'), viewMine] },
  about: 'The subcategories of those categories.',
  input: z.object({}),
  output: z.array(
    z.object({ workUnitSubcategoryId: z.string(), name: z.string(), workUnitCategoryId: z.string(), isEnabled: z.boolean() }),
  ),
});

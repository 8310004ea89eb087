import { workUnitCategories } from '@cloudfit/contract/resources/work-unit-categories.ts';
import { workUnitSubcategories } from '@cloudfit/contract/resources/work-unit-subcategories.ts';
import { serve } from '../../../resources/served.ts';

export const servedWorkUnitCategories = serve(workUnitCategories, 'work_unit_category');

export const servedWorkUnitSubcategories = serve(workUnitSubcategories, 'work_unit_subcategory', {
  fill: async (ctx, { verb, after }) => {
    if (verb !== 'create') return {};
    const [category] = await ctx.db.query<{ tenant_id: string }>({
      text: 'select tenant_id from work_unit_category where work_unit_category_id = $1',
      values: [after.workUnitCategoryId],
    });
    return category ? { tenantId: category.tenant_id } : {};
  },
});

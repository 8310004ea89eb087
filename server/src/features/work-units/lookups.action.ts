/** Categories and subcategories for forms, limited to those that the caller may see. */
import { categoryLookup, subcategoryLookup } from '@cloudfit/contract/actions/work-units/lookups.ts';
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import type { TenantScope } from '../../db/db.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';

/** Null stands for all tenants. */
const tenantsOf = (scope: TenantScope): readonly string[] | null => (scope === 'all' ? null : scope);

/** Returns the tenants whose categories the caller may view in full, and those whose resolution center the caller may use. */
function scopesOf(
  ctx: Ctx,
  area: 'WorkUnits.Categories' | 'WorkUnits.Subcategories',
): [whole: readonly string[] | null, offered: readonly string[] | null] {
  return [tenantsOf(tenantScopeWith(ctx, [permission(area, 'view')])), tenantsOf(tenantScopeWith(ctx, [viewMine]))];
}

/** Whether the caller may see a category `c`: by the permission to view it, or because the resolution center offers it. */
const visibleCategories = `(($1::uuid[] is null or c.tenant_id = any($1::uuid[]))
  or (c.is_enabled and c.is_visible_in_resolution_center and ($2::uuid[] is null or c.tenant_id = any($2::uuid[]))))`;

const categories = implement(categoryLookup, (ctx) =>
  ctx.db.query<{
    workUnitCategoryId: string;
    name: string;
    tenantId: string;
    workUnitTypeId: number;
    isEnabled: boolean;
    isVisibleInResolutionCenter: boolean;
  }>({
    name: 'lookup-categories',
    text: `select work_unit_category_id as "workUnitCategoryId", name, tenant_id as "tenantId", work_unit_type_id as "workUnitTypeId",
        is_enabled as "isEnabled", is_visible_in_resolution_center as "isVisibleInResolutionCenter"
      from work_unit_category c where ${visibleCategories} order by name collate natural_order, work_unit_category_id limit 5000`,
    values: scopesOf(ctx, 'WorkUnits.Categories'),
  }),
);

const subcategories = implement(subcategoryLookup, (ctx) =>
  ctx.db.query<{ workUnitSubcategoryId: string; name: string; workUnitCategoryId: string; isEnabled: boolean }>({
    name: 'lookup-subcategories',
    text: `select s.work_unit_subcategory_id as "workUnitSubcategoryId", s.name, s.work_unit_category_id as "workUnitCategoryId", s.is_enabled as "isEnabled"
      from work_unit_subcategory s join work_unit_category c on c.work_unit_category_id = s.work_unit_category_id
      where ${visibleCategories} and (s.is_enabled or $1::uuid[] is null or c.tenant_id = any($1::uuid[])) order by s.name collate natural_order, s.work_unit_subcategory_id limit 10000`,
    values: scopesOf(ctx, 'WorkUnits.Subcategories'),
  }),
);

export const workUnitLookupActions: readonly ImplementedAction[] = [categories, subcategories];

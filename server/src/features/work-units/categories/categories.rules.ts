/** A category must fit the type of its work unit, a subcategory its category; both must be enabled when they are chosen. */
import type { Ctx } from '../../../context/ctx.ts';
import type { FieldError } from '../../../resources/served.ts';
import type { WorkUnitRow } from '../state.rules.ts';

interface CategoryFit {
  categoryFits: boolean | null;
  subcategoryFits: boolean | null;
}

/** Returns errors of changed fields only: a work unit keeps a category that is disabled later. */
export async function categoryFaults(ctx: Ctx, after: WorkUnitRow, changed: readonly string[]): Promise<FieldError[]> {
  const category = changed.includes('workUnitCategoryId') ? (after.workUnitCategoryId ?? null) : null;
  const touched = changed.includes('workUnitCategoryId') || changed.includes('workUnitSubcategoryId');
  const subcategory = touched ? (after.workUnitSubcategoryId ?? null) : null;
  if (!category && !subcategory) return [];
  const [chosen] = await ctx.db.query<CategoryFit>({
    name: 'work-unit-category',
    text: `select (select is_enabled and work_unit_type_id = $3 from work_unit_category where work_unit_category_id = $1) as "categoryFits",
      (select (is_enabled or not $5) and work_unit_category_id is not distinct from $4 from work_unit_subcategory where work_unit_subcategory_id = $2) as "subcategoryFits"`,
    values: [category, subcategory, after.workUnitTypeId, after.workUnitCategoryId ?? null, changed.includes('workUnitSubcategoryId')],
  });
  const errors: FieldError[] = [];
  if (category && chosen?.categoryFits === false)
    errors.push({ target: 'workUnitCategoryId', message: 'This category is disabled or belongs to another work unit type.' });
  if (subcategory && chosen?.subcategoryFits === false)
    errors.push({ target: 'workUnitSubcategoryId', message: 'This subcategory is disabled or belongs to another category.' });
  return errors;
}

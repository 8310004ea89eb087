import type { Row } from '@cloudfit/contract/resource.ts';
import type { workUnitCategories } from '@cloudfit/contract/resources/work-unit-categories.ts';
import { categoryTexts as t } from '@cloudfit/contract/messages/categories.en.ts';
import { useSubcategoriesPanel } from './use-subcategories-panel.ts';

/** The number of subcategories; a click opens them. */
export function SubcategoriesLink({
  category,
  count,
}: {
  category: Pick<Row<typeof workUnitCategories>, 'workUnitCategoryId' | 'name'>;
  count: number;
}) {
  const { open } = useSubcategoriesPanel();
  return (
    <button
      type="button"
      className="link num"
      aria-label={`${count} ${t.openSubcategories(category.name)}`}
      title={t.openSubcategories(category.name)}
      onClick={(event) => {
        event.stopPropagation();
        open(category.workUnitCategoryId);
      }}
    >
      {count}
    </button>
  );
}

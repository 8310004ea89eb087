import { categoryTexts as t } from '@cloudfit/contract/messages/categories.en.ts';
import type { AnyRow } from '../../resource/row.ts';
import { useSubcategories } from './use-subcategories.ts';

/** How many there are; opens them. */
export function SubcategoriesLink({ category, count }: { category: AnyRow; count: number }) {
  const { open } = useSubcategories();
  return (
    <button
      type="button"
      className="link num"
      aria-label={`${count} ${t.openSubcategories(String(category['name']))}`}
      title={t.openSubcategories(String(category['name']))}
      onClick={(event) => {
        event.stopPropagation();
        open(String(category['workUnitCategoryId']));
      }}
    >
      {count}
    </button>
  );
}

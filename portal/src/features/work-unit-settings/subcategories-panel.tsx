/** The subcategories of one category: create, rename, enable and disable. */
import { categoryTexts as t } from '@cloudfit/contract/messages/categories.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnitCategories } from '@cloudfit/contract/resources/work-unit-categories.ts';
import { workUnitSubcategories } from '@cloudfit/contract/resources/work-unit-subcategories.ts';
import type { TableColumn } from '../../components/table/table-column.ts';
import { ChildrenPanel } from '../../resource/children-panel.tsx';
import { useRow } from '../../rows/use-rows.ts';
import type { View } from '../../resource/view.ts';
import { ToggleCell } from './toggle-cell.tsx';
import { subcategoryParam } from './use-subcategories-panel.ts';

const resource = workUnitSubcategories;

const viewOf = (categoryId: string): View<typeof workUnitSubcategories> => ({
  resource,
  icon: 'sliders',
  texts: { title: t.subcategories, saveFailed: t.subcategorySaveFailed },
  columns: ['name'],
  panelParam: subcategoryParam,
  form: { sections: [{ fields: ['name', 'isEnabled'] }] },
  start: { workUnitCategoryId: categoryId },
});

const columns: readonly TableColumn<Row<typeof workUnitSubcategories>>[] = [
  {
    id: 'isEnabled',
    header: t.enabled,
    width: 84,
    cell: (row) => <ToggleCell resource={resource} row={row} name="isEnabled" label={t.enabled} failed={t.subcategorySaveFailed} />,
  },
];

const texts = {
  titleOf: t.subcategoriesOf,
  removedText: t.notFound,
  failed: t.failed,
  none: t.noSubcategories,
  noneText: t.noSubcategoriesText,
  create: t.createSubcategory,
  edit: t.editSubcategory,
};

export function SubcategoriesPanel({ categoryId, onClose }: { categoryId: string; onClose: () => void }) {
  const category = useRow(workUnitCategories, categoryId);
  return (
    <ChildrenPanel
      parent={category}
      parentId={categoryId}
      parentField="workUnitCategoryId"
      view={viewOf(categoryId)}
      columns={columns}
      texts={texts}
      note={category.data?.isEnabled === false && <p className="notice">{t.disabledNote}</p>}
      onClose={onClose}
    />
  );
}

import { eq } from '@cloudfit/contract/query/build.ts';
import { categoryTexts as t } from '@cloudfit/contract/messages/categories.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { workUnitCategories } from '@cloudfit/contract/resources/work-unit-categories.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';
import { SubcategoriesLink } from './subcategories-link.tsx';
import { ToggleCell } from './toggle-cell.tsx';
import { TypeSelect } from './type-select.tsx';

const resource = workUnitCategories;

type CategoryRow = ExpandedRow<typeof workUnitCategories, 'workUnitType' | 'subcategories($select=workUnitSubcategoryId)'>;

/** Flag of the list that shows enabled categories only (CAT-003). */
export const enabledFlag = 'enabled';

/** Returns a column that a phone shows, too: among the details, a bare Yes would not say what it refers to. */
function switchColumn(
  name: 'isEnabled' | 'isVisibleInResolutionCenter',
  header: string,
  width: number,
): ViewColumn<Row<typeof workUnitCategories>> {
  const { below: _below, ...column } = fieldColumn(resource, name);
  return {
    ...column,
    header,
    width,
    cell: (row) => <ToggleCell resource={resource} row={row} name={name} label={header} failed={t.saveFailed} />,
  };
}

function typeName({ workUnitType }: CategoryRow): string {
  const name = workUnitType?.name ?? '';
  return name === 'Request' ? en.workUnits.userRequest : name;
}

const countOf = (row: CategoryRow) => row.subcategories.length;

export const categoriesView = defineView({
  resource,
  icon: 'sliders',
  texts: { title: en.shell.items.workUnitSettings, saveFailed: t.saveFailed, emptyText: t.emptyText },
  columns: [
    'name',
    { ...fieldColumn(resource, 'workUnitTypeId'), width: 150, tone: 'soft', cell: typeName, text: typeName },
    {
      id: 'subcategories',
      header: t.subcategories,
      width: 120,
      cell: (row) => <SubcategoriesLink category={row} count={countOf(row)} />,
      text: (row) => String(countOf(row)),
    },
    switchColumn('isEnabled', t.enabled, 92),
    { ...switchColumn('isVisibleInResolutionCenter', t.visible, 150), below: 'md' },
    { ...fieldColumn(resource, 'tenantId'), tone: 'soft' },
  ],
  expand: ['tenant', 'workUnitType', 'subcategories($select=workUnitSubcategoryId)'],
  base: ({ tenantId }, flags) => [
    tenantId ? eq(workUnitCategories, 'tenantId', tenantId) : undefined,
    flags.includes(enabledFlag) ? eq(workUnitCategories, 'isEnabled', true) : undefined,
  ],
  flags: [enabledFlag],
  filters: ['workUnitTypeId', 'isVisibleInResolutionCenter'],
  form: {
    sections: [{ fields: ['name', 'workUnitTypeId', 'isEnabled', 'isVisibleInResolutionCenter', 'tenantId'] }],
    inputs: { workUnitTypeId: TypeSelect },
    requiredTexts: { workUnitTypeId: t.chooseType },
  },
});

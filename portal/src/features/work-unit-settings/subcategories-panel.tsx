/** The subcategories of one category: create, rename, switch on and off. */
import { eq } from '@cloudfit/contract/query/build.ts';
import { categoryTexts as t } from '@cloudfit/contract/messages/categories.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnitCategories } from '@cloudfit/contract/resources/work-unit-categories.ts';
import { workUnitSubcategories } from '@cloudfit/contract/resources/work-unit-subcategories.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { ResourcePanel } from '../../resource/resource-panel.tsx';
import { keyOf, titleOf } from '../../rows/row.ts';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { useList, useRow } from '../../rows/use-rows.ts';
import type { View } from '../../resource/view.ts';
import { ToggleCell } from './toggle-cell.tsx';
import { subcategoryParam } from './use-subcategories.ts';
import './work-unit-settings.css';

const resource = workUnitSubcategories;
const most = 1_000;

const viewOf = (categoryId: string): View<typeof workUnitSubcategories> => ({
  resource,
  icon: 'sliders',
  texts: { title: t.subcategories, saveFailed: t.subcategorySaveFailed },
  columns: ['name'],
  panelParam: subcategoryParam,
  form: { sections: [{ fields: ['name', 'isEnabled'] }] },
  start: { workUnitCategoryId: categoryId },
});

function columnsOf(open: (id: string) => void, canEdit: boolean): readonly TableColumn<Row<typeof workUnitSubcategories>>[] {
  return [
    {
      id: 'name',
      header: resource.fields.name.label,
      width: 160,
      grow: true,
      tone: 'strong',
      cell: (row) => (
        <button type="button" className="link" onClick={() => open(keyOf(resource, row))}>
          {titleOf(resource, row)}
        </button>
      ),
    },
    {
      id: 'isEnabled',
      header: t.enabled,
      width: 84,
      cell: (row) => <ToggleCell resource={resource} row={row} name="isEnabled" label={t.enabled} failed={t.subcategorySaveFailed} />,
    },
    {
      id: 'actions',
      header: en.common.actions,
      width: 76,
      align: 'end',
      cell: (row) =>
        canEdit && (
          <IconButton
            small
            icon="edit"
            label={t.editSubcategory(titleOf(resource, row))}
            title={en.common.edit}
            onClick={() => open(keyOf(resource, row))}
          />
        ),
    },
  ];
}

export function SubcategoriesPanel({ categoryId, onClose }: { categoryId: string; onClose: () => void }) {
  const may = useMay();
  const { id, open, close } = usePanel(subcategoryParam);
  const category = useRow(workUnitCategories, categoryId);
  const list = useList(resource, {
    filter: eq('workUnitCategoryId', categoryId, 'guid'),
    orderBy: 'name asc',
    top: most,
  });
  const rows = list.data?.rows ?? [];
  const error = category.error ?? list.error;
  const isGone = category.error instanceof RequestFailed && category.error.status === 404;
  const retry = () => void Promise.all([category.refetch(), list.refetch()]);

  return (
    <>
      <SidePanel
        title={category.data ? t.subcategoriesOf(category.data.name) : t.subcategories}
        onClose={onClose}
        footer={
          <>
            {may(resource.area, 'create') && !error && (
              <Button look="primary" icon="plus" onClick={() => open(newId)}>
                {t.createSubcategory}
              </Button>
            )}
            <Button onClick={onClose}>{en.common.close}</Button>
          </>
        }
      >
        <div className="body">
          {category.data?.['isEnabled'] === false && <p className="notice">{t.disabledNote}</p>}
          {error ? (
            <ErrorState
              title={isGone ? t.gone : t.failed}
              text={isGone ? undefined : failureText(error)}
              onRetry={isGone ? undefined : retry}
            />
          ) : list.data && rows.length === 0 ? (
            <EmptyState small title={t.noSubcategories} text={t.noSubcategoriesText} />
          ) : (
            <div className="subcategories">
              <DataTable
                label={t.subcategories}
                columns={columnsOf(open, may(resource.area, 'edit'))}
                rows={rows}
                rowKey={(row) => keyOf(resource, row)}
                rowName={(row) => titleOf(resource, row)}
                sorting={[]}
                onSort={() => undefined}
                openKey={id ?? undefined}
                skeletonRows={list.data ? 0 : 4}
              />
            </div>
          )}
        </div>
      </SidePanel>
      {id && (
        <ResourcePanel
          key={id}
          view={viewOf(categoryId)}
          id={id}
          row={rows.find((row) => keyOf(resource, row) === id)}
          onClose={() => close()}
        />
      )}
    </>
  );
}

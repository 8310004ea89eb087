/** The child rows of one parent row, in a panel: listed, created, edited. */
import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { FieldName, Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { useMay } from '../api/lookups.ts';
import { Button, IconButton } from '../components/button.tsx';
import { SidePanel } from '../components/side-panel.tsx';
import { EmptyState } from '../components/states.tsx';
import { DataTable } from '../components/table/data-table.tsx';
import type { TableColumn } from '../components/table/table-column.ts';
import { ResourcePanel } from './resource-panel.tsx';
import { keyOf, labelOf, titleOf } from '../rows/row.ts';
import { newId, usePanel } from '../hooks/use-panel.ts';
import { useList } from '../rows/use-rows.ts';
import type { View } from './view.ts';
import { LoadFailure } from '../rows/load-failure.tsx';

interface ChildrenPanelProps<R extends Resource> {
  parent: { data: { name: string } | undefined; error: unknown; refetch: () => Promise<unknown> };
  parentId: string;
  /** The field of a child that names its parent. */
  parentField: FieldName<R>;
  /** The form of a child. Its `panelParam` names the child in the address. */
  view: View<R>;
  /** Columns between the name and the edit button. */
  columns: readonly TableColumn<ExpandedRow<R>>[];
  /** A remark about the parent, above the list. */
  note?: ReactNode;
  texts: {
    titleOf: (parent: string) => string;
    /** Shown when the parent does not exist, or the person may not see it. */
    removedText: string;
    failed: string;
    none: string;
    noneText: string;
    create: string;
    edit: (child: string) => string;
  };
  onSaved?: () => void;
  onClose: () => void;
}

const maxChildren = 1_000;

export function ChildrenPanel<R extends Resource>({
  parent,
  parentId,
  parentField,
  view,
  columns,
  note,
  texts,
  onSaved,
  onClose,
}: ChildrenPanelProps<R>) {
  const { resource } = view;
  const may = useMay();
  const { id, open, close } = usePanel(view.panelParam);
  const list = useList(resource, { filter: eq(resource, parentField, parentId), orderBy: 'name asc', top: maxChildren });
  const rows = list.data?.rows ?? [];
  const error = parent.error ?? list.error;
  const refetch = () => Promise.all([parent.refetch(), list.refetch()]);
  const canEdit = may(resource.area, 'edit');
  const title = view.texts.title;
  const allColumns: readonly TableColumn<ExpandedRow<R>>[] = [
    {
      id: 'name',
      header: labelOf(resource, 'name'),
      width: 160,
      grow: true,
      tone: 'strong',
      cell: (row) => (
        <button type="button" className="link" onClick={() => open(keyOf(resource, row))}>
          {titleOf(resource, row)}
        </button>
      ),
    },
    ...columns,
    {
      id: 'actions',
      header: en.common.actions,
      width: 76,
      align: 'end',
      cell: (row) => {
        const label = texts.edit(titleOf(resource, row));
        return canEdit && <IconButton small icon="edit" label={label} title={en.common.edit} onClick={() => open(keyOf(resource, row))} />;
      },
    },
  ];
  return (
    <>
      <SidePanel
        title={parent.data ? texts.titleOf(parent.data.name) : title}
        onClose={onClose}
        footer={
          <>
            {may(resource.area, 'create') && !error && (
              <Button look="primary" icon="plus" onClick={() => open(newId)}>
                {texts.create}
              </Button>
            )}
            <Button onClick={onClose}>{en.common.close}</Button>
          </>
        }
      >
        <div className="body">
          {note}
          {error ? (
            <LoadFailure query={{ error, refetch }} failed={texts.failed} missing={texts.removedText} />
          ) : list.data && rows.length === 0 ? (
            <EmptyState small title={texts.none} text={texts.noneText} />
          ) : (
            <div className="framed-table">
              <DataTable
                label={title}
                columns={allColumns}
                rows={rows}
                rowKey={(row) => keyOf(resource, row)}
                rowName={(row) => titleOf(resource, row)}
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
          view={view}
          id={id}
          onSaved={onSaved}
          row={rows.find((row) => keyOf(resource, row) === id)}
          onClose={() => close()}
        />
      )}
    </>
  );
}

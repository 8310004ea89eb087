import { useMemo } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import type { TableColumn } from '../components/table/table-column.ts';
import { usePhone } from '../components/use-phone.ts';
import { RowActions } from './row-actions.tsx';
import { TitleCell } from './title-cell.tsx';
import type { RowOpening } from './use-opening.ts';
import { offers, type View, type ViewColumn } from './view.ts';

/** Whether a field is an id that refers to no other row: such an id has no meaning for people. */
const isOwnId = (resource: Resource, name: string) => resource.fields[name]?.kind === 'guid' && !resource.fields[name]?.ref;

/** Width of the single button that a row has on a phone. */
const phoneActionsWidth = 56;

const noDetails: readonly ViewColumn<object>[] = [];

/** Adds the link that opens the row to the columns, and the actions of a row at the end. */
export function useTableColumns<R extends Resource, Item extends ExpandItem<R>>(
  view: View<R, Item>,
  columns: readonly ViewColumn<ExpandedRow<R, Item>>[],
  opening: RowOpening<ExpandedRow<R, Item>>,
): readonly TableColumn<ExpandedRow<R, Item>>[] {
  const isPhone = usePhone();
  return useMemo(() => {
    const { resource } = view;
    const details = columns.filter((column) => column.below === 'sm' && column.text && !isOwnId(resource, column.id)).slice(0, 4);
    const linked = columns.map((column) =>
      column.id === resource.title
        ? {
            ...column,
            grow: isPhone || column.grow === true,
            // The link truncates its own text.
            fits: true as const,
            cell: (row: ExpandedRow<R, Item>) => (
              <TitleCell
                view={view}
                row={row}
                column={column}
                isPhone={isPhone}
                details={isPhone ? details : noDetails}
                opening={opening}
              />
            ),
          }
        : column,
    );
    const hasMenu = view.actions !== undefined || offers(view, 'delete');
    if (!hasMenu && !offers(view, 'update')) return linked;
    const actions: TableColumn<ExpandedRow<R, Item>> = {
      id: 'actions',
      header: view.texts.actions ?? en.common.actions,
      width: isPhone ? phoneActionsWidth : 92,
      quiet: isPhone,
      fits: true,
      // Without a menu, a phone has no column of actions, because a click on the row opens its form.
      ...(hasMenu ? {} : { below: 'sm' as const }),
      align: 'end',
      cell: (row) => <RowActions view={view} row={row} onEdit={() => (opening.edit ?? opening.open)(row)} />,
    };
    return [...linked, actions];
  }, [columns, isPhone, opening, view]);
}

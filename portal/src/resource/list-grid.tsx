/** The rows of a list, or the reason why there are none. */
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { useMarks } from '../api/live.ts';
import { EmptyState, Progress } from '../components/states.tsx';
import { DataTable } from '../components/table/data-table.tsx';
import { SelectionActs } from '../components/table/selection-acts.tsx';
import { useMoreAtEnd } from '../hooks/use-more-at-end.ts';
import type { ListSelection } from '../hooks/use-selection.ts';
import { keyOf, titleOf } from '../rows/row.ts';
import { NoneMatch, type WiderFilters } from './none-match.tsx';
import type { ListScreen } from './use-list-screen.ts';
import type { RowOpening } from './use-opening.ts';
import { useTableColumns } from './use-table-columns.tsx';
import { isDenied, LoadFailure } from '../rows/load-failure.tsx';

interface ListGridProps<R extends Resource, Item extends ExpandItem<R>> {
  screen: ListScreen<R, Item>;
  opening: RowOpening<ExpandedRow<R, Item>>;
  /** The row whose panel is open. */
  opened?: ExpandedRow<R, Item> | undefined;
  selection?: ListSelection;
  /** What an empty list offers besides showing all rows. */
  wider?: WiderFilters;
}

export function ListGrid<R extends Resource, Item extends ExpandItem<R>>({
  screen,
  opening,
  opened,
  selection,
  wider,
}: ListGridProps<R, Item>) {
  const { view, state, change, columns, list, rows, place } = screen;
  const { resource, texts, icon } = view;
  const shown = useTableColumns(view, columns.columns, opening);
  const isMarked = useMarks(resource.name);
  const hasMore = useMoreAtEnd(place);
  const isNarrowed = state.search !== '' || Object.keys(state.filters).length > 0 || state.quick.length > 0;
  const isEmpty = list.data?.rows.length === 0;
  // Rows that were loaded before the permission was removed are hidden.
  if (list.error && (isDenied(list.error) || !list.data)) {
    return (
      <div className="table-scroll">
        <LoadFailure query={list} failed={en.failure.list} denied={en.auth.deniedText} />
      </div>
    );
  }
  return (
    <div className={`table-place ${list.isPlaceholderData ? 'stale' : ''} ${hasMore ? 'more' : ''}`}>
      {list.isPlaceholderData && <Progress label={en.grid.updating} />}
      {selection?.acts && <SelectionActs>{selection.acts}</SelectionActs>}
      <div ref={place} className="table-scroll" tabIndex={-1}>
        <DataTable
          label={texts.title}
          columns={shown}
          rows={rows}
          rowKey={(row) => keyOf(resource, row)}
          rowName={(row) => titleOf(resource, row)}
          hidden={columns.hidden}
          sorting={state.sort}
          onSort={(sort) => change({ sort })}
          openKey={opened ? keyOf(resource, opened) : undefined}
          onOpen={opening.open}
          onPress={opening.press}
          isMarked={isMarked}
          skeletonRows={list.data ? 0 : state.rows}
          headCovered={Boolean(selection?.acts)}
          {...(selection ? { selection } : {})}
        />
        {isEmpty && !isNarrowed && (
          <EmptyState icon={icon} title={en.grid.emptyTitle(resource.plural)} text={texts.emptyText ?? en.grid.emptyText} />
        )}
        {isEmpty && isNarrowed && !list.isPlaceholderData && <NoneMatch listing={view} state={state} change={change} wider={wider} />}
      </div>
    </div>
  );
}

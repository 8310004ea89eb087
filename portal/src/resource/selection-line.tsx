import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ListScreen } from './use-list-screen.ts';
import type { ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { toastFailure } from '../hooks/toast-failure.ts';
import { fetchPage } from '../rows/use-rows.ts';
import { selectedKeys, type WholeSelection } from '../hooks/use-selection.ts';
import { keyOf } from '../rows/row.ts';
import { countText } from '../components/count.ts';
import type { RowSelection } from '../components/table/table-state.ts';

interface SelectionLineProps<R extends Resource, Item extends ExpandItem<R>> {
  screen: ListScreen<R, Item>;
  selection: RowSelection;
  locked?: boolean;
  onChange: (next: RowSelection) => void;
  /** Present if all rows of the filter can be selected, even more than `maxRows`. */
  whole?: WholeSelection | undefined;
}

/** The maximum number of rows that one call changes. */
const maxRows = 1_000;

/** The number of selected rows on all pages, and a button that selects all rows of the list. */
export function SelectionLine<R extends Resource, Item extends ExpandItem<R>>(props: SelectionLineProps<R, Item>) {
  const { screen, selection, locked = false, onChange, whole } = props;
  const { view, query, count = 0 } = screen;
  const [isBusy, setBusy] = useState(false);
  const selected = selectedKeys(selection).length;
  const { filter } = query;
  if (whole?.value)
    return (
      <span className="selection-line" role="status">
        <span>{t.allSelected(countText(whole.value.count))}</span>
        <button type="button" className="link" onClick={() => whole.onChange(undefined)}>
          {t.clearSelection}
        </button>
      </span>
    );
  if (selected === 0) return null;
  const isMore = count > maxRows;
  const takesWhole = isMore && whole !== undefined && filter !== undefined;
  const selectAll = async () => {
    if (takesWhole) {
      onChange({});
      return whole.onChange({ filter, count });
    }
    setBusy(true);
    try {
      const page = { filter, orderBy: query.orderBy, select: [view.resource.key], top: maxRows };
      const { rows } = await fetchPage<Resource, never, string>(view.resource, page);
      onChange(Object.fromEntries(rows.map((row) => [keyOf(view.resource, row), true])));
    } catch (error) {
      console.warn(error);
      toastFailure(error, t.selectFailed);
    }
    setBusy(false);
  };
  return (
    <span className="selection-line" role="status">
      <span>{en.common.selected(selected)}</span>
      {selected < Math.min(count, maxRows) && (
        <button type="button" className="link" data-select-all disabled={isBusy || locked} onClick={() => void selectAll()}>
          {isMore && !takesWhole ? t.selectFirst(countText(maxRows)) : t.selectAllMatching(countText(count))}
        </button>
      )}
      <button type="button" className="link" disabled={locked} onClick={() => onChange({})}>
        {t.clearSelection}
      </button>
    </span>
  );
}

/** The bar above a list: search, the page's additions, columns, exports, create. */
import type { ReactNode } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../api/lookups.ts';
import { Button } from '../components/button.tsx';
import { SearchBox } from '../components/search-box.tsx';
import { ColumnChooser } from '../components/table/column-chooser.tsx';
import { ExportButtons } from '../export/export-buttons.tsx';
import { useSearchLanguage } from '../operators/use-search-language.ts';
import type { ListScreen } from './use-list-screen.ts';
import { ViewsMenu } from '../views/views-menu.tsx';
import { newId } from '../hooks/use-panel.ts';
import { offers } from './view.ts';

interface ListToolbarProps<R extends Resource, Item extends ExpandItem<R>> {
  screen: ListScreen<R, Item>;
  open: (key: string) => void;
  bar?: ReactNode;
  /** Replaces the Create button. */
  create?: ReactNode;
  /** Filters beside the search. */
  children?: ReactNode;
}

export function ListToolbar<R extends Resource, Item extends ExpandItem<R>>({
  screen: { view, state, change, columns, rows, count, query },
  open,
  bar,
  create,
  children,
}: ListToolbarProps<R, Item>) {
  const { resource } = view;
  const language = useSearchLanguage(view, state, change);
  const may = useMay();
  const canCreate = offers(view, 'create') && may(resource.area, 'create');
  return (
    <div className="page-bar">
      <SearchBox
        label={en.grid.searchIn(resource.plural)}
        value={state.search}
        exact={state.exact}
        debounceMs={view.searchDebounceMs ?? 500}
        language={language}
        onSearch={(search, exact) => change({ search, exact }, { replace: true })}
      />
      {children}
      <ViewsMenu listing={view} state={state} hidden={columns.hidden} />
      <span className="grow" />
      <span className="row only-wide">
        <ColumnChooser columns={columns.columns} hidden={columns.hidden} onChange={columns.setHidden} />
        <ExportButtons
          view={view}
          columns={columns.columns.filter((column) => !columns.hidden[column.id])}
          rows={rows}
          query={query}
          count={count}
        />
      </span>
      {bar}
      {create ??
        (canCreate && (
          <Button look="primary" icon="plus" data-create onClick={() => open(newId)}>
            {en.grid.create}
          </Button>
        ))}
    </div>
  );
}

import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { Expanded, ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText, RequestFailed } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { EmptyState, ErrorState, Progress } from '../components/states.tsx';
import type { ListState } from '../filters/list-state.ts';
import type { Page } from '../rows/use-rows.ts';
import { useMoreAtEnd } from '../hooks/use-more-at-end.ts';
import type { View } from './view.ts';

interface ListBodyProps<R extends Resource, Item extends ExpandItem<R>> {
  view: View<R, Item>;
  list: UseQueryResult<Page<Expanded<R, Item>>>;
  state: ListState;
  place: RefObject<HTMLDivElement | null>;
  onClear: () => void;
  children: ReactNode;
}

/** The grid, or why there is none. */
export function ListBody<R extends Resource, Item extends ExpandItem<R>>({
  view,
  list,
  state,
  place,
  onClear,
  children,
}: ListBodyProps<R, Item>) {
  const { resource, texts, icon } = view;
  const hasMore = useMoreAtEnd(place);
  const isNarrowed = state.search !== '' || Object.keys(state.filters).length > 0 || state.quick.length > 0;
  const isEmpty = list.data?.rows.length === 0;
  const denied = list.error instanceof RequestFailed && list.error.status === 403;
  // Rows that came before the right was taken away are not shown any longer.
  if (list.error && (denied || !list.data)) {
    return (
      <div className="table-scroll">
        <ErrorState
          title={denied ? en.auth.deniedTitle : en.failure.list}
          text={denied ? en.auth.deniedText : failureText(list.error)}
          onRetry={denied ? undefined : () => void list.refetch()}
        />
      </div>
    );
  }
  return (
    <div className={`table-place ${list.isPlaceholderData ? 'stale' : ''} ${hasMore ? 'more' : ''}`}>
      {list.isPlaceholderData && <Progress label={en.grid.updating} />}
      <div ref={place} className="table-scroll" tabIndex={-1}>
        {children}
        {isEmpty && !isNarrowed && (
          <EmptyState icon={icon} title={en.grid.emptyTitle(resource.plural)} text={texts.emptyText ?? en.grid.emptyText} />
        )}
        {isEmpty && isNarrowed && (
          <EmptyState icon="search" title={en.grid.noneTitle(resource.plural)} text={en.grid.noneText}>
            <Button onClick={onClear}>{en.grid.clearAll}</Button>
          </EmptyState>
        )}
      </div>
    </div>
  );
}

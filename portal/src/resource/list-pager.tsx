import type { ReactNode } from 'react';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { NewRows } from '../components/table/new-rows.tsx';
import { pageSizes, Pager } from '../components/table/pager.tsx';
import type { ListScreen } from './use-list-screen.ts';

interface ListPagerProps<R extends Resource, Item extends ExpandItem<R>> {
  screen: ListScreen<R, Item>;
  sizes?: readonly number[];
  /** Content at the left. */
  children?: ReactNode;
}

export function ListPager<R extends Resource, Item extends ExpandItem<R>>({
  screen: { state, change, count, waiting, showWaiting },
  sizes = pageSizes,
  children,
}: ListPagerProps<R, Item>) {
  return (
    <Pager
      page={state.page}
      rows={state.rows}
      count={count}
      sizes={sizes}
      onPage={(page) => change({ page })}
      onRows={(rows) => change({ rows })}
    >
      {children}
      <NewRows count={waiting} onShow={showWaiting} />
    </Pager>
  );
}

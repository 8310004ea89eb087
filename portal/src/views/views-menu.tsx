import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import type { ViewScreen } from '@cloudfit/contract/views/screens.ts';
import { Button } from '../components/button.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { nearing, Pop } from '../components/overlay/floating.tsx';
import { viewScreenAt } from '../filters/default-views.ts';
import { listAddress, namesFilters, type ListState } from '../filters/list-state.ts';
import type { Listing } from '../filters/listing.ts';
import { useAddress } from '../hooks/use-address.ts';
import { useScope } from '../rows/use-scope.ts';
import type { HiddenColumns } from './hidden-columns.ts';
import { showColumnsOf, useSavedViews, viewParam, type SavedView } from './use-saved-views.ts';
import { filterToStore } from './view-filter.ts';
import type { ViewOfList, ViewsListProps } from './views-list.tsx';
import { moveViewsOfBrowser, viewsOfBrowser } from './views-of-browser.ts';

const { Component: ViewsList } = onDemand<ViewsListProps>(() => import('./views-list.tsx').then((module) => module.ViewsList));

/** Opens the view that the address names. */
function useNamedView(views: readonly SavedView[] | undefined): void {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const named = params.get(viewParam);
  useEffect(() => {
    if (named === null || !views) return;
    const view = views.find(({ savedViewId }) => savedViewId === named);
    if (view) showColumnsOf(view);
    setAddress(
      (next) => {
        next.delete(viewParam);
        return view ? new URLSearchParams([...new URLSearchParams(view.address), ...next]) : undefined;
      },
      { replace: true },
    );
  }, [named, setAddress, views]);
}

interface ViewsMenuProps {
  listing: Listing;
  state: ListState;
  hidden: HiddenColumns;
}

/** The saved views of a list; nothing for a list of which none can be saved. */
export function ViewsMenu(props: ViewsMenuProps) {
  const screen = viewScreenAt(useLocation().pathname);
  return screen ? <ViewsOfScreen {...props} screen={screen} /> : null;
}

function ViewsOfScreen({ listing, state, hidden, screen }: ViewsMenuProps & { screen: ViewScreen }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const scope = useScope();
  const saved = useSavedViews();
  const views = saved.data?.views.filter((view) => view.screen === screen);
  useNamedView(saved.data?.views);
  const { read, write } = listAddress(listing);
  const addressOf = (of: ListState) => {
    const params = write(new URLSearchParams(), { ...of, page: 0 });
    if (!namesFilters(params)) params.set('f', '');
    return params.toString();
  };
  const filterOf = (of: ListState) => filterToStore(listing, of, scope);
  const address = addressOf(state);
  const current = views?.find((item) => item.address === address);

  const ofBrowser = viewsOfBrowser.use();
  const isToMove = ofBrowser.length > 0 && screen === 'workunitsv2' && saved.isSuccess && scope.isKnown;
  const tenantId = scope.tenantId ?? scope.user?.tenantId;
  useEffect(() => {
    if (!isToMove || !tenantId) return;
    void moveViewsOfBrowser(tenantId, (text) => filterOf(read(new URLSearchParams(text))));
  });

  const shown = (): ViewOfList => ({
    screen,
    address,
    filter: filterOf(state),
    hidden: Object.keys(hidden).filter((id) => hidden[id]),
  });
  return (
    <>
      <Button
        small
        look="quiet"
        trailing="down"
        {...nearing}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {current?.name ?? t.views}
      </Button>
      {anchor && (
        <Pop anchor={anchor} label={t.savedViews} onClose={() => setAnchor(null)}>
          <ViewsList
            views={views ?? []}
            teams={saved.data?.teams ?? []}
            current={current}
            shown={shown()}
            onClose={() => setAnchor(null)}
          />
        </Pop>
      )}
    </>
  );
}

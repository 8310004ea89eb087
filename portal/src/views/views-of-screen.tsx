import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { useContextNow } from '../api/context.ts';
import { Button } from '../components/button.tsx';
import { nearing, Pop } from '../components/overlay/floating.tsx';
import { listAddress, namesFilters, type ListState } from '../filters/list-state.ts';
import { useAddress } from '../hooks/use-address.ts';
import { useScope } from '../rows/use-scope.ts';
import { showColumnsOf, useSavedViews, viewParam, type SavedView } from './use-saved-views.ts';
import { filterToStore } from './view-filter.ts';
import { ViewsList, type ViewOfList } from './views-list.tsx';
import type { ViewsOfScreenProps } from './views-menu.tsx';
import { moveViewsOfBrowser, viewsOfBrowser } from './views-of-browser.ts';

/** Opens the view that the address names. The list may have written its first filters there before the views have loaded: they go. */
function useNamedView(views: readonly SavedView[] | undefined, listing: ViewsOfScreenProps['listing']): void {
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
        if (!view) return undefined;
        const { read, write } = listAddress(listing);
        return new URLSearchParams([...new URLSearchParams(view.address), ...write(next, read(new URLSearchParams()))]);
      },
      { replace: true },
    );
  }, [named, setAddress, views, listing]);
}

/** The saved views of a list. */
export function ViewsOfScreen({ listing, state, hidden, screen }: ViewsOfScreenProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const scope = useScope();
  const saved = useSavedViews();
  const views = saved.data?.views.filter((view) => view.screen === screen);
  useNamedView(saved.data?.views, listing);
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
  const { tenantId } = useContextNow();
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

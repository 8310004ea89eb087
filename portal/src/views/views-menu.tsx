import { useLocation } from 'react-router';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import type { ViewScreen } from '@cloudfit/contract/views/screens.ts';
import { Button } from '../components/button.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { viewScreenAt } from '../filters/default-views.ts';
import type { Listing } from '../filters/listing.ts';
import type { ListState } from '../filters/list-state.ts';
import type { HiddenColumns } from './hidden-columns.ts';

interface ViewsMenuProps {
  listing: Listing;
  state: ListState;
  hidden: HiddenColumns;
}

export type ViewsOfScreenProps = ViewsMenuProps & { screen: ViewScreen };

// Loads after the first rows.
const { Component: ViewsOfScreen } = onDemand<ViewsOfScreenProps>(
  () => import('./views-of-screen.tsx').then((module) => module.ViewsOfScreen),
  {
    waiting: () => (
      <Button small look="quiet" trailing="down" disabled>
        {t.views}
      </Button>
    ),
  },
);

/** The saved views of a list; nothing for a list of which none can be saved. */
export function ViewsMenu(props: ViewsMenuProps) {
  const screen = viewScreenAt(useLocation().pathname);
  return screen ? <ViewsOfScreen {...props} screen={screen} /> : null;
}

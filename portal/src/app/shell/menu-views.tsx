/** Saved views in the menu, each with the number of its rows. */
import { Link, useLocation } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { countRows } from '@cloudfit/contract/calls.ts';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { viewLimits, viewScreens, type ViewScreen } from '@cloudfit/contract/views/screens.ts';
import { call } from '../../api/call.ts';
import { Icon } from '../../components/icon.tsx';
import { gathered } from '../../entities/gather.ts';
import { pathOfView, showColumnsOf, useSavedViews, type SavedView } from '../../views/use-saved-views.ts';
import { filterForReader } from '../../views/view-filter.ts';
import { itemOf } from '../navigation.ts';
import { useChosenContext } from './use-chosen-context.ts';

interface CountedList {
  screen: ViewScreen;
  filter: string | null;
}

/** The number of rows of a list, which is its JSON text; all views that are counted at once are one call. */
const countOf = gathered<number | null>(
  viewLimits.counted,
  async (texts) => {
    const { counts } = await call(countRows, { lists: texts.map((text) => JSON.parse(text) as CountedList) }, { quiet: true });
    return new Map(texts.map((text, at) => [text, counts[at] ?? null]));
  },
  null,
);

const shortCount = (count: number) => (count >= viewLimits.countUpTo ? `${viewLimits.countUpTo}+` : String(count));

function ViewBadge({ view }: { view: SavedView }) {
  const { tenantId, subscriptionId, user } = useChosenContext();
  const { screen } = view;
  const filter = filterForReader(view.filter, { tenantId, subscriptionId, userName: user?.userName });
  const { data } = useQuery({
    // A change of the list's rows counts again.
    queryKey: [viewScreens[screen], 'countOfView', screen, filter],
    queryFn: () => countOf(JSON.stringify({ screen, filter })),
    enabled: filter !== undefined,
  });
  return typeof data === 'number' ? <span className="badge">{shortCount(data)}</span> : null;
}

export function MenuViews({ onGo }: { onGo: () => void }) {
  const { data } = useSavedViews();
  const { tenantId } = useChosenContext();
  const { pathname, search } = useLocation();
  const shown = data?.views.filter((view) => view.inMenu).slice(0, viewLimits.counted) ?? [];
  if (shown.length === 0) return null;
  return (
    <div role="group" aria-label={t.views}>
      <h2>{t.views}</h2>
      <ul>
        {shown.map((view) => {
          const to = pathOfView(view, tenantId);
          const isHere = pathname === to && search.slice(1) === view.address;
          return (
            <li key={view.savedViewId}>
              <Link
                to={`${to}?${view.address}`}
                {...(isHere ? { className: 'active', 'aria-current': 'page' as const } : {})}
                onClick={() => {
                  showColumnsOf(view);
                  onGo();
                }}
              >
                <Icon name={itemOf(view.screen)?.icon ?? 'star'} />
                <span className="ellipsis">{view.name}</span>
                <ViewBadge view={view} />
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

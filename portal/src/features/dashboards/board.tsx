/** The tiles of a dashboard in their places: a grid of the page's whole width, one column on a phone. */
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import type { DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import { TileBody, tileName } from './tile-bodies.tsx';
import { scopeText } from './tile-scope-text.ts';
import type { TilesRead } from './use-tiles.ts';
import { useWallPages } from './wall-pages.tsx';
import './dashboards.css';

/** Height of a grid row, and the gap between tiles, in pixels. */
export const rowPx = 64;
export const gapPx = 12;
interface BoardProps {
  tiles: readonly DashboardTile[];
  read: TilesRead;
  /** Whether rows link to their pages. A wall without sign-in has none. */
  hasLinks?: boolean;
  /** The level of the titles: one below that of the page. */
  heading?: 'h2' | 'h3';
  /** Whether what is shown is so old that it says nothing about now. */
  isStale?: boolean;
}

export function Board({ tiles, read, hasLinks = true, heading: Heading = 'h3', isStale = false }: BoardProps) {
  const inOrder = tiles.toSorted((a, b) => a.y - b.y || a.x - b.x);
  const names = read.data?.names ?? [];
  const [pages, page] = useWallPages('.dash-tile');
  return (
    <>
      <div ref={pages} className={isStale ? 'dash-board stale' : 'dash-board'}>
        {inOrder.map((tile) => {
          const name = tileName(tile, names);
          const answer = read.data?.tiles.find(({ id }) => id === tile.id);
          const scope = tile.scope && answer ? scopeText(answer) : '';
          return (
            <section
              key={tile.id}
              className={`dash-tile ${tile.kind}`}
              aria-label={name}
              style={{ gridColumn: `${tile.x + 1} / span ${tile.w}`, gridRow: `${tile.y + 1} / span ${tile.h}` }}
            >
              <div className="dash-tile-head">
                <Heading className="ellipsis" title={name}>
                  {name}
                </Heading>
                {isStale && <span className="tile-stale">{dashboardTexts.tile.stale}</span>}
                {scope !== '' && (
                  <span className="tile-scope ellipsis" title={scope}>
                    {scope}
                  </span>
                )}
              </div>
              <div className="dash-body">
                <TileBody tile={tile} answer={answer} isError={read.isError} name={name} hasLinks={hasLinks} />
              </div>
            </section>
          );
        })}
      </div>
      {page}
    </>
  );
}

/** The tiles of a dashboard in their places: a grid of the page's whole width, one column on a phone. */
import type { DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import { TileBody, tileName } from './tile-bodies.tsx';
import './dashboards.css';

/** Height of a grid row, and the gap between tiles, in pixels. */
export const rowPx = 64;
export const gapPx = 12;
interface BoardProps {
  tiles: readonly DashboardTile[];
  tenantId: string;
  /** The level of the titles: one below that of the page. */
  heading?: 'h2' | 'h3';
}

export function Board({ tiles, tenantId, heading: Heading = 'h3' }: BoardProps) {
  const inOrder = tiles.toSorted((a, b) => a.y - b.y || a.x - b.x);
  return (
    <div className="dash-board">
      {inOrder.map((tile) => {
        const name = tileName(tile);
        return (
          <section
            key={tile.id}
            className={`dash-tile ${tile.kind}`}
            aria-label={name}
            style={{ gridColumn: `${tile.x + 1} / span ${tile.w}`, gridRow: `${tile.y + 1} / span ${tile.h}` }}
          >
            <Heading className="ellipsis" title={name}>
              {name}
            </Heading>
            <div className="dash-body">
              <TileBody tile={tile} tenantId={tenantId} name={name} />
            </div>
          </section>
        );
      })}
    </div>
  );
}

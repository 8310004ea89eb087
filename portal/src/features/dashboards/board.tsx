/** The tiles of a dashboard in their places: a grid of the page's whole width, one column on a phone. */
import type { DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import { TileBody, tileName } from './tile-bodies.tsx';
import './dashboards.css';

/** Pixels of a row, and between tiles. */
export const rowPx = 64;
export const gapPx = 12;
/** Pixels of a tile that are not content: its title and padding. */
const framePx = 58;

export const heightOf = ({ h }: Pick<DashboardTile, 'h'>) => h * rowPx + (h - 1) * gapPx - framePx;

export function Board({ tiles, tenantId }: { tiles: readonly DashboardTile[]; tenantId: string }) {
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
            <h3 className="ellipsis" title={name}>
              {name}
            </h3>
            <div className="dash-body">
              <TileBody tile={tile} tenantId={tenantId} name={name} height={heightOf(tile)} />
            </div>
          </section>
        );
      })}
    </div>
  );
}

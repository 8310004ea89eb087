/** Editing mode of a dashboard: tiles are moved and resized by the pointer, or by the arrow keys on a tile's handle. */
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { GridLayout, moveElement, useContainerWidth, verticalCompactor, type Layout, type LayoutItem } from 'react-grid-layout';
import 'react-grid-layout/css/styles.css';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { dashboardLimits, type DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import { IconButton } from '../../components/button.tsx';
import { pageNonce } from '../../components/page-nonce.ts';
import { gapPx, rowPx } from './board.tsx';
import { TileBody, tileName } from './tile-bodies.tsx';
import type { TilesRead } from './use-tiles.ts';

const t = dashboardTexts.tile;
const { columns } = dashboardLimits;
const [minWidth, minHeight, maxHeight] = [2, 2, 20];
/** Width in pixels below which the editor lists the tiles instead of showing the grid. */
const narrowPx = 640;

/** The drag library creates a style element, which the page's content security policy accepts only with this nonce. */
const allowStyles = () => Object.assign(globalThis, { __webpack_nonce__: pageNonce() });

export interface ArrangeProps {
  tiles: readonly DashboardTile[];
  read: TilesRead;
  /** The tile that was added last; the page scrolls to it. */
  added?: string | undefined;
  onChange: (tiles: readonly DashboardTile[]) => void;
  onSettings: (id: string) => void;
}

const answerOf = ({ data }: TilesRead, id: string) => data?.tiles.find((answer) => answer.id === id);

const layoutOf = (tiles: readonly DashboardTile[]): LayoutItem[] =>
  tiles.map(({ id, x, y, w, h }) => ({ i: id, x, y, w, h, minW: minWidth, minH: minHeight, maxH: maxHeight }));

/** The tiles at the positions of a layout; the same array when nothing moved. */
function placed(tiles: readonly DashboardTile[], layout: Layout): readonly DashboardTile[] {
  const places = new Map(layout.map((item) => [item.i, item]));
  let moved = false;
  const next = tiles.map((tile) => {
    const place = places.get(tile.id);
    if (!place || (place.x === tile.x && place.y === tile.y && place.w === tile.w && place.h === tile.h)) return tile;
    moved = true;
    return { ...tile, x: place.x, y: place.y, w: place.w, h: place.h };
  });
  return moved ? next : tiles;
}

const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Returns the tiles after an arrow key on tile `id`: it moves by one column, or up or down past the adjacent tile. With Shift,
 * the tile is resized.
 */
export function afterKey(
  tiles: readonly DashboardTile[],
  id: string,
  { key, shiftKey }: { key: string; shiftKey: boolean },
): readonly DashboardTile[] {
  const layout = layoutOf(tiles);
  const item = layout.find(({ i }) => i === id);
  const step = steps[key];
  if (!item || !step) return tiles;
  if (shiftKey) {
    item.w = Math.min(columns - item.x, Math.max(minWidth, item.w + step[0]));
    item.h = Math.min(maxHeight, Math.max(minHeight, item.h + step[1]));
    return placed(tiles, verticalCompactor.compact(moveElement(layout, item, item.x, item.y, true, false, 'vertical', columns), columns));
  }
  const x = Math.min(columns - item.w, Math.max(0, item.x + step[0]));
  const beside = layout.filter((other) => other.i !== id && other.x < item.x + item.w && item.x < other.x + other.w);
  const below = beside.filter((other) => other.y === item.y + item.h).map(({ h }) => h);
  const above = beside.filter((other) => other.y + other.h === item.y).map(({ y }) => y);
  const y = step[1] > 0 ? item.y + Math.min(maxHeight, ...below) : step[1] < 0 ? Math.min(item.y, ...above) : item.y;
  return placed(tiles, verticalCompactor.compact(moveElement(layout, item, x, y, true, false, 'vertical', columns), columns));
}

const byPlace = (a: DashboardTile, b: DashboardTile) => a.y - b.y || a.x - b.x;

/** Returns the tiles with tile `id` swapped with the previous or next tile of the reading order, which a phone shows. */
export function afterSwap(tiles: readonly DashboardTile[], id: string, by: -1 | 1): readonly DashboardTile[] {
  const order = tiles.toSorted(byPlace);
  const at = order.findIndex((tile) => tile.id === id);
  const [one, other] = [order[at], order[at + by]];
  if (!one || !other) return tiles;
  const layout = layoutOf(tiles).map((item) => {
    const place = item.i === one.id ? other : item.i === other.id ? one : item;
    return { ...item, x: Math.min(place.x, columns - item.w), y: place.y };
  });
  return placed(tiles, verticalCompactor.compact(layout, columns));
}

/** On a phone: the tiles in their order, each with buttons to move it. */
function ArrangeList({ tiles, read, onChange, onSettings }: ArrangeProps) {
  const order = tiles.toSorted(byPlace);
  return (
    <ol className="dash-order">
      {order.map((tile, at) => {
        const name = tileName(tile, read.data?.names);
        return (
          <li key={tile.id} id={`tile-${tile.id}`} className={`dash-tile ${tile.kind}`} aria-label={name}>
            <div className="dash-edit-head">
              <strong className="grow ellipsis">{name}</strong>
              <IconButton icon="sortUp" label={t.up(name)} disabled={at === 0} onClick={() => onChange(afterSwap(tiles, tile.id, -1))} />
              <IconButton
                icon="sortDown"
                label={t.down(name)}
                disabled={at === order.length - 1}
                onClick={() => onChange(afterSwap(tiles, tile.id, 1))}
              />
              <IconButton icon="settings" label={t.edit(name)} onClick={() => onSettings(tile.id)} />
              <IconButton icon="trash" label={t.remove(name)} onClick={() => onChange(tiles.filter(({ id }) => id !== tile.id))} />
            </div>
            <div className="dash-body" inert>
              <TileBody tile={tile} answer={answerOf(read, tile.id)} isError={read.isError} name={name} hasLinks={false} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

export function Arrange({ tiles, read, added, onChange, onSettings }: ArrangeProps) {
  const { width, containerRef, mounted } = useContainerWidth();
  useState(allowStyles);
  const layout = useMemo(() => layoutOf(tiles), [tiles]);
  const [announcement, announce] = useState('');
  const latest = useRef(tiles);
  useEffect(() => {
    latest.current = tiles;
  }, [tiles]);
  useEffect(() => {
    if (!added || !mounted) return;
    document.getElementById(`tile-${added}`)?.scrollIntoView({ block: 'nearest' });
  }, [added, mounted]);
  const onKeyDown = (event: KeyboardEvent, tile: DashboardTile) => {
    if (!steps[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = afterKey(tiles, tile.id, event);
    onChange(next);
    const now = next.find(({ id }) => id === tile.id) ?? tile;
    announce(t.moved(tileName(tile, read.data?.names), now.x + 1, now.y + 1, now.w, now.h));
  };
  return (
    <div ref={containerRef} className="dash-arrange">
      {mounted && width < narrowPx && <ArrangeList tiles={tiles} read={read} onChange={onChange} onSettings={onSettings} />}
      {mounted && width >= narrowPx && (
        <GridLayout
          width={width}
          layout={layout}
          gridConfig={{ cols: columns, rowHeight: rowPx, margin: [gapPx, gapPx], containerPadding: [0, 0] }}
          dragConfig={{ handle: '.dash-handle' }}
          resizeConfig={{ handles: ['se'] }}
          onLayoutChange={(next) => {
            const after = placed(latest.current, next);
            if (after !== latest.current) onChange(after);
          }}
        >
          {tiles.map((tile) => {
            const name = tileName(tile);
            return (
              <section key={tile.id} id={`tile-${tile.id}`} className={`dash-tile ${tile.kind}`} aria-label={name}>
                <div className="dash-edit-head">
                  <button
                    type="button"
                    className="dash-handle ellipsis"
                    aria-label={t.move(name)}
                    title={t.move(name)}
                    onKeyDown={(event) => onKeyDown(event, tile)}
                  >
                    {name}
                  </button>
                  <IconButton small icon="settings" label={t.edit(name)} onClick={() => onSettings(tile.id)} />
                  <IconButton
                    small
                    icon="trash"
                    label={t.remove(name)}
                    onClick={() => onChange(tiles.filter(({ id }) => id !== tile.id))}
                  />
                </div>
                <div className="dash-body" inert>
                  <TileBody tile={tile} answer={answerOf(read, tile.id)} isError={read.isError} name={name} hasLinks={false} />
                </div>
              </section>
            );
          })}
        </GridLayout>
      )}
      <span className="visually-hidden" aria-live="polite">
        {announcement}
      </span>
    </div>
  );
}

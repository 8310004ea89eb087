/** The editor of a dashboard: its name, who sees it, its tiles. The code loads when somebody edits a dashboard. */
import { useState } from 'react';
import { dashboardTexts as t } from '@cloudfit/contract/messages/dashboards.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { dashboardLimits, dashboards, dashboardSharing, valuesOf, type DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { changeRow } from '../../api/row-calls.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { EmptyState } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { Select } from '../../components/fields/select.tsx';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { Arrange } from './arrange.tsx';
import type { Dashboard } from './dashboards.view.tsx';
import { TileSettings } from './tile-settings.tsx';
import { editParam, useIsOwner } from './use-dashboard.ts';
import { useTiles } from './use-tiles.ts';
import { VariablesInput } from './variables.tsx';

const sizes: Readonly<Record<DashboardTile['kind'], { w: number; h: number }>> = {
  number: { w: 3, h: 3 },
  chart: { w: 6, h: 4 },
  units: { w: 4, h: 4 },
  matches: { w: 4, h: 4 },
  devices: { w: 4, h: 2 },
  compliance: { w: 4, h: 2 },
  versions: { w: 4, h: 2 },
  customers: { w: 12, h: 8 },
};
const kinds = Object.keys(sizes) as DashboardTile['kind'][];

/** The first free place, row by row: beside other tiles if it fits there, otherwise below them. */
export function freePlace(tiles: readonly DashboardTile[], { w, h }: { w: number; h: number }): { x: number; y: number } {
  const bottom = Math.max(0, ...tiles.map((tile) => tile.y + tile.h));
  for (let y = 0; y < bottom; y++)
    for (let x = 0; x + w <= dashboardLimits.columns; x++)
      if (!tiles.some((tile) => tile.x < x + w && x < tile.x + tile.w && tile.y < y + h && y < tile.y + tile.h)) return { x, y };
  return { x: 0, y: bottom };
}

/** Returns a new tile at a free place. Tiles with numbers and charts start without series. */
function newTile(kind: DashboardTile['kind'], tiles: readonly DashboardTile[]): DashboardTile {
  const place = { id: crypto.randomUUID(), title: '', ...freePlace(tiles, sizes[kind]), ...sizes[kind] };
  if (kind === 'number') return { ...place, kind, series: [] };
  if (kind === 'chart') return { ...place, kind, series: [], hours: 6 };
  return kind === 'customers' ? { ...place, kind, scope: {} } : { ...place, kind };
}

interface DashboardDraft {
  name: string;
  sharing: Dashboard['sharing'];
  tiles: readonly DashboardTile[];
  variables: Dashboard['variables'];
}

export interface DashboardEditorProps {
  row: Dashboard;
  onClose: () => void;
}

export function Editor({ row, onClose }: DashboardEditorProps) {
  const [draft, setDraft] = useState<DashboardDraft>({
    name: row.name,
    sharing: row.sharing,
    tiles: row.tiles,
    variables: row.variables,
  });
  const [settings, setSettings] = useState<DashboardTile>();
  const [showsVariables, setShowsVariables] = useState(false);
  const read = useTiles(row.tenantId, draft.tiles, valuesOf(draft.variables, {}));
  const isOwner = useIsOwner(row);
  const isDirty =
    draft.name !== row.name || draft.sharing !== row.sharing || draft.tiles !== row.tiles || draft.variables !== row.variables;
  const [isSaved, setSaved] = useState(false);
  useUnsavedGuard(isDirty && !isSaved, editParam);
  const { run, isBusy } = useCommand(
    async ({ name, sharing, tiles, variables }: DashboardDraft) => {
      await changeRow(dashboards, row.dashboardId, {
        name,
        tiles: [...tiles],
        ...(sharing === row.sharing ? {} : { sharing }),
        variables,
      });
      setSaved(true);
    },
    { done: () => t.saved, about: row, refreshes: [dashboards.name] },
  );
  const save = async () => {
    if (await run(draft)) onClose();
  };
  const setTiles = (tiles: readonly DashboardTile[]) => setDraft((now) => ({ ...now, tiles }));
  /** The id of the tile that was added last. The page scrolls to it, because it may be outside of the visible area. */
  const [added, setAdded] = useState<string>();
  const append = (tile: DashboardTile) => {
    setTiles([...draft.tiles, tile]);
    setAdded(tile.id);
  };
  const add = (kind: DashboardTile['kind']) => {
    if (draft.tiles.length >= dashboardLimits.tiles) {
      toast.error(t.tooMany(dashboardLimits.tiles));
      return;
    }
    const tile = newTile(kind, draft.tiles);
    if (kind === 'number' || kind === 'chart') setSettings(tile);
    else append(tile);
  };
  return (
    <>
      <form
        className="dash-head editing"
        onSubmit={(event) => {
          event.preventDefault();
          if (draft.name.trim() !== '') void save();
        }}
      >
        <input
          className="input dash-name"
          aria-label={t.name}
          aria-invalid={draft.name.trim() === ''}
          title={draft.name.trim() === '' ? t.nameMissing : undefined}
          autoFocus
          maxLength={200}
          value={draft.name}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        />
        {isOwner && (
          <Select
            className="dash-sharing"
            aria-label={t.sharing}
            value={draft.sharing}
            choices={dashboardSharing.map((value) => ({ value, label: choiceText(value) }))}
            onChange={(sharing) => setDraft({ ...draft, sharing })}
          />
        )}
        <span className="grow" />
        <MenuButton small label={t.addTile} entries={kinds.map((kind) => ({ id: kind, label: t.kinds[kind], run: () => add(kind) }))} />
        <Button small onClick={() => setShowsVariables(true)}>
          {t.variables.title}
        </Button>
        <Button small onClick={onClose}>
          {en.common.cancel}
        </Button>
        <Button small type="submit" look="primary" disabled={isBusy || draft.name.trim() === ''}>
          {t.save}
        </Button>
      </form>
      {draft.tiles.length === 0 ? (
        <EmptyState icon="dashboards" title={t.noTiles} text={t.noTilesText} />
      ) : (
        <Arrange
          tiles={draft.tiles}
          read={read}
          added={added}
          onChange={setTiles}
          onSettings={(id) => setSettings(draft.tiles.find((tile) => tile.id === id))}
        />
      )}
      {showsVariables && (
        <Dialog
          title={t.variables.title}
          width="sm"
          onClose={() => setShowsVariables(false)}
          actions={
            <Button look="primary" onClick={() => setShowsVariables(false)}>
              {t.tile.done}
            </Button>
          }
        >
          <VariablesInput variables={draft.variables} onChange={(variables) => setDraft((now) => ({ ...now, variables }))} />
        </Dialog>
      )}
      {settings && (
        <TileSettings
          key={settings.id}
          tile={settings}
          tenantId={row.tenantId}
          variables={draft.variables.map(({ kind }) => kind)}
          onClose={() => setSettings(undefined)}
          onDone={(tile) => {
            if (draft.tiles.some(({ id }) => id === tile.id))
              setTiles(
                draft.tiles.map((other) => (other.id === tile.id ? { ...tile, x: other.x, y: other.y, w: other.w, h: other.h } : other)),
              );
            else append(tile);
            setSettings(undefined);
          }}
        />
      )}
    </>
  );
}

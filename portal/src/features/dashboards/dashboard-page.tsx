/** One dashboard, with an address of its own. Editing it stands in the address too. */
import { useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import { useMutation } from '@tanstack/react-query';
import { dashboardTexts as t } from '@cloudfit/contract/messages/dashboards.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { dashboardLimits, dashboards, dashboardSharing, type DashboardTile } from '@cloudfit/contract/resources/dashboards.ts';
import { callJson, failureText, RequestFailed } from '../../api/client.ts';
import { useCurrentUser, useMay, usePermissions } from '../../api/lookups.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../components/button.tsx';
import { CopyLink } from '../../components/copy-link.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { useRemove, useRow } from '../../rows/use-rows.ts';
import { Arrange } from './arrange-lazy.tsx';
import { Board } from './board.tsx';
import type { Dashboard } from './dashboards.view.tsx';
import { TileSettings } from './tile-settings.tsx';
import { editParam, kioskOf, useMakeDashboard } from './use-dashboard.ts';
import './dashboards.css';

const sizes: Readonly<Record<DashboardTile['kind'], { w: number; h: number }>> = {
  number: { w: 3, h: 3 },
  chart: { w: 6, h: 4 },
  units: { w: 4, h: 4 },
  matches: { w: 4, h: 4 },
  devices: { w: 4, h: 2 },
  compliance: { w: 4, h: 2 },
  versions: { w: 4, h: 2 },
};
const kinds = Object.keys(sizes) as DashboardTile['kind'][];

/** A new tile below the others; numbers and charts have nothing to show yet. */
function newTile(kind: DashboardTile['kind'], tiles: readonly DashboardTile[]): DashboardTile {
  const y = Math.max(0, ...tiles.map((tile) => tile.y + tile.h));
  const place = { id: crypto.randomUUID(), title: '', x: 0, y, ...sizes[kind] };
  if (kind === 'number') return { ...place, kind, series: [] };
  return kind === 'chart' ? { ...place, kind, series: [], hours: 6 } : { ...place, kind };
}

interface DashboardDraft {
  name: string;
  sharing: Dashboard['sharing'];
  tiles: readonly DashboardTile[];
}

/** Only the owner, or who cares for the settings of the tenant, decides who sees it. */
function useIsOwner(row: Dashboard): boolean {
  const { data: me } = useCurrentUser();
  const { data: permissions } = usePermissions();
  return (me !== undefined && me.personId === row.ownerId) || (permissions?.has(permission('Settings', 'edit')) ?? false);
}

function Editor({ row, onClose }: { row: Dashboard; onClose: () => void }) {
  const [draft, setDraft] = useState<DashboardDraft>({ name: row.name, sharing: row.sharing, tiles: row.tiles });
  const [settings, setSettings] = useState<DashboardTile>();
  const isOwner = useIsOwner(row);
  const isDirty = draft.name !== row.name || draft.sharing !== row.sharing || draft.tiles !== row.tiles;
  const [isSaved, setSaved] = useState(false);
  useUnsavedGuard(isDirty && !isSaved, editParam);
  const save = useMutation({
    mutationFn: () => {
      const { name, sharing, tiles } = draft;
      const body = { name, tiles, ...(sharing === row.sharing ? {} : { sharing }) };
      return callJson<Dashboard>(`/v1/dashboards/${row.dashboardId}`, { method: 'POST', body });
    },
    onSuccess: async () => {
      setSaved(true);
      await queryClient.invalidateQueries({ queryKey: [dashboards.name] });
      toast.success(t.saved);
      onClose();
    },
    onError: (error) => toastFailure(error),
  });
  const setTiles = (tiles: readonly DashboardTile[]) => setDraft((now) => ({ ...now, tiles }));
  const add = (kind: DashboardTile['kind']) => {
    if (draft.tiles.length >= dashboardLimits.tiles) {
      toast.error(t.tooMany(dashboardLimits.tiles));
      return;
    }
    const tile = newTile(kind, draft.tiles);
    if (kind === 'number' || kind === 'chart') setSettings(tile);
    else setTiles([...draft.tiles, tile]);
  };
  return (
    <>
      <form
        className="dash-head"
        onSubmit={(event) => {
          event.preventDefault();
          if (draft.name.trim() !== '') save.mutate();
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
          <select
            className="input dash-sharing"
            aria-label={t.sharing}
            value={draft.sharing}
            onChange={(event) => setDraft({ ...draft, sharing: event.target.value as DashboardDraft['sharing'] })}
          >
            {dashboardSharing.map((sharing) => (
              <option key={sharing}>{sharing}</option>
            ))}
          </select>
        )}
        <span className="grow" />
        <MenuButton small label={t.addTile} entries={kinds.map((kind) => ({ id: kind, label: t.kinds[kind], run: () => add(kind) }))} />
        <Button small onClick={onClose}>
          {en.common.cancel}
        </Button>
        <Button small type="submit" look="primary" disabled={save.isPending || draft.name.trim() === ''}>
          {t.save}
        </Button>
      </form>
      {draft.tiles.length === 0 ? (
        <EmptyState icon="dashboards" title={t.noTiles} text={t.noTilesText} />
      ) : (
        <Arrange
          tiles={draft.tiles}
          tenantId={row.tenantId}
          onChange={setTiles}
          onSettings={(id) => setSettings(draft.tiles.find((tile) => tile.id === id))}
        />
      )}
      {settings && (
        <TileSettings
          key={settings.id}
          tile={settings}
          tenantId={row.tenantId}
          onClose={() => setSettings(undefined)}
          onDone={(tile) => {
            const isThere = draft.tiles.some(({ id }) => id === tile.id);
            setTiles(
              isThere
                ? draft.tiles.map((other) => (other.id === tile.id ? { ...tile, x: other.x, y: other.y, w: other.w, h: other.h } : other))
                : [...draft.tiles, tile],
            );
            setSettings(undefined);
          }}
        />
      )}
    </>
  );
}

function Reading({ row, onEdit }: { row: Dashboard; onEdit: () => void }) {
  const may = useMay();
  const navigate = useNavigate();
  const remove = useRemove(dashboards);
  const isOwner = useIsOwner(row);
  const make = useMakeDashboard(row.tenantId);
  const mayEdit = may(dashboards.area, 'edit') && (isOwner || row.sharing === 'Everybody changes it');
  const ask = async () => {
    const { yes } = await confirm({ title: en.form.deleteTitle(dashboards.label), text: en.form.deleteQuestion(row.name), danger: true });
    if (!yes) return;
    try {
      await remove(row.dashboardId);
      await navigate(`/${row.tenantId}/dashboards`);
    } catch (error) {
      toastFailure(error);
    }
  };
  const others = [
    ...(may(dashboards.area, 'create') ? [{ id: 'copy', label: t.copy, run: () => make.mutate(row) }] : []),
    ...(may(dashboards.area, 'delete') && isOwner ? [{ id: 'delete', label: en.common.delete, danger: true, run: () => void ask() }] : []),
  ];
  return (
    <>
      <div className="dash-head">
        <h2 className="ellipsis" title={row.name}>
          {row.name}
        </h2>
        <span className="grow" />
        <CopyLink />
        {mayEdit && (
          <Button small icon="edit" onClick={onEdit}>
            {t.edit}
          </Button>
        )}
        <Link className="btn small primary" to={kioskOf(row)} title={t.kioskHint}>
          {t.kiosk}
        </Link>
        {others.length > 0 && <MenuButton small look="plain" icon="more" label={en.common.rowActions(row.name)} entries={others} />}
      </div>
      {row.tiles.length === 0 ? (
        <EmptyState icon="dashboards" title={t.noTiles} text={mayEdit ? t.noTilesText : t.noTilesRead} />
      ) : (
        <Board tiles={row.tiles} tenantId={row.tenantId} />
      )}
    </>
  );
}

export function DashboardPage() {
  const { dashboardId = '', tenantId = '' } = useParams();
  usePageTitle(t.title);
  const { data: row, error, refetch } = useRow(dashboards, dashboardId.toLowerCase());
  const [params] = useSearchParams();
  const change = useAddress();
  const setEdit = (isOn: boolean) =>
    change((next) => {
      if (isOn) next.set(editParam, '1');
      else next.delete(editParam);
      return undefined;
    });
  const isMissing = error instanceof RequestFailed && error.status === 404;
  return (
    <div className="dash-page">
      <Link className="dash-back" to={`/${tenantId}/dashboards`}>
        {t.back}
      </Link>
      {row ? (
        params.get(editParam) ? (
          <Editor key={row.dashboardId} row={row} onClose={() => setEdit(false)} />
        ) : (
          <Reading row={row} onEdit={() => setEdit(true)} />
        )
      ) : error ? (
        <ErrorState
          title={isMissing ? t.gone : t.failed}
          text={failureText(error)}
          onRetry={isMissing ? undefined : () => void refetch()}
        />
      ) : (
        <Skeleton width="40%" />
      )}
    </div>
  );
}

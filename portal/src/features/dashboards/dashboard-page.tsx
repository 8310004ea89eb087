/** One dashboard, with an address of its own. The address also says whether it is being edited. */
import { useState } from 'react';
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { dashboardTexts as t } from '@cloudfit/contract/messages/dashboards.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { dashboards } from '@cloudfit/contract/resources/dashboards.ts';
import { useMay } from '../../api/lookups.ts';
import { removeRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { CopyLink } from '../../components/copy-link.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { EmptyState } from '../../components/states.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { useRow } from '../../rows/use-rows.ts';
import { Board } from './board.tsx';
import { CustomersPage } from './customers-page.tsx';
import type { Dashboard } from './dashboards.view.tsx';
import { Editor } from './editor-lazy.tsx';
import { LinksDialog } from './links-dialog.tsx';
import { customersId, editParam, kioskOf, useIsOwner, useMakeDashboard } from './use-dashboard.ts';
import { useTiles, useValues } from './use-tiles.ts';
import { VariablesBar } from './variables.tsx';
import { useIsStale } from './wall-frame.tsx';
import { Loaded } from '../../calls/loaded.tsx';
import './dashboards.css';

const remove = command(({ dashboardId }: Dashboard) => removeRow(dashboards, dashboardId), {
  confirm: ({ name }) => ({
    title: en.form.deleteTitle(dashboards.label),
    text: en.form.deleteQuestion(name),
    yes: en.common.delete,
    danger: true,
  }),
  refreshes: [dashboards.name],
});

function Reading({ row, onEdit }: { row: Dashboard; onEdit: () => void }) {
  const may = useMay();
  const navigate = useNavigate();
  const isOwner = useIsOwner(row);
  const { make } = useMakeDashboard(row.tenantId);
  const { search } = useLocation();
  const [showsLinks, setShowsLinks] = useState(false);
  const read = useTiles(row.tenantId, row.tiles, useValues(row));
  const isStale = useIsStale(read.readAt);
  const mayEdit = may(dashboards.area, 'edit') && (isOwner || row.sharing === 'Everybody changes it');
  const removeAndLeave = async () => {
    if (await remove(row)) await navigate(`/${row.tenantId}/dashboards`);
  };
  const others = [
    { id: 'links', label: t.links.open, run: () => setShowsLinks(true) },
    ...(may(dashboards.area, 'create') ? [{ id: 'copy', label: t.copy, run: () => void make(row) }] : []),
    ...(may(dashboards.area, 'delete') && isOwner
      ? [{ id: 'delete', label: en.common.delete, danger: true, run: () => void removeAndLeave() }]
      : []),
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
        <Link className="btn small primary" to={kioskOf(row) + search} title={t.kioskHint}>
          {t.kiosk}
        </Link>
        <MenuButton small look="plain" icon="more" label={en.common.rowActions(row.name)} entries={others} />
      </div>
      <VariablesBar row={row} />
      {showsLinks && <LinksDialog row={row} onClose={() => setShowsLinks(false)} />}
      {row.tiles.length === 0 ? (
        <EmptyState icon="dashboards" title={t.noTiles} text={mayEdit ? t.noTilesText : t.noTilesRead} />
      ) : (
        <Board tiles={row.tiles} read={read} isStale={isStale} />
      )}
    </>
  );
}

function OneDashboard({ dashboardId }: { dashboardId: string }) {
  usePageTitle(t.title);
  const query = useRow(dashboards, dashboardId);
  const [params] = useSearchParams();
  const change = useAddress();
  const setEdit = (isOn: boolean) =>
    change((next) => {
      if (isOn) next.set(editParam, '1');
      else next.delete(editParam);
      return undefined;
    });
  return (
    <Loaded query={query} small={false} failed={t.failed} missing={t.notFound}>
      {(row) =>
        params.get(editParam) ? (
          <Editor key={row.dashboardId} row={row} onClose={() => setEdit(false)} />
        ) : (
          <Reading row={row} onEdit={() => setEdit(true)} />
        )
      }
    </Loaded>
  );
}

export function DashboardPage() {
  const { dashboardId = '', tenantId = '' } = useParams();
  return (
    <div className="dash-page">
      <Link className="dash-back" to={`/${tenantId}/dashboards`}>
        {t.back}
      </Link>
      {dashboardId === customersId ? <CustomersPage /> : <OneDashboard dashboardId={dashboardId.toLowerCase()} />}
    </div>
  );
}

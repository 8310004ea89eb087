/** The numbers at the top, each a link to the list that it counts. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { home } from '@cloudfit/contract/messages/home.en.ts';
import { useMay } from '../../api/lookups.ts';
import { Skeleton } from '../../components/states.tsx';
import { addresses } from './addresses.ts';
import { useApprovals, useBreaching, useMine, useOpenMatches, useOpenNow, useOverdueUpdates, useSilent } from './use-home.ts';
import { countText } from '../../components/count.ts';

const t = home.tiles;
interface TileProps {
  label: string;
  hint: ReactNode;
  to: string;
  value: number | undefined;
  failed: boolean;
  /** Whether a number above 0 is shown as an alarm. */
  alarming?: boolean;
}

export function Tile({ label, hint, to, value, failed, alarming = false }: TileProps) {
  return (
    <Link className={alarming && value ? 'tile alarm' : 'tile'} to={to}>
      <span className="label">{label}</span>
      <span className="value num">
        {value !== undefined ? countText(value) : failed ? <span className="faint">{en.common.none}</span> : <Skeleton width={40} />}
      </span>
      <span className="hint">{hint}</span>
    </Link>
  );
}

function UnitTiles({ tenantId }: { tenantId: string }) {
  const mine = useMine();
  const approvals = useApprovals();
  const now = useOpenNow();
  const to = addresses(tenantId);
  const open = now.data?.rows.reduce((total, row) => total + row.n, 0);
  const sum = (test: (severity: string, state: string) => boolean) =>
    now.data?.rows.reduce((total, row) => (test(row.severityId, row.stateId) ? total + row.n : total), 0);
  return (
    <>
      <Tile label={t.mine} hint={t.mineHint} to={to.mine} value={mine.data?.count} failed={mine.isError} />
      <Tile label={t.approval} hint={t.approvalHint} to={to.approval} value={approvals.data?.count} failed={approvals.isError} />
      <Tile label={t.newUnits} hint={t.newHint} to={to.units(['New'])} value={sum((_, state) => state === 'New')} failed={now.isError} />
      <Tile
        alarming
        label={t.severe}
        hint={open === undefined ? '' : t.severeHint(open)}
        to={to.units(undefined, ['Sev0', 'Sev1'])}
        value={sum((severity) => severity === 'Sev0' || severity === 'Sev1')}
        failed={now.isError}
      />
    </>
  );
}

function MatchesTile({ tenantId }: { tenantId: string }) {
  const { data, isError } = useOpenMatches();
  return (
    <Tile
      alarming
      label={t.matches}
      hint={data ? t.matchesHint(data.rows.length) : ''}
      to={addresses(tenantId).matches}
      value={data?.rows.reduce((sum, row) => sum + row.n, 0)}
      failed={isError}
    />
  );
}

function SilentTile({ tenantId }: { tenantId: string }) {
  const { data, isError } = useSilent();
  return <Tile alarming label={t.silent} hint={t.silentHint} to={addresses(tenantId).silent} value={data?.count} failed={isError} />;
}

/** The number of communications whose update is overdue; hidden if there are none. */
function UpdatesTile({ tenantId }: { tenantId: string }) {
  const { data } = useOverdueUpdates();
  return data?.count ? (
    <Tile alarming label={t.updates} hint={t.updatesHint} to={addresses(tenantId).updates} value={data.count} failed={false} />
  ) : null;
}

/** The number of units whose service level is about to be breached or is; hidden if there are none. */
function LevelsTile({ tenantId }: { tenantId: string }) {
  const { data } = useBreaching();
  return data?.count ? (
    <Tile alarming label={t.levels} hint={t.levelsHint} to={addresses(tenantId).breaching} value={data.count} failed={false} />
  ) : null;
}

export function Tiles({ tenantId }: { tenantId: string }) {
  const may = useMay();
  return (
    <nav className="tiles" aria-label={t.label}>
      {may('WorkUnits', 'view') && <UnitTiles tenantId={tenantId} />}
      {may('WorkUnits', 'view') && <LevelsTile tenantId={tenantId} />}
      {may('WorkUnitCommunications', 'view') && <UpdatesTile tenantId={tenantId} />}
      {may('Rules', 'view') && <MatchesTile tenantId={tenantId} />}
      {may('Devices', 'view') && may('Packets', 'view') && <SilentTile tenantId={tenantId} />}
    </nav>
  );
}

import { compareNames } from '@cloudfit/contract/natural-order.ts';
import { Link } from 'react-router';
import { maintenanceTexts as t } from '@cloudfit/contract/messages/maintenance.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import type { MaintenanceHeld } from '@cloudfit/contract/maintenance/calls.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { eq, oneOf } from '@cloudfit/contract/query/build.ts';
import { untilText } from '../../theme/times.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { Skeleton } from '../../components/states.tsx';
import { matchAddress, unitAddress } from '../../entities/explanations/addresses.ts';
import { ExtendButton } from '../../entities/maintenance/extend-button.tsx';
import { endMaintenance, heldBy, useDevicesInMaintenance, useHeldBy } from '../../entities/maintenance/use-maintenance.ts';
import { defineView } from '../../resource/view.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { readTitles } from '../../entities/read-titles.ts';
import { useList } from '../../rows/use-rows.ts';
import { nowMs } from '../../theme/now.ts';

const resource = maintenanceWindows;
type ListedMaintenance = ExpandedRow<typeof maintenanceWindows, 'location' | 'workUnit' | 'tenant' | 'deviceSelection'>;

type MaintenanceState = 'running' | 'planned' | 'over';
// A maintenance that ended by its last change is over: the clock of the page ticks rarely, and may be behind the server.
function stateOf(
  { startsAt, endsAt, modified }: Pick<ListedMaintenance, 'startsAt' | 'endsAt' | 'modified'>,
  now: number,
): MaintenanceState {
  if (Date.parse(endsAt) <= Math.max(now, Date.parse(modified))) return 'over';
  return Date.parse(startsAt) > now ? 'planned' : 'running';
}
const tones = { running: 'info', planned: 'plain', over: 'plain' } as const;

const stateText = (row: ListedMaintenance): string => t.states[stateOf(row, nowMs())];

function StateChip({ row }: { row: ListedMaintenance }) {
  const state = stateOf(row, useNow());
  return (
    <Chip tone={tones[state]} dot={state === 'running'}>
      {t.states[state]}
    </Chip>
  );
}

/** Maximum number of devices that a row names. */
const namesShown = 3;

function What({ row }: { row: ListedMaintenance }) {
  const mayView = useMay()(devices.area, 'view');
  const { data: holding } = useHeldBy(row.maintenanceWindowId);
  const ids = row.deviceIds.slice(0, namesShown);
  const { data } = useList(
    devices,
    { filter: oneOf(devices, 'deviceId', ids), select: ['deviceId', 'name'], orderBy: 'name asc', top: namesShown },
    { enabled: ids.length > 0 && mayView },
  );
  return <span className="ellipsis">{whatText(row, data?.rows.map(({ name }) => name) ?? [], holding)}</span>;
}

/** Describes what a maintenance covers. `names`: the names of the first devices. */
function whatText(row: ListedMaintenance, names: readonly string[], holding: MaintenanceHeld | null | undefined): string {
  const more = row.deviceIds.length - names.length;
  const ofDevices = names.length === 0 ? t.devices(row.deviceIds.length) : [...names, ...(more > 0 ? [`+${more}`] : [])].join(', ');
  const parts = [
    row.location ? t.location(row.location.name) : undefined,
    row.deviceIds.length > 0 ? ofDevices : undefined,
    row.deviceFilter ? t.ofFilter(holding?.devices ?? 0) : undefined,
    row.deviceSelection ? t.ofSelection(row.deviceSelection.name, holding?.devices ?? 0) : undefined,
  ];
  return parts.filter(Boolean).join(', ');
}

async function whatTexts(rows: readonly ListedMaintenance[]): Promise<(row: ListedMaintenance) => string> {
  const firstOf = (row: ListedMaintenance) => row.deviceIds.slice(0, namesShown);
  const names = await readTitles('devices', rows.flatMap(firstOf));
  const holding = await heldBy(rows.map((row) => row.maintenanceWindowId));
  return (row) =>
    whatText(
      row,
      firstOf(row)
        .flatMap((id) => names.get(id) ?? [])
        .toSorted(compareNames),
      holding.get(row.maintenanceWindowId),
    );
}

const holdsText = ({ matches, waiting }: MaintenanceHeld): string => (matches === 0 ? t.nothing : t.holds(matches, waiting));

async function holdsTexts(rows: readonly ListedMaintenance[]): Promise<(row: ListedMaintenance) => string> {
  const holding = await heldBy(rows.map((row) => row.maintenanceWindowId));
  return (row) => {
    const one = holding.get(row.maintenanceWindowId);
    return one ? holdsText(one) : '';
  };
}

function Holds({ id }: { id: string }) {
  const { data } = useHeldBy(id);
  return data ? <span {...(data.matches === 0 ? { className: 'faint' } : {})}>{holdsText(data)}</span> : null;
}

function Buttons({ row }: { row: ListedMaintenance }) {
  const state = stateOf(row, useNow());
  const mayEdit = useMay()(resource.area, 'edit');
  if (state === 'over' || !mayEdit) return null;
  return (
    <span className="row">
      <ExtendButton id={row.maintenanceWindowId} endsAt={row.endsAt} />
      <Button small onClick={() => void endMaintenance(row.maintenanceWindowId)}>
        {t.end}
      </Button>
    </span>
  );
}

function HeldMatches({ row }: { row: ListedMaintenance }) {
  const { data } = useHeldBy(row.maintenanceWindowId);
  if (!data) return <Skeleton width="60%" />;
  return (
    <section aria-label={t.matches}>
      <h3>{t.matches}</h3>
      {data.matches === 0 && <p className="muted">{t.noMatches}</p>}
      <ul className="maintenance-list">
        {data.first.map((match) => (
          <li key={match.ruleMatchId} className="row">
            <Link className="grow ellipsis" to={matchAddress(row.tenantId, match.ruleMatchId)}>
              {match.label}
            </Link>
            <span className="muted">{match.waits ? t.waits : t.notified}</span>
          </li>
        ))}
      </ul>
      {data.matches > data.first.length && <p className="faint">{t.more(data.matches - data.first.length)}</p>}
    </section>
  );
}

const devicesShown = 200;

function DevicesInIt({ row }: { row: ListedMaintenance }) {
  const { data } = useDevicesInMaintenance(row.maintenanceWindowId, devicesShown);
  return data ? (
    <DeviceLinks tenantId={row.tenantId} rows={data.value} total={data['@odata.count'] ?? data.value.length} />
  ) : (
    <Skeleton width="60%" />
  );
}

interface DeviceLinksProps {
  tenantId: string;
  rows: readonly { deviceId: string; name: string }[];
  total: number;
}

function DeviceLinks({ tenantId, rows, total }: DeviceLinksProps) {
  return (
    <>
      <ul className="maintenance-list">
        {rows.map(({ deviceId, name }) => (
          <li key={deviceId}>
            <Link to={`/${tenantId}/devices/${deviceId}`}>{name}</Link>
          </li>
        ))}
      </ul>
      {total > rows.length && <p className="faint">{t.more(total - rows.length)}</p>}
    </>
  );
}

function Devices({ row }: { row: ListedMaintenance }) {
  return row.deviceFilter || row.deviceSelectionId ? <DevicesInIt row={row} /> : <NamedDevices row={row} />;
}

function NamedDevices({ row }: { row: ListedMaintenance }) {
  const ids = row.deviceIds.slice(0, devicesShown);
  const filter = row.locationId
    ? `${eq(devices, 'tenantId', row.tenantId)} and ${eq(devices, 'locationId', row.locationId)}`
    : oneOf(devices, 'deviceId', ids);
  const { data } = useList(devices, { filter, select: ['deviceId', 'name'], orderBy: 'name asc', top: devicesShown, count: true });
  if (!data) return <Skeleton width="60%" />;
  const total = row.locationId ? (data.count ?? data.rows.length) : row.deviceIds.length;
  return (
    <>
      {row.location && <p className="muted">{t.location(row.location.name)}</p>}
      <DeviceLinks tenantId={row.tenantId} rows={data.rows} total={total} />
    </>
  );
}

function Top({ row }: { row: ListedMaintenance }) {
  return (
    <div className="maintain">
      <div className="row">
        <StateChip row={row} />
        {row.workUnit && (
          <Link to={unitAddress(row.workUnit.workUnitId)}>{t.change(row.workUnit.publicWorkUnitId, row.workUnit.title)}</Link>
        )}
        <span className="grow" />
        <Buttons row={row} />
      </div>
      {row.deviceFilter && (
        <p className="muted">
          {t.filter}: <code>{row.deviceFilter}</code>
        </p>
      )}
      {row.deviceSelection && (
        <p className="muted">
          {t.selection}:{' '}
          <Link to={`/${row.tenantId}/deviceselections?id=${row.deviceSelection.deviceSelectionId}`}>{row.deviceSelection.name}</Link>
        </p>
      )}
      {row.isChange && <p className="muted">{t.ofChange}</p>}
      <HeldMatches row={row} />
    </div>
  );
}

export const maintenanceView = defineView({
  resource,
  icon: 'wrench',
  texts: { title: t.title, emptyText: t.emptyText },
  columns: [
    { ...fieldColumn(resource, 'reason'), width: 220, grow: true },
    { id: 'state', header: t.columns.state, width: 112, below: 'sm', cell: (row) => <StateChip row={row} />, text: stateText },
    { id: 'what', header: t.columns.what, width: 200, below: 'md', cell: (row) => <What row={row} />, texts: whatTexts },
    {
      id: 'holds',
      header: t.columns.holds,
      width: 150,
      below: 'sm',
      cell: (row) => <Holds id={row.maintenanceWindowId} />,
      texts: holdsTexts,
    },
    { ...fieldColumn(resource, 'createdBy'), header: t.columns.who, width: 120, below: 'md' },
    { ...fieldColumn(resource, 'startsAt'), width: 130, below: 'md', hidden: true },
    { ...fieldColumn(resource, 'endsAt'), width: 130 },
    { id: 'change', header: t.columns.change, width: 160, below: 'sm', cell: (row) => <Buttons row={row} />, buttons: true },
  ],
  phoneLine: (row) => (
    <>
      <StateChip row={row} />
      <span>{t.untilTime(untilText(row.endsAt))}</span>
    </>
  ),
  expand: ['location', 'workUnit', 'tenant', 'deviceSelection'],
  base: ({ tenantId }) => [tenantId ? eq(resource, 'tenantId', tenantId) : undefined],
  quick: [
    { id: 'current', label: t.current, clause: () => `endsAt gt ${new Date(Math.floor(nowMs() / 60_000) * 60_000).toISOString()}` },
    { id: 'over', label: t.over, clause: () => `endsAt le ${new Date(Math.floor(nowMs() / 60_000) * 60_000).toISOString()}` },
  ],
  offers: (row) => (row && Date.parse(row.endsAt) <= nowMs() ? ['list'] : ['list', 'update']),
  panelTop: (row) => <Top row={row} />,
  form: { sections: [{ title: t.title, fields: ['reason', 'startsAt', 'endsAt'] }], wide: ['reason'] },
  tabs: { form: t.title, others: [{ id: 'devices', label: t.devicesOf, Body: Devices }] },
  pollMs: 30_000,
});

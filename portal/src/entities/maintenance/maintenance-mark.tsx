/** Marks of a device or a tile in maintenance: a chip, and a line that names the maintenance window, change or rule. */
import { Link } from 'react-router';
import type { MaintenanceHolder } from '@cloudfit/contract/maintenance/calls.ts';
import { maintenanceTexts as t } from '@cloudfit/contract/messages/maintenance.en.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { exactTime, untilText } from '../../theme/times.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { unitAddress } from '../explanations/addresses.ts';
import { ExtendButton } from './extend-button.tsx';
import { endMaintenance, useMaintenanceOf } from './use-maintenance.ts';
import './maintenance.css';

function titleOf({ kind, name, until, publicWorkUnitId, expectedOnly }: MaintenanceHolder): string {
  const what = kind === 'change' && publicWorkUnitId !== null ? t.change(publicWorkUnitId, name) : kind === 'rule' ? t.rule(name) : name;
  return [what, until && t.untilTime(untilText(until)), expectedOnly && t.expectedOnly].filter(Boolean).join(', ');
}

/** An icon beside a name; the reason shows on hover and is read aloud. */
export function MaintenanceChip({ holders }: { holders: readonly MaintenanceHolder[] }) {
  if (holders.length === 0) return null;
  const label = `${t.inMaintenance}: ${holders.map(titleOf).join('; ')}`;
  return (
    <span className="chip info maintenance-mark" title={label}>
      <Icon name="wrench" label={label} />
    </span>
  );
}

/** The maintenance chip of an entity, for a tile. */
export function MaintenanceOf({ entityId }: { entityId: string }) {
  return <MaintenanceChip holders={useMaintenanceOf(entityId)} />;
}

function Holder({ by, tenantId }: { by: MaintenanceHolder; tenantId: string }) {
  const may = useMay();
  const isWindow = by.kind === 'window' || by.kind === 'change';
  return (
    <p className="notice maintenance-notice">
      <span className="grow">
        <b>{by.until === null ? t.inMaintenance : t.markUntil(untilText(by.until))}</b>
        {': '}
        {by.kind === 'rule' && <Link to={`/${tenantId}/rules?id=${by.id}`}>{t.rule(by.name)}</Link>}
        {by.kind === 'window' && <Link to={`/${tenantId}/maintenance?id=${by.id}`}>{by.name}</Link>}
        {by.kind === 'change' && by.workUnitId !== null && by.publicWorkUnitId !== null && (
          <Link to={unitAddress(by.workUnitId)}>{t.change(by.publicWorkUnitId, by.name)}</Link>
        )}
        {by.expectedOnly && ` (${t.expectedOnly})`}
        {by.since !== null && (
          <>
            {', '}
            {by.selection ? (
              <Link to={`/${tenantId}/deviceselections?id=${by.selection.deviceSelectionId}`}>
                {t.sinceBecause(exactTime(by.since), by.selection.name)}
              </Link>
            ) : (
              t.since(exactTime(by.since))
            )}
          </>
        )}
      </span>
      {isWindow && by.until !== null && may(maintenanceWindows.area, 'edit') && (
        <span className="row">
          <ExtendButton id={by.id} endsAt={by.until} />
          <Button small onClick={() => void endMaintenance(by.id)}>
            {t.end}
          </Button>
        </span>
      )}
    </p>
  );
}

/** For the page of a device: until when and why it is in maintenance, with buttons that extend and end the maintenance. */
export function MaintenanceNotice({ entityId, tenantId }: { entityId: string; tenantId: string }) {
  const holders = useMaintenanceOf(entityId);
  return holders.map((by) => <Holder key={by.id} by={by} tenantId={tenantId} />);
}

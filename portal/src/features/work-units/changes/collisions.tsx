/** Other changes and maintenance of the planned devices at the planned time, shown while a change is being planned. */
import { keepPreviousData } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { planCollisions } from '@cloudfit/contract/calls.ts';
import type { PlanCollision } from '@cloudfit/contract/maintenance/calls.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { changeTexts as t } from '@cloudfit/contract/messages/changes.en.ts';
import { useCall } from '../../../api/call.ts';
import { clockTime } from '../../../theme/times.ts';
import { unitAddress } from '../../../entities/explanations/addresses.ts';
import { useDebounced } from '../../../hooks/use-debounced.ts';
import './changes.css';

const restMs = 500;

export interface PlannedTime {
  tenantId: string | null | undefined;
  affectedDevices: readonly string[] | undefined;
  plannedStartTime: string | null | undefined;
  plannedFinishTime: string | null | undefined;
}

function nameOf({ kind, name, publicWorkUnitId }: PlanCollision): string {
  if (kind === 'change' && publicWorkUnitId !== null) return `${t.change(publicWorkUnitId)}: ${name}`;
  return `${kind === 'change' ? t.window : t[kind]}: ${name}`;
}

const places = { change: 'maintenance', window: 'maintenance', rule: 'rules', freeze: 'changefreezes' } as const;

function CollisionLine({ collision, tenantId }: { collision: PlanCollision; tenantId: string }) {
  const { kind, id, from, until, workUnitId, devices, first } = collision;
  const to = kind === 'change' && workUnitId !== null ? unitAddress(workUnitId) : `/${tenantId}/${places[kind]}?id=${id}`;
  const more = devices > first.length ? ', …' : '';
  return (
    <li>
      <Link to={to} target="_blank">
        {nameOf(collision)}
      </Link>{' '}
      <span className="muted">
        {from && until ? t.times(clockTime(from), clockTime(until)) : t.recurs} ·{' '}
        {kind === 'freeze' ? t.frozen : t.collision(devices, `${first.join(', ')}${more}`)}
      </span>
    </li>
  );
}

/** The collisions of a plan. Renders nothing while the plan has no valid times. */
export function Collisions({ plan, workUnitId }: { plan: PlannedTime; workUnitId: number | undefined }) {
  const { tenantId, affectedDevices = [], plannedStartTime, plannedFinishTime } = plan;
  const isComplete =
    Boolean(tenantId) &&
    Boolean(plannedStartTime && plannedFinishTime) &&
    Date.parse(plannedStartTime ?? '') < Date.parse(plannedFinishTime ?? '');
  const body = useDebounced(
    isComplete
      ? JSON.stringify({
          tenantId,
          deviceIds: affectedDevices,
          from: new Date(plannedStartTime ?? '').toISOString(),
          until: new Date(plannedFinishTime ?? '').toISOString(),
          ...(workUnitId === undefined ? {} : { workUnitId }),
        })
      : '',
    restMs,
  );
  const input = JSON.parse(body || '{}') as CallInput<typeof planCollisions>;
  const { data, error } = useCall(planCollisions, input, {
    refreshedBy: maintenanceWindows.name,
    enabled: body !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (!isComplete || body === '') return null;
  const isFree = data?.value.length === 0;
  return (
    <section className={isFree ? 'collisions' : 'collisions some'} aria-label={t.collisions}>
      <b>{t.collisions}</b>
      <div role="status">
        {isFree && <p className="faint">{affectedDevices.length > 0 ? t.collisionsNone : t.collisionsNoFreeze}</p>}
        {!data && error && <p className="faint">{t.collisionsFailed}</p>}
        {data && data.value.length > 0 && (
          <ul>
            {data.value.map((collision) => (
              <CollisionLine key={`${collision.kind} ${collision.id}`} collision={collision} tenantId={tenantId ?? ''} />
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

/** Freezes in the planned time of a change, and other changes and maintenance of its devices then. */
import { Link } from 'react-router';
import type { PlanCollision } from '@cloudfit/contract/maintenance/calls.ts';
import { changeTexts as t } from '@cloudfit/contract/messages/changes.en.ts';
import { shortTime, zoneTime } from '../../../theme/times.ts';
import { unitAddress } from '../../../entities/explanations/addresses.ts';
import type { useCollisions, PlannedTime } from './use-collisions.ts';
import './changes.css';

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
        {from && until ? t.times(shortTime(from), zoneTime(until)) : t.recurs} ·{' '}
        {kind === 'freeze' ? t.frozen : t.collision(devices, `${first.join(', ')}${more}`)}
      </span>
    </li>
  );
}

interface CollisionListProps {
  plan: PlannedTime;
  collisions: ReturnType<typeof useCollisions>;
}

/** What `useCollisions` returns. Renders nothing while the plan has no valid times. */
export function CollisionList({ plan: { tenantId, affectedDevices = [] }, collisions: { isAsked, rows, error } }: CollisionListProps) {
  if (!isAsked) return null;
  const isFree = rows?.length === 0;
  return (
    <section className={rows && !isFree ? 'collisions some' : 'collisions'} aria-label={t.collisions}>
      <b>{t.collisions}</b>{' '}
      <div role="status">
        {isFree && <p className="faint">{affectedDevices.length > 0 ? t.collisionsNone : t.collisionsNoFreeze}</p>}
        {!rows && error && <p className="faint">{t.collisionsFailed}</p>}
        {rows && rows.length > 0 && (
          <ul>
            {rows.map((collision) => (
              <CollisionLine key={`${collision.kind} ${collision.id}`} collision={collision} tenantId={tenantId ?? ''} />
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

/** How much a tenant uses, and its last report, with links to the rows. Shows only what the person may view in that tenant. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { openStates } from '@cloudfit/contract/enums.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { subscriptions } from '@cloudfit/contract/resources/subscriptions.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { countText } from '../../components/count.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Skeleton } from '../../components/states.tsx';
import { isOpen } from '../../entities/attention.ts';
import { useList } from '../../rows/use-rows.ts';
import { useMayIn } from './use-may-in.ts';
import { useSubscriptionsPanel } from './use-subscriptions-panel.ts';

/** Reads the numbers once: devices report all the time, and the panel keeps showing the moment at which it was opened. */
const once = { refresh: false };

function Value({ label, isError, children }: { label: string; isError: boolean; children: ReactNode }) {
  return (
    <>
      <span className="label">{label}</span>
      <span className="num">{children ?? (isError ? <span className="faint">{en.common.none}</span> : <Skeleton width={32} />)}</span>
    </>
  );
}

const shown = (count: number | undefined) => (count === undefined ? undefined : countText(count));

export function TenantUsage({ tenantId }: { tenantId: string }) {
  const may = useMayIn(tenantId);
  const { open } = useSubscriptionsPanel();
  const seesDevices = may('Devices', 'view');
  const seesUnits = may('WorkUnits', 'view');
  const seesPackets = may('Packets', 'view');
  const seesSubscriptions = may('Subscriptions', 'view');

  const ofDevices = useList(
    devices,
    { select: ['deviceId'], filter: eq(devices, 'tenantId', tenantId), top: 0, count: true },
    { ...once, enabled: seesDevices },
  );
  const ofUnits = useList(
    workUnits,
    { select: ['workUnitId'], filter: and(eq(workUnits, 'tenantId', tenantId), isOpen), top: 0, count: true },
    { ...once, enabled: seesUnits },
  );
  const ofPackets = useList(
    packets,
    { select: ['entityId', 'timestamp'], filter: eq(packets, 'tenantId', tenantId), orderBy: ['timestamp desc'], top: 1 },
    { ...once, enabled: seesPackets },
  );
  const ofSubscriptions = useList(
    subscriptions,
    { select: ['subscriptionId'], filter: eq(subscriptions, 'tenantId', tenantId), top: 0, count: true },
    { enabled: seesSubscriptions },
  );
  if (!seesDevices && !seesUnits && !seesPackets && !seesSubscriptions) return null;

  const last = ofPackets.data?.rows[0];
  const report = (
    <Value label={t.lastReport} isError={ofPackets.isError}>
      {last ? <RelativeTime value={last.timestamp} /> : ofPackets.data && <span className="faint">{t.noReport}</span>}
    </Value>
  );
  return (
    <section className="form-section" aria-label={t.usage}>
      <h3>{t.usage}</h3>
      <ul className="tenant-usage">
        {seesDevices && (
          <li>
            <Link to={`/${tenantId}/devices`}>
              <Value label={t.devices} isError={ofDevices.isError}>
                {shown(ofDevices.data?.count)}
              </Value>
            </Link>
          </li>
        )}
        {seesUnits && (
          <li>
            <Link to={`/${tenantId}/workunitsv2?f.stateId=${openStates.join(',')}`}>
              <Value label={t.openUnits} isError={ofUnits.isError}>
                {shown(ofUnits.data?.count)}
              </Value>
            </Link>
          </li>
        )}
        {seesPackets && <li>{last ? <Link to={`/${tenantId}/packets/${last.entityId}`}>{report}</Link> : <span>{report}</span>}</li>}
        {seesSubscriptions && (
          <li>
            <button type="button" onClick={() => open(tenantId)}>
              <Value label={t.subscriptions} isError={ofSubscriptions.isError}>
                {shown(ofSubscriptions.data?.count)}
              </Value>
            </button>
          </li>
        )}
      </ul>
      {seesDevices && (ofSubscriptions.data?.count ?? 0) > 1 && <small className="muted">{t.oneSubscription}</small>}
    </section>
  );
}

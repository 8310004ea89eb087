import { dayMs } from '@cloudfit/contract/durations.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { pendingTexts as t } from '@cloudfit/contract/messages/pending-devices.en.ts';
import type { FieldName } from '@cloudfit/contract/resource.ts';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView } from '../../resource/view.ts';
import { PendingDevicePanel } from './pending-device-panel.tsx';

const resource = pendingDevices;

/** Flag of the list without inactive devices (PEND-010). */
export const activeFlag = 'active';

/** The time of the last ping, with a mark when it is older than a day (PEND-023). */
function LastPing({ at }: { at: string }) {
  const isInactive = useNow() - new Date(at).getTime() > dayMs;
  return (
    <span className="row">
      <RelativeTime value={at} />
      {isInactive && <Chip title={t.inactiveHint}>{t.inactive}</Chip>}
    </span>
  );
}

/** The mark beside the name of a machine that is a copy of a device. */
function CopyMark({ of }: { of: string }) {
  return (
    <Chip tone="warn" title={t.copyHint(of)}>
      {t.copy}
    </Chip>
  );
}

const column = (name: FieldName<typeof pendingDevices>, width: number) => ({ ...fieldColumn(resource, name), width });

export const pendingDevicesView = defineView({
  resource,
  icon: 'pending',
  texts: { title: en.shell.items.pendingDevices, emptyText: t.emptyText },
  columns: [
    { ...column('machineName', 150), after: (row) => row.copiedFrom && <CopyMark of={row.copiedFrom} /> },
    column('pendingDeviceId', 120),
    column('operatingSystem', 240),
    column('architecture', 98),
    column('ipAddress', 116),
    column('created', 112),
    { ...column('lastPing', 150), cell: (row) => <LastPing at={row.lastPing} /> },
  ],
  phoneLine: (row) => (
    <>
      <span className="ellipsis">{row.operatingSystem}</span>
      <LastPing at={row.lastPing} />
    </>
  ),
  base: ({ tenantId }, flags) => [
    and(
      tenantId ? eq(pendingDevices, 'tenantId', tenantId) : undefined,
      // The server evaluates `now()`, so that the text of the query does not change every second.
      flags.includes(activeFlag) ? `lastPing ge now() sub duration'P1D'` : undefined,
    ),
  ],
  flags: [activeFlag],
  panel: { Component: PendingDevicePanel },
});

import { devices } from '@cloudfit/contract/resources/devices.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { fieldColumn, referencedName } from '../../rows/cells.tsx';
import { isSilent } from '../../entities/attention.ts';
import { defineView } from '../../resource/view.ts';
import type { DeviceActions } from './device-actions.ts';
import { DeviceDoors } from './device-doors.tsx';
import { DeviceMark, MarkBesideName } from './device-mark.tsx';
import { DeviceNow } from './device-now.tsx';
import { AgeCell, MetricCell } from './live-cells.tsx';

const resource = devices;

/** `actions`: what a device offers besides its form. */
export const devicesView = (actions: DeviceActions) =>
  defineView({
    resource,
    icon: 'devices',
    texts: {
      title: t.title,
      saveFailed: t.saveFailed,
      edit: t.edit,
      delete: t.delete,
      emptyText: t.emptyText,
      panelTitle: (row) => t.panelTitle(row.name),
      deleteFailed: (row) => t.deleteFailed(row.name),
      deleted: (row) => t.deleted(row.name),
      deleteQuestion: (row) => t.deleteQuestion(row.name),
    },
    columns: [
      { ...fieldColumn(resource, 'name'), width: 170, after: (row) => <MarkBesideName device={row} /> },
      {
        id: 'cpu',
        header: t.cpu,
        width: 116,
        cell: (row) => <MetricCell id={row.deviceId} metric="Cpu" label={`${t.cpu} ${row.name}`} />,
      },
      {
        id: 'memory',
        header: t.memory,
        width: 124,
        below: 'sm',
        cell: (row) => <MetricCell id={row.deviceId} metric="Memory" label={`${t.memory} ${row.name}`} />,
      },
      { id: 'age', header: t.age, width: 92, below: 'sm', cell: (row) => <AgeCell id={row.deviceId} /> },
      { ...fieldColumn(resource, 'locationId'), width: 130 },
      { ...fieldColumn(resource, 'deviceId'), width: 170, below: 'md' },
      { ...fieldColumn(resource, 'enabled'), width: 84 },
    ],
    phoneLine: (row) => (
      <>
        <AgeCell id={row.deviceId} />
        <DeviceMark device={row} />
        <span className="ellipsis">{referencedName(resource, 'locationId', row) ?? referencedName(resource, 'subscriptionId', row)}</span>
        {row.enabled === false && <span>{t.disabled}</span>}
      </>
    ),
    expand: ['location', 'tenant', 'subscription'],
    base: ({ tenantId, subscriptionId }) => [
      tenantId ? eq(devices, 'tenantId', tenantId) : undefined,
      subscriptionId ? eq(devices, 'subscriptionId', subscriptionId) : undefined,
    ],
    bySubscription: true,
    filters: ['enabled', 'locationId', 'deviceTypeId', 'operatingSystemId', 'tags'],
    quick: [{ id: 'silent', label: t.silent, clause: () => isSilent }],
    offers: ['list', 'update', 'delete'],
    // LIM-009
    pollMs: 30_000,
    form: {
      sections: [
        { title: t.identity, fields: ['name', 'description', 'tags', 'deviceTypeId', 'operatingSystemId'] },
        { title: t.placement, fields: ['tenantId', 'subscriptionId', 'locationId'] },
        { title: t.behaviour, fields: ['heartbeatInterval', 'deviceLoggingLevelId', 'enabled'] },
      ],
      wide: ['name'],
    },
    actions: (row) => actions(row),
    panelTop: (row) => (
      <>
        {row.cutOffOn && (
          <p className="notice">
            {t.access.isCutOff}. {t.access.isCutOffHint}
          </p>
        )}
        {row.otherMachineOn && <p className="notice">{t.access.otherMachineHint}</p>}
        {Boolean(row.clockSkewSeconds) && (
          <p className="notice">
            {t.clock.off(row.clockSkewSeconds ?? 0)}. {t.clock.hint}
          </p>
        )}
        <DeviceNow id={row.deviceId} />
        <DeviceDoors entries={actions(row)} />
      </>
    ),
  });

import { devices } from '@cloudfit/contract/resources/devices.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { fieldColumn, referencedName } from '../../resource/cells.tsx';
import type { AnyRow } from '../../resource/row.ts';
import { isSilent } from '../../entities/attention.ts';
import type { View, ViewColumn } from '../../resource/view.ts';
import type { DeviceActions } from './device-actions.ts';
import { DeviceDoors } from './device-doors.tsx';
import { DeviceMark, MarkBesideName } from './device-mark.tsx';
import { DeviceNow } from './device-now.tsx';
import { AgeCell, MetricCell } from './live-cells.tsx';
import type { Device } from './use-device.ts';

const resource = devices as unknown as Resource;
const deviceOf = (row: AnyRow) => row as unknown as Device;
const column = (part: ViewColumn<Device>) => part as unknown as ViewColumn<AnyRow>;

/** `actions`: what a device offers beside its form. */
export const devicesView = (actions: DeviceActions): View => ({
  resource,
  icon: 'devices',
  texts: {
    title: t.title,
    saveFailed: t.saveFailed,
    edit: t.edit,
    delete: t.delete,
    emptyText: t.emptyText,
    panelTitle: (row) => t.panelTitle(String(row['name'])),
    deleteFailed: (row) => t.deleteFailed(String(row['name'])),
    deleted: (row) => t.deleted(String(row['name'])),
    deleteQuestion: (row) => t.deleteQuestion(String(row['name'])),
  },
  columns: [
    { ...fieldColumn(resource, 'name'), width: 170, after: (row) => <MarkBesideName device={deviceOf(row)} /> },
    column({
      id: 'cpu',
      header: t.cpu,
      width: 116,
      cell: (row) => <MetricCell id={row.deviceId} metric="Cpu" label={`${t.cpu} ${row.name}`} />,
    }),
    column({
      id: 'memory',
      header: t.memory,
      width: 124,
      below: 'sm',
      cell: (row) => <MetricCell id={row.deviceId} metric="Memory" label={`${t.memory} ${row.name}`} />,
    }),
    column({ id: 'age', header: t.age, width: 92, below: 'sm', cell: (row) => <AgeCell id={row.deviceId} /> }),
    { ...fieldColumn(resource, 'locationId'), width: 130 },
    { ...fieldColumn(resource, 'deviceId'), width: 170, below: 'md' },
    { ...fieldColumn(resource, 'enabled'), width: 84 },
  ],
  phoneLine: (row) => (
    <>
      <AgeCell id={deviceOf(row).deviceId} />
      <DeviceMark device={deviceOf(row)} />
      <span className="ellipsis">{referencedName(resource, 'locationId', row) ?? referencedName(resource, 'subscriptionId', row)}</span>
      {row['enabled'] === false && <span>{t.disabled}</span>}
    </>
  ),
  expand: 'location,tenant,subscription',
  base: ({ tenantId, subscriptionId }) => [
    tenantId ? eq('tenantId', tenantId, 'guid') : undefined,
    subscriptionId ? eq('subscriptionId', subscriptionId, 'guid') : undefined,
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
  actions: (row) => actions(deviceOf(row)),
  panelTop: (row) => (
    <>
      <DeviceNow id={String(row['deviceId'])} />
      <DeviceDoors entries={actions(deviceOf(row))} />
    </>
  ),
});

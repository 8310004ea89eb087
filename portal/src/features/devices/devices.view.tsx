import { devices } from '@cloudfit/contract/resources/devices.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { deviceTexts as t } from '@cloudfit/contract/messages/devices.en.ts';
import { fieldColumn, referencedName } from '../../rows/cells.tsx';
import { isSilent } from '../../entities/attention.ts';
import { defineView } from '../../resource/view.ts';
import type { DeviceActions } from './device-actions.ts';
import { DeviceMark, MarkBesideName } from './device-mark.tsx';
import type { DeviceTabs } from './device-tabs.tsx';
import { HealthChip } from './health-chip.tsx';
import { AgeCell, AgentCell, CpuCourse, MetricCell } from './live-cells.tsx';
import { ageTexts, agentTexts, healthTexts, metricTexts } from './live-texts.ts';
import { Tags } from './tags.tsx';

const resource = devices;

/** `actions`: what a device offers besides its form; `tabs`: the parts of its panel. */
export const devicesView = (actions: DeviceActions, tabs: DeviceTabs) =>
  defineView({
    resource,
    icon: 'devices',
    texts: {
      title: t.title,
      saveFailed: t.saveFailed,
      edit: t.edit,
      delete: t.delete,
      emptyText: t.emptyText,
      deleteFailed: (row) => t.deleteFailed(row.name),
      deleted: (row) => t.deleted(row.name),
      deleteQuestion: (row) => t.deleteQuestion(row.name),
    },
    columns: [
      { ...fieldColumn(resource, 'name'), width: 128, after: (row) => <MarkBesideName device={row} /> },
      { id: 'health', header: t.health.title, width: 128, below: 'sm', cell: (row) => <HealthChip device={row} />, texts: healthTexts },
      {
        id: 'cpu',
        header: t.cpu,
        width: 140,
        cell: (row) => (
          <span className="cpu-cell">
            <MetricCell id={row.deviceId} metric="Cpu" label={`${t.cpu} ${row.name}`} />
            <CpuCourse id={row.deviceId} name={row.name} />
          </span>
        ),
        texts: metricTexts('Cpu'),
      },
      {
        id: 'memory',
        header: t.memory,
        width: 88,
        below: 'sm',
        cell: (row) => <MetricCell id={row.deviceId} metric="Memory" label={`${t.memory} ${row.name}`} />,
        texts: metricTexts('Memory'),
      },
      { id: 'age', header: t.age, width: 84, below: 'sm', cell: (row) => <AgeCell id={row.deviceId} />, texts: ageTexts },
      { ...fieldColumn(resource, 'operatingSystemId'), header: t.system, width: 82, below: 'md' },
      { id: 'agent', header: t.agent, width: 60, below: 'md', cell: (row) => <AgentCell id={row.deviceId} />, texts: agentTexts },
      { ...fieldColumn(resource, 'tags'), width: 102, below: 'md', cell: (row) => row.tags && <Tags tags={row.tags} /> },
      { ...fieldColumn(resource, 'locationId'), width: 100 },
      { ...fieldColumn(resource, 'deviceId'), width: 72, below: 'md' },
      { ...fieldColumn(resource, 'enabled'), width: 66 },
    ],
    phoneLine: (row) => (
      <>
        <DeviceMark device={row} />
        <HealthChip device={row} />
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
    filters: ['enabled', 'locationId', 'deviceTypeId', 'operatingSystemId', 'agentVersion', 'tags', 'deviceId'],
    quick: [{ id: 'silent', label: t.silent, clause: () => isSilent }],
    offers: ['list', 'update', 'delete'],
    // Poll interval in milliseconds (LIM-009).
    pollMs: 30_000,
    form: {
      sections: [
        { title: t.identity, fields: ['name', 'description', 'tags', 'deviceTypeId', 'operatingSystemId'] },
        { title: t.placement, fields: ['tenantId', 'subscriptionId', 'locationId', 'parentDeviceId'] },
        { title: t.behaviour, fields: ['heartbeatInterval', 'deviceLoggingLevelId', 'ruleValues', 'enabled'] },
      ],
      wide: ['name'],
    },
    actions: (row) => actions(row),
    tabs,
  });

import { eq } from '@cloudfit/contract/query/build.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { communicationsEn as t } from '@cloudfit/contract/messages/communications.en.ts';
import { reportTypes } from '@cloudfit/contract/enums.ts';
import { Chip } from '../../components/chips.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import type { FiltersOf } from '../../filters/listing.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { defineView, type ViewColumn } from '../../resource/view.ts';
import { communicationPanel } from './communication-panel-lazy.tsx';
import { CommunicationStatus, statusLabel } from './communication-status.tsx';
import { isClosed, isInternalOverdue, isOverdue, type CommunicationRow } from './communication.rules.ts';
import { sendInternalNotification } from './notify.ts';
import type { OpenReport } from './use-report.ts';

const resource = workUnitCommunications;

/** The time of the next update; empty for a closed communication, even if an update is still planned. */
function NextUpdate({ row }: { row: CommunicationRow }) {
  const now = useNow();
  if (isClosed(row.status)) return null;
  const isLate = isOverdue(row, now);
  const isLateForStaff = isInternalOverdue(row, now);
  if (!isLate && !isLateForStaff) return <RelativeTime value={row.nextUpdate} />;
  return (
    <span className="row">
      <RelativeTime plain={isLate} value={row.nextUpdate} />
      {isLate && <Chip tone="danger">{t.overdue}</Chip>}
      {isLateForStaff && <Chip tone="warn">{t.internalOverdue}</Chip>}
    </span>
  );
}

const timeColumn = (name: 'created' | 'userChanged'): ViewColumn<CommunicationRow> => ({
  id: name,
  header: workUnitCommunications.fields[name].label,
  width: 104,
  below: 'sm',
  sortable: true,
  tone: 'soft',
  cell: (row) => <RelativeTime value={row[name]} />,
  text: (row) => exactTime(row[name]),
});

const columns: readonly ViewColumn<CommunicationRow>[] = [
  {
    id: 'publicWorkUnitCommunicationId',
    header: 'ID',
    width: 74,
    below: 'sm',
    sortable: true,
    tone: 'soft',
    cell: (row) => <span className="num">{row.publicWorkUnitCommunicationId}</span>,
    text: (row) => String(row.publicWorkUnitCommunicationId),
  },
  { ...fieldColumn(resource, 'title'), width: 240 },
  {
    id: 'status',
    header: 'Status',
    width: 158,
    below: 'sm',
    sortable: true,
    cell: (row) => <CommunicationStatus status={row.status} />,
    text: (row) => statusLabel(row.status),
  },
  { ...fieldColumn(resource, 'tenantId'), width: 116, tone: 'soft' },
  { ...fieldColumn(resource, 'serviceManager'), width: 132, tone: 'soft' },
  {
    id: 'nextUpdate',
    header: workUnitCommunications.fields.nextUpdate.label,
    width: 164,
    below: 'sm',
    sortable: true,
    cell: (row) => <NextUpdate row={row} />,
    text: (row) => (row.nextUpdate && !isClosed(row.status) ? exactTime(row.nextUpdate) : ''),
  },
  timeColumn('created'),
  timeColumn('userChanged'),
  { ...fieldColumn(resource, 'impactedServices'), hidden: true },
  { ...fieldColumn(resource, 'eventStarted'), hidden: true },
  { ...fieldColumn(resource, 'eventResolved'), hidden: true },
  { ...fieldColumn(resource, 'createdBy'), hidden: true },
];

export function communicationsView(openReport: OpenReport) {
  return defineView({
    resource,
    icon: 'communications',
    texts: {
      title: t.title,
      emptyText: t.emptyText,
      saveFailed: t.saveFailed,
    },
    columns,
    expand: ['tenant'],
    // Lists only the current tenant's communications until the person filters by tenant.
    base: ({ tenantId }, _flags, { tenantId: chosen }: FiltersOf<typeof resource>) => [
      tenantId && !chosen?.length ? eq(workUnitCommunications, 'tenantId', tenantId) : undefined,
    ],
    filters: ['tenantId', 'status', 'created', 'nextUpdate', 'eventResolved'],
    searchIn: ['tenant/name', 'publicWorkUnitCommunicationId'],
    panelParam: 'publicWuCommId',
    panel: communicationPanel,
    pollMs: 60_000,
    actions: (row, { may }) => [
      ...reportTypes.map((type) => ({
        id: type,
        label: t.reports[type],
        icon: 'report' as const,
        run: () => openReport(type, row.publicWorkUnitCommunicationId),
      })),
      ...(may('edit')
        ? [
            {
              id: 'notify',
              label: t.notify.action,
              icon: 'mail' as const,
              divided: true,
              run: () => void sendInternalNotification(row),
            },
          ]
        : []),
    ],
  });
}

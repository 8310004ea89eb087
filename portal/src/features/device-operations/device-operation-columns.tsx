import { frequencyTypes, labelOf } from '@cloudfit/contract/enums.ts';
import { operationTexts as t } from '@cloudfit/contract/messages/device-operations.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { copyText } from '../../components/copy.ts';
import type { MenuEntry } from '../../components/overlay/floating-props.ts';
import { Icon } from '../../components/icon.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { packetValueText } from '../../entities/packets/packet-value.ts';
import { isOnDemand, isQueued, type DeviceOperation, type PacketInfo } from './use-device-operations.ts';
import type { OperationActions } from './use-operation-actions.ts';

const none = <span className="faint">{en.common.none}</span>;

function ValueCell({ packet }: { packet: PacketInfo | undefined }) {
  const text = packetValueText(packet?.value);
  return text === '' ? none : <span title={text}>{text}</span>;
}

function FrequencyCell({ row }: { row: DeviceOperation }) {
  const label = labelOf(frequencyTypes, row.frequencyTypeId);
  return (
    <span title={isOnDemand(row) ? label : `${label}, ${t.every(row.interval)}`}>
      {label}
      {!isOnDemand(row) && <small className="faint num">{t.every(row.interval)}</small>}
    </span>
  );
}

function LabelCell({ row }: { row: DeviceOperation }) {
  const { label, deviceOperationId: id } = row;
  return (
    <button
      type="button"
      className="copy-label"
      title={`${label}\n${id}`}
      aria-label={t.copyId(label)}
      onClick={() => void copyText(id, en.copy.id(id))}
    >
      <span className="ellipsis">{label}</span>
      <Icon name="copy" />
    </button>
  );
}

export interface RowRights {
  edit: boolean;
  remove: boolean;
  packets: boolean;
}

interface ColumnTools {
  packetOf: (row: DeviceOperation) => PacketInfo | undefined;
  actions: OperationActions;
  rights: RowRights;
  configure: (row: DeviceOperation) => void;
  showLogs: (row: DeviceOperation) => void;
  showPackets: (row: DeviceOperation) => void;
}

/** Configure is a button of the row; this menu has the rest. */
function entriesOf(row: DeviceOperation, { actions, rights, showLogs, showPackets }: ColumnTools): MenuEntry[] {
  const queue: MenuEntry = isQueued(row)
    ? { id: 'dequeue', label: t.dequeue, icon: 'undo', run: () => actions.dequeue(row) }
    : { id: 'enqueue', label: t.enqueue, icon: 'actions', run: () => actions.enqueue(row) };
  const toggle: MenuEntry = row.enabled
    ? { id: 'disable', label: t.disable, icon: 'close', run: () => actions.disable(row) }
    : { id: 'enable', label: t.enable, icon: 'check', run: () => actions.enable(row) };
  return [
    ...(rights.edit && isOnDemand(row) ? [queue] : []),
    { id: 'logs', label: t.logs, icon: 'report', run: () => showLogs(row) },
    ...(rights.packets ? [{ id: 'packets', label: t.packets, icon: 'packages' as const, run: () => showPackets(row) }] : []),
    ...(rights.edit ? [toggle] : []),
    ...(rights.remove
      ? [{ id: 'delete', label: t.remove, icon: 'trash' as const, danger: true, divided: true, run: () => actions.remove(row) }]
      : []),
  ];
}

/** Label, Operation, Value, Frequency, Reference Id, Enabled, Age, Actions (OPR-001). */
export function deviceOperationColumns(tools: ColumnTools): readonly TableColumn<DeviceOperation>[] {
  const { packetOf, rights, configure } = tools;
  return [
    { id: 'label', header: t.columns.label, width: 116, grow: true, tone: 'strong', cell: (row) => <LabelCell row={row} /> },
    {
      id: 'operation',
      header: t.columns.operation,
      width: 90,
      grow: true,
      below: 'sm',
      cell: (row) => <span title={row.packageName}>{row.operation?.name ?? row.packageName}</span>,
    },
    { id: 'value', header: t.columns.value, width: 72, align: 'end', cell: (row) => <ValueCell packet={packetOf(row)} /> },
    { id: 'frequency', header: t.columns.frequency, width: 112, grow: true, below: 'sm', cell: (row) => <FrequencyCell row={row} /> },
    { id: 'referenceId', header: t.columns.referenceId, width: 92, tone: 'soft', below: 'md', cell: (row) => row.referenceId ?? none },
    {
      id: 'enabled',
      header: t.columns.enabled,
      width: 76,
      below: 'sm',
      cell: (row) => (
        <Chip tone={row.enabled ? 'ok' : 'plain'} dot>
          {row.enabled ? en.common.yesValue : en.common.noValue}
        </Chip>
      ),
    },
    {
      id: 'age',
      header: t.columns.age,
      width: 96,
      cell: (row) => (isQueued(row) ? <Chip tone="info">{t.queued}</Chip> : <RelativeTime plain value={packetOf(row)?.age} />),
    },
    {
      id: 'actions',
      header: en.common.actions,
      width: 74,
      align: 'end',
      cell: (row) => (
        <span className="row-actions">
          {rights.edit && (
            <IconButton small icon="edit" label={t.configureRow(row.label)} title={t.configure} onClick={() => configure(row)} />
          )}
          <MenuButton small look="quiet" icon="more" label={en.common.rowActions(row.label)} entries={entriesOf(row, tools)} />
        </span>
      ),
    },
  ];
}

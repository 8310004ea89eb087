import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { frequencyTypes, labelOf } from '@cloudfit/contract/enums.ts';
import { operationTexts as t } from '@cloudfit/contract/messages/device-operations.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { numberText, unitOf } from '../../components/chart/number-text.ts';
import { copyText } from '../../components/copy.ts';
import type { MenuEntry } from '../../components/overlay/floating-props.ts';
import { Icon } from '../../components/icon.tsx';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import type { TableColumn } from '../../components/table/table-column.ts';
import { packetValueText } from '../../entities/packets/packet-value.ts';
import { toneOfRun } from '../../entities/run-status.ts';
import { isOnDemand, isQueued, isWaiting, type DeviceOperation, type LatestRun, type PacketInfo } from './use-device-operations.ts';
import { operationActions as actions } from './use-operation-actions.ts';

const none = <span className="faint">{en.common.none}</span>;

function valueText(packet: PacketInfo | undefined): string {
  if (typeof packet?.value !== 'number' || packet.metric === undefined) return packetValueText(packet?.value);
  const unit = unitOf(packet.metric);
  return unit === 'none' ? packetValueText(packet.value) : numberText(packet.value, unit);
}

function ValueCell({ packet, run }: { packet: PacketInfo | undefined; run: LatestRun | undefined }) {
  const text = valueText(packet);
  const tone = run?.ended ? toneOfRun(run.status) : 'plain';
  const shown = text === '' ? none : <span title={text}>{text}</span>;
  if (!run || tone === 'plain' || tone === 'ok')
    return packet?.target ? (
      <span className="check-result">
        <Chip tone={packet.target === 'Up' ? 'ok' : 'danger'} dot {...(run?.message ? { title: run.message } : {})}>
          {t.targets[packet.target]}
        </Chip>
        {text !== '' && shown}
      </span>
    ) : (
      shown
    );
  return (
    <Chip tone={tone} title={run.message ?? choiceText(run.status)}>
      {text === '' ? choiceText(run.status) : text}
    </Chip>
  );
}

function AgeCell({ row, packet, run }: { row: DeviceOperation; packet: PacketInfo | undefined; run: LatestRun | undefined }) {
  if (run?.status === 'Running' && (isWaiting(row, run) || !isOnDemand(row)))
    return (
      <Chip tone="info" {...(run.message === null ? {} : { title: run.message })}>
        {t.running(run.progress)}
      </Chip>
    );
  if (!isWaiting(row, run)) return <RelativeTime plain value={packet?.age} />;
  const until = row.queuedUntil && t.queuedUntil(exactTime(row.queuedUntil));
  return (
    <Chip tone="info" {...(until ? { title: until } : {})}>
      {t.queued}
    </Chip>
  );
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

/** Returns the note below the label: until when a request waits, or the message of a run that is running or did not succeed. */
function noteOf(row: DeviceOperation, packet: PacketInfo | undefined, run: LatestRun | undefined): string | undefined {
  if (isWaiting(row, run) && run?.status !== 'Running') return row.queuedUntil ? t.queuedUntil(exactTime(row.queuedUntil)) : undefined;
  // A check that finds its target down has run well, and its message says why it is down.
  if (!run || run.status === 'Dequeued' || (toneOfRun(run.status) === 'ok' && packet?.target !== 'Down')) return undefined;
  return run.message ?? undefined;
}

function LabelCell({ row, packet, run }: { row: DeviceOperation; packet: PacketInfo | undefined; run: LatestRun | undefined }) {
  const { label, deviceOperationId: id } = row;
  const note = noteOf(row, packet, run);
  return (
    <span className="operation-label">
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
      {note !== undefined && (
        <span className={`run-note ${packet?.target === 'Down' ? 'danger' : run?.ended ? toneOfRun(run.status) : ''}`} title={note}>
          {note}
        </span>
      )}
    </span>
  );
}

export interface RowRights {
  edit: boolean;
  /** Request and withdraw runs. */
  run: boolean;
  remove: boolean;
  packets: boolean;
}

interface ColumnTools {
  packetOf: (row: DeviceOperation) => PacketInfo | undefined;
  runOf: (row: DeviceOperation) => LatestRun | undefined;
  rights: RowRights;
  configure: (row: DeviceOperation) => void;
  showLogs: (row: DeviceOperation) => void;
  showRuns: (row: DeviceOperation) => void;
  showPackets: (row: DeviceOperation) => void;
}

/** Configure is a button of the row; this menu has the rest. */
function entriesOf(row: DeviceOperation, { rights, showLogs, showRuns, showPackets }: ColumnTools): MenuEntry[] {
  const queue: MenuEntry = isQueued(row)
    ? { id: 'dequeue', label: t.dequeue, icon: 'undo', run: () => void actions.dequeue(row) }
    : { id: 'enqueue', label: t.enqueue, icon: 'actions', run: () => void actions.enqueue(row) };
  const toggle: MenuEntry = row.enabled
    ? { id: 'disable', label: t.disable, icon: 'close', run: () => void actions.disable(row) }
    : { id: 'enable', label: t.enable, icon: 'check', run: () => void actions.enable(row) };
  return [
    ...(rights.run && isOnDemand(row) ? [queue] : []),
    { id: 'runs', label: t.runs, icon: 'refresh', run: () => showRuns(row) },
    { id: 'logs', label: t.logs, icon: 'report', run: () => showLogs(row) },
    ...(rights.packets ? [{ id: 'packets', label: t.packets, icon: 'packages' as const, run: () => showPackets(row) }] : []),
    ...(rights.edit ? [toggle] : []),
    ...(rights.remove
      ? [{ id: 'delete', label: t.remove, icon: 'trash' as const, danger: true, divided: true, run: () => void actions.remove(row) }]
      : []),
  ];
}

/** Label, Operation, Value, Frequency, Reference Id, Enabled, Age, Actions (OPR-001). */
export function deviceOperationColumns(tools: ColumnTools): readonly TableColumn<DeviceOperation>[] {
  const { packetOf, runOf, rights, configure } = tools;
  return [
    {
      id: 'label',
      header: t.columns.label,
      width: 116,
      grow: true,
      tone: 'strong',
      cell: (row) => <LabelCell row={row} packet={packetOf(row)} run={runOf(row)} />,
    },
    {
      id: 'operation',
      header: t.columns.operation,
      width: 90,
      grow: true,
      below: 'sm',
      cell: (row) => <span title={row.packageName}>{row.operation?.name ?? row.packageName}</span>,
    },
    {
      id: 'value',
      header: t.columns.value,
      width: 124,
      align: 'end',
      cell: (row) => <ValueCell packet={packetOf(row)} run={runOf(row)} />,
    },
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
      cell: (row) => <AgeCell row={row} packet={packetOf(row)} run={runOf(row)} />,
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

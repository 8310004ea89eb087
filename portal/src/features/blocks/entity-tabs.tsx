/** The tabs of a block and of a packet beside their details: rule matches, history, log. */
import { useMemo, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { blockTexts as t } from '@cloudfit/contract/messages/blocks.en.ts';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { blockLogEntries } from '@cloudfit/contract/calls.ts';
import { blockLogs } from '@cloudfit/contract/resources/block-logs.ts';
import { useCall } from '../../api/call.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { LineChart } from '../../components/chart/line-chart-lazy.tsx';
import { Pager } from '../../components/table/pager.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { EmptyState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { Matches } from '../../entities/matches/matches.tsx';
import { PacketExplorer } from '../../entities/packets/packet-explorer.tsx';
import { packetValueText } from '../../entities/packets/packet-value.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { panelPrefix } from '../../hooks/use-panel.ts';
import type { PanelTab } from '../../resource/view.ts';
import { historyRows, useHistory, type HistoryItem } from './use-blocks.ts';

const sizes = [historyRows];
const none = (): undefined => undefined;

/** Returns the value as text; for an item without a value, such as a heartbeat, its metrics and states. */
function reportText({ value, message: { Metrics = {}, States = {} } }: HistoryItem): string {
  const named = Object.entries({ ...Metrics, ...States }).map(([name, one]) => `${name} ${packetValueText(one)}`);
  return packetValueText(value) || named.join(', ') || '—';
}

const historyColumns: readonly TableColumn<HistoryItem>[] = [
  { id: 'value', header: t.value, width: 140, grow: true, tone: 'strong', cell: reportText },
  {
    id: 'timestamp',
    header: t.timestamp,
    width: 190,
    tone: 'soft',
    cell: (item) => <span className="num">{exactTime(item.timestamp)}</span>,
  },
  {
    id: 'received',
    header: t.received,
    width: 110,
    below: 'sm',
    tone: 'soft',
    cell: (item) => <RelativeTime value={item.receivedTimestamp} />,
  },
];

type BlockLogEntry = CallOutput<typeof blockLogEntries>['logs'][number];

const logColumns: readonly TableColumn<BlockLogEntry>[] = [
  { id: 'detail', header: t.detail, width: 200, grow: true, cell: (entry) => <span title={entry.detail}>{entry.detail}</span> },
  { id: 'created', header: t.created, width: 120, tone: 'soft', cell: (entry) => <RelativeTime value={entry.created} /> },
];

function Framed({ children }: { children: ReactNode }) {
  return <div className="entity-table">{children}</div>;
}

function Chart({ items }: { items: readonly HistoryItem[] }) {
  const values = useMemo(
    () =>
      items
        .map((item) => item.value)
        .filter((value) => typeof value === 'number')
        .toReversed(),
    [items],
  );
  if (values.length < 2) return null;
  const [min, max] = [Math.min(...values), Math.max(...values)].map(packetValueText);
  return (
    <div className="history-chart">
      <LineChart values={values} label={t.chart(values.length, min ?? '', max ?? '', packetValueText(values.at(-1)))} />
      <span className="num most" aria-hidden>
        {max}
      </span>
      <span className="num least" aria-hidden>
        {min}
      </span>
    </div>
  );
}

const pageParam = `${panelPrefix}page`;

/** The current page of the history and its setter: zero-based here, one-based in the address. */
function usePage(): readonly [number, (page: number) => void] {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const setPage = (page: number) =>
    setAddress(
      (next) => {
        if (page > 0) next.set(pageParam, String(page + 1));
        else next.delete(pageParam);
        return undefined;
      },
      { replace: true },
    );
  return [Math.max(0, (Number(params.get(pageParam)) || 1) - 1), setPage];
}

function History({ blockId }: { blockId: string }) {
  const [page, setPage] = usePage();
  const table = (items: readonly HistoryItem[], skeletonRows = 0) => (
    <Framed>
      <DataTable
        label={t.tabs.history}
        columns={historyColumns}
        rows={items}
        rowKey={(item) => `${item.timestamp} ${item.receivedTimestamp}`}
        rowName={(item) => item.timestamp}
        sorting={[]}
        onSort={none}
        skeletonRows={skeletonRows}
      />
    </Framed>
  );
  return (
    <Loaded query={useHistory(blockId, page)} failed={t.historyFailed} loading={table([], 8)}>
      {({ historyItems, totalCount }) =>
        totalCount === 0 ? (
          <EmptyState icon="pending" title={t.noHistory} />
        ) : (
          <>
            <Chart items={historyItems} />
            {table(historyItems)}
            <Pager label={t.pages} page={page} rows={historyRows} sizes={sizes} count={totalCount} onPage={setPage} onRows={none} />
          </>
        )
      }
    </Loaded>
  );
}

function Logs({ blockId }: { blockId: string }) {
  const { data, error, refetch } = useCall(blockLogEntries, { id: blockId }, { refreshedBy: blockLogs.name, quiet: false });
  const table = (logs: readonly BlockLogEntry[], skeletonRows = 0) => (
    <Framed>
      <DataTable
        label={t.tabs.logs}
        columns={logColumns}
        rows={logs}
        rowKey={(entry) => String(entry.logEntryId)}
        rowName={(entry) => entry.detail}
        sorting={[]}
        onSort={none}
        skeletonRows={skeletonRows}
      />
    </Framed>
  );
  return (
    <Loaded
      query={{ data: data?.logs, error, refetch }}
      failed={t.logsFailed}
      loading={table([], 4)}
      empty={<EmptyState icon="report" title={t.noLogs} />}
    >
      {(logs) => table(logs)}
    </Loaded>
  );
}

interface EntityRow {
  entityId: string;
  /** Absent for an entity without a block. */
  blockId?: string | undefined;
}

function HistoryBody({ row: { blockId, entityId } }: { row: EntityRow }) {
  return blockId ? <History blockId={blockId} /> : <PacketExplorer entityId={entityId} none={t.noHistory} />;
}

function LogsBody({ row: { blockId } }: { row: EntityRow }) {
  return blockId ? <Logs blockId={blockId} /> : <EmptyState icon="report" title={t.noLogs} />;
}

const MatchesBody = ({ row }: { row: EntityRow }) => <Matches of={{ subjectId: row.entityId }} />;

export const entityTabs: { form: string; others: readonly PanelTab<EntityRow>[] } = {
  form: t.tabs.details,
  others: [
    { id: 'ruleMatches', label: t.tabs.ruleMatches, Body: MatchesBody },
    { id: 'history', label: t.tabs.history, Body: HistoryBody },
    { id: 'logs', label: t.tabs.logs, Body: LogsBody },
  ],
};

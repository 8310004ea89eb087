/** The log of a device or of one of its operations: newest first, paged, filtered by type; can refresh automatically. */
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { keepPreviousData } from '@tanstack/react-query';
import type { deviceLogList, operationLogList } from '@cloudfit/contract/calls.ts';
import { logEntryTypes } from '@cloudfit/contract/enums.ts';
import { logTexts as t } from '@cloudfit/contract/messages/logs.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { ListQuery } from '@cloudfit/contract/query/query-string.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { deviceLogs } from '@cloudfit/contract/resources/device-logs.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { browserStore } from '../../api/browser-store.ts';
import { useCall } from '../../api/call.ts';
import { failureText } from '../../api/client.ts';
import { IconButton } from '../../components/button.tsx';
import { Chip, type Tone } from '../../components/chips.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { Pager } from '../../components/table/pager.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { usePhone } from '../../components/use-phone.ts';
import { Select } from '../../components/fields/select.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { panelPrefix } from '../../hooks/use-panel.ts';
import './logs.css';

type LogEntry = Row<typeof deviceLogs> & { deviceOperation?: { label: string } | null };

/** How often the log refreshes automatically (LIM-014). */
const refreshMs = 30_000;
const growingMs = 2_000;
const rows = 50;
const sizes = [rows];
const none = (): undefined => undefined;

/** Whether logs refresh automatically; stored in this browser. */
const autoRefresh = browserStore('cloudfit.logs.autoRefresh', (stored) => stored === true);

const tones: Record<LogEntry['entryType'], Tone> = { Information: 'plain', Warning: 'warn', Error: 'danger', Trace: 'info' };

function TypeChip({ type }: { type: LogEntry['entryType'] }) {
  return <Chip tone={tones[type]}>{choiceText(type)}</Chip>;
}

function columnsOf(isPhone: boolean): readonly TableColumn<LogEntry>[] {
  return [
    { id: 'created', header: t.created, width: 92, tone: 'soft', cell: (entry) => <RelativeTime value={entry.created} /> },
    { id: 'type', header: t.type, width: 104, below: 'sm', cell: (entry) => <TypeChip type={entry.entryType} /> },
    {
      id: 'detail',
      header: t.detail,
      width: 180,
      grow: true,
      cell: (entry) => (
        <span className="log-detail">
          {isPhone && entry.entryType !== 'Information' && <TypeChip type={entry.entryType} />}
          {entry.deviceOperation && <span className="muted">{entry.deviceOperation.label}: </span>}
          {entry.detail}
        </span>
      ),
    },
  ];
}

const typeParam = `${panelPrefix}type`;
const pageParam = `${panelPrefix}page`;

/** The filter and page of the log, in the address. */
function useLogAddress() {
  const [params] = useSearchParams();
  const change = useAddress();
  const set = (values: Readonly<Record<string, string | undefined>>) =>
    change(
      (next) => {
        for (const [name, value] of Object.entries(values))
          if (value) next.set(name, value);
          else next.delete(name);
        return undefined;
      },
      { replace: true },
    );
  return {
    type: logEntryTypes.find((logEntryType) => logEntryType === params.get(typeParam)),
    page: Math.max(0, (Number(params.get(pageParam)) || 1) - 1),
    setType: (type: string) => set({ [typeParam]: type, [pageParam]: undefined }),
    setPage: (page: number) => set({ [pageParam]: page > 0 ? String(page + 1) : undefined }),
  };
}

interface LogListProps {
  /** The call that reads the log, of the device or operation `id`. */
  of: typeof deviceLogList | typeof operationLogList;
  id: string;
  /** Shows the operation of each entry. */
  withOperations?: boolean;
  /** Explanation for an empty log. */
  noneText?: string;
  /** Whether new lines are expected now. While it returns true, the log refreshes every two seconds. */
  isGrowing?: () => boolean;
}

export function LogList({ of, id, withOperations = false, noneText, isGrowing }: LogListProps) {
  const { type, page, setType, setPage } = useLogAddress();
  const isAuto = autoRefresh.use();
  const isPhone = usePhone();
  const columns = useMemo(() => columnsOf(isPhone), [isPhone]);
  const query: ListQuery<typeof deviceLogs> = {
    filter: type ? eq(deviceLogs, 'entryType', type) : undefined,
    orderBy: ['created desc', 'logEntryId desc'],
    expand: withOperations ? ['deviceOperation($select=label)'] : undefined,
    top: rows,
    skip: page * rows,
    count: true,
  };
  const { data, error, refetch, dataUpdatedAt, isFetching } = useCall(
    of,
    { id, query },
    {
      refreshedBy: deviceLogs.name,
      quiet: false,
      placeholderData: keepPreviousData,
      refetchInterval: () => (isGrowing?.() ? growingMs : isAuto && refreshMs),
    },
  );
  const count = data?.['@odata.count'];
  return (
    <>
      <div className="log-bar">
        <Select
          aria-label={t.typeFilter}
          value={type ?? ''}
          none={t.allTypes}
          choices={logEntryTypes.map((value) => ({ value, label: choiceText(value) }))}
          onChange={setType}
        />
        <label className="check" title={t.autoRefreshHint}>
          <input type="checkbox" checked={isAuto} onChange={(event) => autoRefresh.set(event.target.checked)} />
          {t.autoRefresh}
        </label>
        <span className="grow" />
        {dataUpdatedAt > 0 && (
          <span className="faint read-at">
            {t.read} <RelativeTime value={new Date(dataUpdatedAt).toISOString()} />
          </span>
        )}
        <IconButton small icon="refresh" label={t.refresh} disabled={isFetching} onClick={() => void refetch()} />
      </div>
      {error && !data ? (
        <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />
      ) : count === 0 ? (
        <EmptyState icon="report" title={type ? t.noneOfType : t.none} text={type ? undefined : noneText} />
      ) : (
        <div className="log-table">
          <DataTable<LogEntry>
            label={t.label}
            columns={columns}
            rows={data?.value ?? []}
            rowKey={(entry) => String(entry.logEntryId)}
            rowName={(entry) => entry.detail}
            sorting={[]}
            onSort={none}
            skeletonRows={data ? 0 : 8}
          />
        </div>
      )}
      {(page > 0 || (count ?? 0) > rows) && (
        <Pager label={t.pages} page={page} rows={rows} sizes={sizes} count={count} onPage={setPage} onRows={none} />
      )}
    </>
  );
}

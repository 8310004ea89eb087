/** Who did what, when and to which row: the newest first, older ones page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { and } from '@cloudfit/contract/query/build.ts';
import { auditTexts as t } from '@cloudfit/contract/messages/audit.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { audit } from '@cloudfit/contract/resources/audit.ts';
import { people } from '@cloudfit/contract/resources/people.ts';
import { subscriptions } from '@cloudfit/contract/resources/subscriptions.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { failureText } from '../../api/client.ts';
import { usePersonName } from '../../api/people-names.ts';
import { Button } from '../../components/button.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { EmptyState, Progress } from '../../components/states.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { ExportButtons } from '../../export/export-buttons.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { fetchPage, useRow } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { AuditEntryPanel, entityText, verbText } from './audit-entry-panel.tsx';
import {
  auditFilter,
  auditOrder,
  differencesOf,
  olderThan,
  pageSize,
  searchIn,
  searchNames,
  type AuditRow,
  type AuditSearch,
} from './audit-query.ts';
import { AuditSearchForm } from './audit-search-form.tsx';
import { readReferenceNames, useReferenceNames, type AuditReference, type ReferenceNames } from './reference-names.ts';
import '../../resource/list-page.css';
import { LoadFailure } from '../../rows/load-failure.tsx';
import './audit.css';

/** Maximum number of rows of an export (LIM-004); also the assumed number of entries while the list has further pages. */
const exportRows = 1_000;

/** Fields that an export contains besides the columns. */
const details = ['actorName', 'entityId', 'before', 'after', 'address', 'correlationId'].map((id) => ({
  id,
  header: audit.fields[id as keyof typeof audit.fields].label,
  width: 100,
  cell: () => null,
  text: (row: AuditRow) => {
    const value: unknown = row[id as keyof AuditRow];
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  },
}));

/** The title of a row as it was recorded; a title that is a day is shown without its time. */
function titleOf({ entity, before, after }: AuditRow): string | undefined {
  const resource = findResource(entity);
  const title = resource && (after?.[resource.title] ?? before?.[resource.title]);
  if (typeof title === 'number') return String(title);
  return typeof title === 'string' && title !== '' ? title.replace(/T00:00:00(?:\.000)?Z$/, '') : undefined;
}

/** Returns the row that a row without a title belongs to, such as the person who signed in or the control of a status. */
function subjectOf(row: AuditRow): AuditReference | undefined {
  if (titleOf(row) !== undefined) return undefined;
  if (row.entity === people.name && guidSchema.safeParse(row.entityId).success) return { ref: people.name, key: row.entityId };
  for (const [name, { ref }] of Object.entries(findResource(row.entity)?.fields ?? {})) {
    const key = row.after?.[name] ?? row.before?.[name];
    if (ref && ref !== tenants.name && ref !== subscriptions.name && key !== undefined && key !== null) return { ref, key };
  }
  return undefined;
}

/** The text for the row: its title, else the row that it belongs to, else its id. */
const rowTextBy =
  (names: ReferenceNames) =>
  (row: AuditRow): string => {
    const subject = subjectOf(row);
    return titleOf(row) ?? (subject && names(subject.ref, subject.key)) ?? row.entityId;
  };

const useRowText = (rows: readonly AuditRow[]) => rowTextBy(useReferenceNames(rows.flatMap((row) => subjectOf(row) ?? [])));

const rowTexts = async (rows: readonly AuditRow[]) => rowTextBy(await readReferenceNames(rows.flatMap((row) => subjectOf(row) ?? [])));

function changesText(entry: AuditRow): string {
  if (entry.verb !== 'update') return '';
  const fields = findResource(entry.entity)?.fields;
  return differencesOf(entry)
    .filter(({ isChanged, name }) => isChanged && name !== 'modified' && name !== 'modifiedBy')
    .map(({ name }) => fields?.[name]?.label ?? name)
    .join(', ');
}

function useEntries(filter: string | undefined, enabled: boolean) {
  return useInfiniteQuery({
    queryKey: [audit.name, 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      fetchPage(audit, { filter: and(filter, olderThan(pageParam)), orderBy: auditOrder, top: pageSize }, signal),
    initialPageParam: undefined as AuditRow | undefined,
    getNextPageParam: ({ rows }) => (rows.length < pageSize ? undefined : rows.at(-1)),
    enabled,
  });
}

function useColumns(rowText: (row: AuditRow) => string): readonly TableColumn<AuditRow>[] {
  const nameOf = usePersonName();
  const who = ({ actorKind, actorName }: AuditRow) => (actorKind === 'person' ? nameOf(actorName) : actorName);
  return [
    { id: 'at', header: t.when, width: 96, cell: (row) => <RelativeTime value={row.at} />, text: (row) => exactTime(row.at), fits: true },
    { id: 'who', header: t.who, width: 150, below: 'sm', cell: who, text: who },
    { id: 'verb', header: t.verb, width: 100, cell: ({ verb }) => verbText(verb), text: ({ verb }) => verbText(verb) },
    {
      id: 'entity',
      header: t.entity,
      width: 140,
      below: 'sm',
      tone: 'soft',
      cell: ({ entity }) => entityText(entity),
      text: ({ entity }) => entityText(entity),
    },
    { id: 'row', header: t.rowName, width: 160, grow: true, cell: rowText, text: rowText, texts: rowTexts },
    { id: 'changes', header: t.changes, width: 220, below: 'md', tone: 'soft', cell: changesText, text: changesText },
  ];
}

export function AuditPage() {
  usePageTitle(t.title);
  const { tenantId, isKnown } = useScope();
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const panel = usePanel();
  const search = searchIn(params);
  const filter = auditFilter(search, tenantId);
  const list = useEntries(filter, isKnown);
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  const rowText = useRowText(rows);
  const columns = useColumns(rowText);
  const listed = rows.find((row) => String(row.auditId) === panel.id);
  const { data: opened, error: openError } = useRow(audit, panel.id ?? '', { listed, enabled: panel.id !== null });
  const setSearch = (next: AuditSearch) =>
    setAddress((now) => {
      for (const name of [...searchNames, 'id']) now.delete(name);
      for (const [name, value] of Object.entries(next)) now.set(name, value);
      return undefined;
    });
  const isTenantOnly = [search.where, search.row, search.request].every((item) => item === undefined);
  return (
    <div className="page">
      <div className="page-bar">
        <AuditSearchForm search={search} onSearch={setSearch} />
        <ExportButtons
          view={{ resource: audit, exportFile: 'audit.csv' }}
          columns={[...columns, ...details]}
          rows={rows}
          query={{ filter, orderBy: auditOrder }}
          count={list.hasNextPage ? exportRows : rows.length}
        />
      </div>
      <div className="page-middle">
        <div className="table-place">
          {list.isFetching && <Progress label={en.grid.updating} />}
          <div className="table-scroll" tabIndex={-1}>
            {list.error ? (
              <LoadFailure query={list} failed={t.failed} denied={failureText(list.error)} />
            ) : (
              <DataTable
                label={t.title}
                columns={columns}
                rows={rows}
                rowKey={(row) => String(row.auditId)}
                rowName={(row) => `${verbText(row.verb)} ${rowText(row)}`}
                openKey={panel.id ?? undefined}
                onOpen={(row) => panel.open(String(row.auditId))}
                skeletonRows={list.data ? 0 : 10}
              />
            )}
            {list.data && rows.length === 0 && (
              <EmptyState icon="search" title={t.none} text={isTenantOnly ? t.noneHere : undefined}>
                {isTenantOnly && (
                  <Button small onClick={() => setSearch({ ...search, where: 'installation' })}>
                    {t.lookInInstallation}
                  </Button>
                )}
              </EmptyState>
            )}
            {rows.length > 0 && (
              <p className="audit-older">
                {list.hasNextPage ? (
                  <>
                    <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                      {t.older}
                    </Button>{' '}
                    <span className="faint">{t.exportHint}</span>
                  </>
                ) : (
                  <span className="faint">{t.end}</span>
                )}
              </p>
            )}
          </div>
        </div>
      </div>
      {panel.id !== null && opened && <AuditEntryPanel entry={opened} onSearch={setSearch} onClose={() => panel.close()} />}
      {panel.id !== null && openError && <p className="notice error">{t.notFound}</p>}
    </div>
  );
}

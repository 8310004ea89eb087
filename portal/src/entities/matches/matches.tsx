/** The matches of a rule or of a subject, and the executions of one match. */
import { and, eq, searchFilter } from '@cloudfit/contract/query/build.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { failureText } from '../../api/client.ts';
import { useMarks } from '../../api/live.ts';
import { useMay } from '../../api/lookups.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { Pager } from '../../components/table/pager.tsx';
import { SearchBox } from '../../components/search-box.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { sortKeys } from '../../filters/list-query.ts';
import { useList } from '../../rows/use-rows.ts';
import { matchColumns, type MatchesOf } from './match-columns.tsx';
import { MatchHistory } from './match-history.tsx';
import { useMatchAddress } from './use-match-address.ts';
import './matches.css';

/** The interval at which the list refreshes without live changes (LIM-008). */
const pollMs = 30_000;
/** The delay between the last key and the search (MATCH-009). */
const searchDebounceMs = 250;
/** The initial number of rows per page (MATCH-007). */
const rowsOfGrid = 50;
const resource = ruleMatches;

interface MatchesProps {
  of: MatchesOf;
  /** Initial rows per page. */
  rows?: number;
}

function MatchList({ of, rows: rowsAtFirst = rowsOfGrid }: MatchesProps) {
  const { state, change, matchId, openMatch } = useMatchAddress(rowsAtFirst);
  const isMarked = useMarks(resource.name);
  const list = useList(
    resource,
    {
      filter: and(
        'ruleId' in of ? eq(ruleMatches, 'ruleId', of.ruleId) : eq(ruleMatches, 'subjectId', of.subjectId),
        searchFilter(resource, state.search),
      ),
      expand: ['rule', 'device'],
      orderBy: sortKeys(resource, state.sort),
      top: state.rows,
      skip: state.page * state.rows,
      count: true,
    },
    // While the history of a match is open, the list does not refresh (MATCH-004).
    { pollMs, refresh: matchId === null },
  );
  const rows = list.data?.rows ?? [];
  const columns = matchColumns(of, (match) => openMatch(match.ruleMatchId));
  if (matchId)
    return (
      <MatchHistory
        key={matchId}
        id={matchId}
        listed={rows.find((match) => match.ruleMatchId === matchId)}
        onBack={() => openMatch(undefined)}
      />
    );
  return (
    <div className="matches-place">
      <div className="matches-bar">
        <SearchBox
          label={t.search}
          value={state.search}
          exact={false}
          withExact={false}
          debounceMs={searchDebounceMs}
          onSearch={(search) => change({ search })}
        />
      </div>
      {list.error && !list.data ? (
        <ErrorState small title={t.failed} text={failureText(list.error)} onRetry={() => void list.refetch()} />
      ) : list.data && rows.length === 0 ? (
        <EmptyState icon="rules" title={t.none} text={state.search ? t.noneNamed : undefined} />
      ) : (
        <div className="table-scroll">
          <DataTable
            label={t.title}
            columns={columns}
            rows={rows}
            rowKey={(match) => match.ruleMatchId}
            rowName={(match) => match.label}
            sorting={state.sort}
            onSort={(sort) => change({ sort })}
            onOpen={(match) => openMatch(match.ruleMatchId)}
            isMarked={isMarked}
            skeletonRows={list.data ? 0 : 8}
          />
        </div>
      )}
      <Pager
        label={t.pages}
        page={state.page}
        rows={state.rows}
        count={list.data?.count}
        onPage={(page) => change({ page })}
        onRows={(rows) => change({ rows })}
      />
    </div>
  );
}

export function Matches(props: MatchesProps) {
  const may = useMay();
  if (!may('Rules', 'view')) return <ErrorState small title={en.auth.deniedTitle} text={t.forbidden} />;
  return <MatchList {...props} />;
}

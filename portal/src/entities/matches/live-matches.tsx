/** Says of work units that are ended, or are about to be, that their matches are open, and what happens if these go on. */
import { useQuery } from '@tanstack/react-query';
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import { liveMatchTexts as t } from '@cloudfit/contract/messages/unit-matches.en.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { unitMatches } from '@cloudfit/contract/resources/unit-matches.ts';
import { useMay } from '../../api/lookups.ts';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { clockTime } from '../../theme/times.ts';
import { fetchPage } from '../../rows/use-rows.ts';

/** Longer lists of units would make the address of the request too long. */
const maxUnits = 500;

/** Reads the open match of these units that has matched last. The key begins with the resource, so that changes refresh it. */
function useLatestOpenMatch(ids: readonly number[], areEnded: boolean) {
  return useQuery({
    // An ended unit is read again, because its match then says when it opens.
    queryKey: [ruleMatches.name, 'openOf', ids, areEnded],
    enabled: ids.length > 0,
    queryFn: async ({ signal }) => {
      const filter = and(oneOf(unitMatches, 'workUnitId', ids), eq(unitMatches, 'state', 'Open'));
      const expand = ['rule($select=name,enabled,whileMatching,reopenAfter)'] as const;
      const page = await fetchPage(unitMatches, { filter, expand, orderBy: ['lastMatch desc'], top: 1, count: true }, signal, true);
      return { match: page.rows[0], count: page.count ?? page.rows.length };
    },
  });
}

interface LiveMatchesProps {
  workUnitIds: readonly number[];
  /** Whether the units have ended already. */
  areEnded: boolean;
}

/** Shows nothing while no match of the units is open. */
export function LiveMatches(props: LiveMatchesProps) {
  return useMay()('Rules', 'view') ? <Shown {...props} /> : null;
}

function Shown({ workUnitIds, areEnded }: LiveMatchesProps) {
  const { data } = useLatestOpenMatch(workUnitIds.slice(0, maxUnits), areEnded);
  const now = useNow();
  const match = data?.match;
  if (!match) return null;
  const { rule, lastMatch, opensAgainAt } = match;
  const does = rule?.enabled ? rule.whileMatching : 'Silent';
  return (
    <div className="notice warning" role="status">
      <b>{areEnded ? t.stillMatching : t.stillHolds}</b> {t.matched(rule?.name ?? match.label)} <RelativeTime value={lastMatch} />
      {data.count > 1 && t.others(data.count - 1)}.{' '}
      {areEnded && opensAgainAt
        ? t.opensAt[does](Date.parse(opensAgainAt) > now ? clockTime(opensAgainAt) : undefined)
        : t.opensAfter[does](rule?.reopenAfter ?? '')}
    </div>
  );
}

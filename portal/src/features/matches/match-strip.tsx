/** When the matches of the list opened: the latest thousand, in equal parts of their period. */
import { useMemo } from 'react';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { clockTime } from '../../components/relative-time.tsx';
import { useList } from '../../rows/use-rows.ts';

const maxMatches = 1_000;
const parts = 48;

function binsOf(times: readonly number[], until: number) {
  const from = Math.min(...times);
  const length = Math.max(60_000, until - from) / parts;
  const counts = Array.from({ length: parts }, () => 0);
  for (const time of times) {
    const part = Math.min(parts - 1, Math.max(0, Math.floor((time - from) / length)));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts.map((count, at) => ({ at: from + at * length, count }));
}

export function MatchStrip({ filter }: { filter: string | undefined }) {
  const { data, dataUpdatedAt } = useList(ruleMatches, { filter, select: ['firstMatch'], orderBy: 'firstMatch desc', top: maxMatches });
  const bins = useMemo(
    () =>
      data && data.rows.length > 0
        ? binsOf(
            data.rows.map((row) => Date.parse(row.firstMatch)),
            dataUpdatedAt,
          )
        : [],
    [data, dataUpdatedAt],
  );
  const [first] = bins;
  if (!data || !first) return null;
  const highest = Math.max(...bins.map((one) => one.count));
  const since = clockTime(new Date(first.at).toISOString());
  return (
    <div className="match-strip">
      <span className="num">{data.rows.length === maxMatches ? t.latest(maxMatches) : since}</span>
      <div className="bars" role="img" aria-label={t.timeline(data.rows.length, since)}>
        {bins.map(({ at, count }) => (
          <span key={at} title={`${clockTime(new Date(at).toISOString())}: ${t.inPart(count)}`}>
            <i style={{ height: `${(100 * count) / highest}%` }} {...(count === 0 ? { 'data-empty': true } : {})} />
          </span>
        ))}
      </div>
      <span className="num">{clockTime(new Date(dataUpdatedAt).toISOString())}</span>
    </div>
  );
}

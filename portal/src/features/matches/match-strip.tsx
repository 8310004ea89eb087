/** A bar chart of when the matches of the list opened: the latest thousand, in equal parts of the time since the first. */
import { useMemo } from 'react';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { ruleMatchTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { Bars } from '../../components/chart/bars.tsx';
import { clockTime } from '../../theme/times.ts';
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
  return counts.map((count, at) => ({ from: from + at * length, to: from + (at + 1) * length, count }));
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
  const highest = Math.max(...bins.map((bin) => bin.count));
  const since = clockTime(new Date(first.from).toISOString());
  return (
    <div className="match-strip">
      <span className="num">{data.rows.length === maxMatches ? t.latest(maxMatches) : since}</span>
      <Bars label={t.timeline(data.rows.length, since)} bars={bins} max={highest} countText={t.inPart} />
      <span className="num">{clockTime(new Date(dataUpdatedAt).toISOString())}</span>
    </div>
  );
}

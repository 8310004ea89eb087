/** The newest marks of the charts below as a list, whose links the keyboard reaches and which are easier to hit than a line. */
import { Link } from 'react-router';
import { chartTexts as t } from '@cloudfit/contract/messages/charts.en.ts';
import type { ChartMark } from '../../components/chart/points.ts';
import { RelativeTime } from '../../components/relative-time.tsx';

const shownMarks = 5;

export function MarkList({ marks }: { marks: readonly ChartMark[] }) {
  const newest = marks.toSorted((a, b) => b.from - a.from).slice(0, shownMarks);
  if (newest.length === 0) return null;
  return (
    <ul className="mark-list" aria-label={t.marks}>
      {newest.map(({ id, kind, label, href, from }) => (
        <li key={id} className={`mark ${kind}`}>
          <span className="faint">{t.markKinds[kind]}</span> {href ? <Link to={href}>{label}</Link> : label}{' '}
          <span className="faint">
            <RelativeTime value={new Date(from).toISOString()} />
          </span>
        </li>
      ))}
      {marks.length > shownMarks && <li className="faint">{t.moreMarks(marks.length - shownMarks)}</li>}
    </ul>
  );
}

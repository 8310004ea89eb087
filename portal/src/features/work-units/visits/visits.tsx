/** Who has seen a unit: in a few words in its header, and as entries of its timeline. */
import { visitTexts as t } from '@cloudfit/contract/messages/visits.en.ts';
import type { UnitVisit } from '@cloudfit/contract/actions/work-units/visits.ts';
import { useCurrentUser } from '../../../api/lookups.ts';
import { Icon } from '../../../components/icon.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { useVisits } from './use-visits.ts';
import { visitText, type VisitMoment } from './visit-moments.ts';

const isMe = (me: string | undefined, { userName }: UnitVisit) => me !== undefined && userName?.toLowerCase() === me.toLowerCase();

/** The other person who has seen the unit last, and how many more have. */
export function VisitLine({ id }: { id: number }) {
  const { data: me } = useCurrentUser();
  const others = useVisits(id).filter((visit) => visit.userName !== null && !isMe(me?.userName, visit));
  const [last] = others;
  const names = [...new Set(others.map(({ name }) => name))];
  if (!last) return null;
  return (
    <span title={names.join(', ')}>
      {t.by(last.name)} <RelativeTime value={last.last} />
      {names.length > 1 && ` ${t.more(names.length - 1)}`}
    </span>
  );
}

/** One entry of the timeline. */
export function VisitEntry({ moment }: { moment: VisitMoment }) {
  return (
    <li className="entry">
      <span className="avatar">
        <Icon name="eye" />
      </span>
      <span className="muted">{visitText(moment)}</span>
      <span className="entry-end">
        <RelativeTime plain value={moment.at} />
      </span>
    </li>
  );
}

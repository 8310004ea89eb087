/** Who has seen a unit: in a few words in its header, and as entries of its timeline. */
import { seenTexts as t } from '@cloudfit/contract/messages/seen.en.ts';
import type { SeenBy } from '@cloudfit/contract/actions/work-units/seen.ts';
import { useCurrentUser } from '../../../api/lookups.ts';
import { Icon } from '../../../components/icon.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { useSeen } from './use-seen.ts';
import { wordsOfSight, type Sight } from './sights.ts';

const isMe = (me: string | undefined, { userName }: SeenBy) => me !== undefined && userName?.toLowerCase() === me.toLowerCase();

/** The other person who has seen the unit last, and how many more have. */
export function SeenLine({ id }: { id: number }) {
  const { data: me } = useCurrentUser();
  const others = useSeen(id).filter((seen) => seen.userName !== null && !isMe(me?.userName, seen));
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
export function SeenEntry({ sight }: { sight: Sight }) {
  return (
    <li className="entry">
      <span className="avatar">
        <Icon name="eye" />
      </span>
      <span className="muted">{wordsOfSight(sight)}</span>
      <span className="entry-end">
        <RelativeTime plain value={sight.at} />
      </span>
    </li>
  );
}

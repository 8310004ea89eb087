import { onCallTexts as t } from '@cloudfit/contract/messages/on-call.en.ts';
import { Icon } from '../../components/icon.tsx';
import { zoneTime } from '../../theme/times.ts';

const maxGaps = 5;

/** The times at which nobody is on call, as items of a list of warnings. */
export function Gaps({ gaps }: { gaps: readonly { from: string | number; to: string | number }[] }) {
  return (
    <>
      {gaps.slice(0, maxGaps).map((gap) => (
        <li key={gap.from}>
          <Icon name="warning" /> {t.gap(zoneTime(gap.from), zoneTime(gap.to))}
        </li>
      ))}
      {gaps.length > maxGaps && <li className="muted">{t.moreGaps(gaps.length - maxGaps)}</li>}
    </>
  );
}

/** The people of layers who never have hours, as items of a list of warnings. */
export function WithoutTurns({ people }: { people: readonly { personId: string; name: string; layer: string }[] }) {
  return people.map(({ personId, name, layer }) => (
    <li key={`${layer} ${personId}`}>
      <Icon name="warning" /> {t.withoutTurns(name, layer)}
    </li>
  ));
}

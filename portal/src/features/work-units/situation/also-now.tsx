/** Other open units that share a device, a location, the rule or the assignment group, and what they share. */
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { UnitAround } from '@cloudfit/contract/actions/work-units/also-now.ts';
import { situationTexts as t } from '@cloudfit/contract/messages/work-unit-situation.en.ts';
import { SeverityChip } from '../../../components/chips.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { unitAddress } from '../../../entities/explanations/addresses.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { alsoNowQuery } from './also-now-query.ts';

/** What the other unit shares, the closest first; a shared device is in its location anyway. */
function sharedWith(unit: PanelWorkUnit, { device, location, sameRule, sameGroup }: UnitAround): string {
  const group = sameGroup && unit.assignmentGroup ? t.sharesGroup(unit.assignmentGroup) : '';
  return [device ?? location ?? '', sameRule ? t.sharesRule : '', device || location || sameRule ? '' : group].filter(Boolean).join(', ');
}

export function AlsoNow({ unit }: { unit: PanelWorkUnit }) {
  const { data } = useQuery(alsoNowQuery(unit.workUnitId));
  if (!data || data.total === 0) return null;
  const { total, value } = data;
  return (
    <section className="unit-card" aria-label={t.alsoNow}>
      <h3>
        {t.alsoNow} <span className="muted">{t.alsoNowCount(total)}</span>
      </h3>
      <ul className="also-now">
        {value.map((other) => (
          <li key={other.workUnitId}>
            <SeverityChip value={other.severityId} />
            <Link className="ellipsis" to={unitAddress(other.workUnitId)}>
              #{other.publicWorkUnitId} {other.title}
            </Link>
            <span className="muted ellipsis">{sharedWith(unit, other)}</span>
            <RelativeTime plain value={other.created} />
          </li>
        ))}
      </ul>
      {total > value.length && <p className="faint">{t.alsoNowMore(total - value.length)}</p>}
    </section>
  );
}

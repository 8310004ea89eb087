import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { ColorDot } from '../../../components/color-dot.tsx';
import { Chip } from '../../../components/chips.tsx';
import { Icon } from '../../../components/icon.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { matchAddress } from '../../../entities/explanations/addresses.ts';
import { WhyLink } from '../../../entities/explanations/why-link.tsx';
import { relatedIds, useRelatedDevices, useRelatedMatches } from './use-related.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const t = workUnitTexts;

/** What opened the unit: the rule, the device, the number of hits, and whether the match is still open. */
export function Cause({ unit }: { unit: PanelWorkUnit }) {
  const { data: matches } = useRelatedMatches(unit);
  const { data: devices } = useRelatedDevices(unit);
  if (relatedIds(unit, 'RuleMatch').length === 0) return null;
  const match = matches?.[0];
  const device = devices?.[0];
  const isActive = match !== undefined && !match.closed && new Date(match.expires).getTime() > Date.now();
  return (
    <div className="cause">
      <Icon name="rules" label={t.cause} />
      <span className="grow row">
        <ColorDot color={match?.rule?.color} />
        {match ? (
          <Link to={`/${match.tenantId}/rules?id=${match.ruleId}&q=disabled`}>{match.rule?.name ?? match.label}</Link>
        ) : (
          <span className="muted">{t.causeLine}</span>
        )}
        {device && (
          <>
            <span className="faint" aria-hidden>
              ·
            </span>
            <Link to={`/${device.tenantId}/devices?id=${device.deviceId}`}>{device.name}</Link>
          </>
        )}
        {match && (
          <span className="muted">
            {t.matchedTimes(match.matchCount)}, <RelativeTime value={match.lastMatch} />
          </span>
        )}
      </span>
      {match && <WhyLink to={matchAddress(match.tenantId, match.ruleMatchId)} of={match.label} />}
      {match && (
        <Chip tone={isActive ? 'danger' : 'plain'} dot>
          {isActive ? en.matches.active : en.matches.inactive}
        </Chip>
      )}
    </div>
  );
}

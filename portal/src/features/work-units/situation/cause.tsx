/** What opened the unit: the rule, the device, the value that matched and its metric around that time, and why, in place. */
import { useState } from 'react';
import { Link } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { whyTexts } from '@cloudfit/contract/messages/why.en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { situationTexts as s } from '@cloudfit/contract/messages/work-unit-situation.en.ts';
import { useMay } from '../../../api/lookups.ts';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chips.tsx';
import { ColorDot } from '../../../components/color-dot.tsx';
import { onDemand } from '../../../components/on-demand.tsx';
import { nearing } from '../../../components/overlay/floating.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { valueSeen } from '../../../entities/matches/value-seen.ts';
import { relatedIds, useRelatedMatches, type RelatedMatch } from '../related/use-related.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { MatchChart } from './match-chart.tsx';
import { metricOfMatch } from './metric-of-match.ts';
import { Runbook } from './runbook.tsx';
import type { WhyDialogProps } from './why-dialog.tsx';
import { nowMs } from '../../../theme/now.ts';

const t = workUnitTexts;

const whyDialog = onDemand<WhyDialogProps>(() => import('./why-dialog.tsx').then((module) => module.WhyDialog));

const isActive = ({ closed, expires }: RelatedMatch) => !closed && Date.parse(expires) > nowMs();

function Subject({ match }: { match: RelatedMatch }) {
  const { device, tenantId } = match;
  if (!device) return null;
  return (
    <>
      {s.on} <Link to={`/${tenantId}/devices?id=${device.deviceId}`}>{device.name}</Link>
    </>
  );
}

function MatchCause({ unit, match }: { unit: PanelWorkUnit; match: RelatedMatch }) {
  const [asksWhy, setAsksWhy] = useState(false);
  const may = useMay();
  const value = valueSeen(match);
  const measured = metricOfMatch(match.rule?.conditions ?? [], match.rulePacket);
  const active = isActive(match);
  return (
    <section className="unit-card cause" aria-label={t.cause}>
      <div className="cause-head">
        <h3 className="grow">{t.cause}</h3>
        <Button
          small
          look="quiet"
          {...nearing}
          aria-haspopup="dialog"
          aria-label={whyTexts.linkOf(match.label)}
          onClick={() => setAsksWhy(true)}
        >
          {whyTexts.link}
        </Button>
        <Chip tone={active ? 'danger' : 'plain'} dot>
          {active ? en.matches.active : en.matches.inactive}
        </Chip>
      </div>
      <p className="cause-line">
        <ColorDot color={match.rule?.color} />{' '}
        <Link to={`/${match.tenantId}/rules?id=${match.ruleId}&q=disabled`}>{match.rule?.name ?? match.label}</Link>{' '}
        <Subject match={match} />{' '}
        <span className="muted">
          {t.matchedTimes(match.matchCount)}, <RelativeTime value={match.lastMatch} />
        </span>
        {value && (
          <>
            {' · '}
            {s.seen} <b>{value}</b>
          </>
        )}
      </p>
      <Runbook unit={unit} />
      {measured && may('Packets', 'view') && <MatchChart match={match} measured={measured} isActive={active} opened={unit.created} />}
      {asksWhy && <whyDialog.Component match={match} onClose={() => setAsksWhy(false)} />}
    </section>
  );
}

export function Cause({ unit }: { unit: PanelWorkUnit }) {
  const { data: matches, isLoading } = useRelatedMatches(unit);
  const match = matches?.[0];
  if (relatedIds(unit, 'RuleMatch').length === 0) return null;
  if (match) return <MatchCause unit={unit} match={match} />;
  return (
    <section className="unit-card cause" aria-label={t.cause}>
      <p className="muted">{t.causeLine}</p>
      {/* Not before the match is there, whose card would close an article that is being read. */}
      {!isLoading && <Runbook unit={unit} />}
    </section>
  );
}

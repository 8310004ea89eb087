/** A rule to read: what it waits for, what it runs, when it matched last. */
import { Link } from 'react-router';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleMatchTexts } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { ruleTypes } from '@cloudfit/contract/enums.ts';
import { failureText } from '../../api/client.ts';
import { Chip, CopyId } from '../../components/chips.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useRow } from '../../resource/use-rows.ts';
import type { PanelProps } from '../../resource/view.ts';
import { describeCondition } from './describe-rule.ts';
import { matchesParam } from './use-rule-matches.ts';
import { useOperandNames, useRecentMatches, type Rule } from './use-rules.ts';
import './rule-panel.css';
import type { AnyRow } from '../../resource/row.ts';

const t = en.rules;

function Matches({ ruleId }: { ruleId: string }) {
  const { data } = useRecentMatches(ruleId);
  if (!data) return <Skeleton width="50%" />;
  if (data.length === 0) return <p className="muted">{en.matches.none}</p>;
  return data.map((match) => {
    const isActive = !match.closed && new Date(match.expires).getTime() > Date.now();
    return (
      <p key={match.ruleMatchId} className="row match-line">
        <Chip tone={isActive ? 'danger' : 'plain'} dot>
          {isActive ? en.matches.active : en.matches.inactive}
        </Chip>
        {match.device ? (
          <Link to={`/${match.tenantId}/devices?id=${match.subjectId}`}>{match.device.name}</Link>
        ) : (
          <span>{match.label}</span>
        )}
        <span className="muted">{en.matches.count(match.matchCount)}</span>
        {match.inMaintenance && <Chip tone="warn">{en.matches.inMaintenance}</Chip>}
        <span className="grow" />
        <RelativeTime value={match.lastMatch} />
      </p>
    );
  });
}

function RuleDetails({ rule }: { rule: Rule }) {
  const names = useOperandNames(rule.ruleTypeId);
  const facts: readonly (readonly [string, string])[] = [
    [t.type, ruleTypes.find((type) => type.value === rule.ruleTypeId)?.label ?? String(rule.ruleTypeId)],
    [t.scope, rule.subscription?.name ?? t.wholeTenant],
    [t.lifetime, rule.matchLifetime],
    [t.sliding, rule.useSlidingExpiration ? en.common.yesValue : en.common.noValue],
    [t.timeLimits, rule.timeConditions ? t.timeLimitsSome : t.timeLimitsNone],
    [t.matchActions, t.actions(rule.matchActions.length)],
    [t.expirationActions, t.actions(rule.expirationActions.length)],
  ];
  return (
    <div className="body">
      {rule.description && <p className="rule-text">{rule.description}</p>}
      <section className="form-section" aria-label={t.conditions}>
        <h3>{t.conditions}</h3>
        <ol className="conditions">
          {rule.conditions.map((condition, at) => (
            <li key={`${at}-${condition.LeftOperand}`}>
              {at > 0 && <span className="chip">{condition.Type === 'Or' ? t.or : t.and}</span>} {describeCondition(condition, names)}
            </li>
          ))}
        </ol>
      </section>
      <section className="form-section" aria-label={en.form.details}>
        <h3>{en.form.details}</h3>
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section className="form-section" aria-label={t.recent}>
        <h3>{t.recent}</h3>
        <Matches ruleId={rule.ruleId} />
        <Link to={{ search: `${matchesParam}=${rule.ruleId}` }}>{ruleMatchTexts.back}</Link>
      </section>
    </div>
  );
}

export function RulePanel({ id, row, onClose }: PanelProps<AnyRow>) {
  const { data: rule, error, refetch } = useRow<Rule>(rules, id, { expand: 'subscription', known: row as Rule | undefined });
  if (!rule)
    return (
      <SidePanel title={t.title} onClose={onClose}>
        <div className="body">
          {error ? (
            <ErrorState title={en.failure.row('Rule')} text={failureText(error)} onRetry={() => void refetch()} />
          ) : (
            <Skeleton width="60%" />
          )}
        </div>
      </SidePanel>
    );
  return (
    <SidePanel
      title={rule.name}
      onClose={onClose}
      meta={
        <>
          <Chip tone={rule.enabled ? 'ok' : 'plain'} dot>
            {rule.enabled ? 'Enabled' : 'Disabled'}
          </Chip>
          <CopyId id={rule.ruleId} label="Rule ID" />
        </>
      }
    >
      <RuleDetails rule={rule} />
    </SidePanel>
  );
}

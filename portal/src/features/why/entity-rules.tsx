/** What all rules of the tenant did at one moment of an entity: rules that held first, then those that came closest. */
import { Link } from 'react-router';
import type { EntityExplanation, RuleOfEntity } from '@cloudfit/contract/actions/explain.ts';
import { whyTexts } from '@cloudfit/contract/messages/why.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { usePersonName } from '../../api/people-names.ts';
import { span } from '../../components/relative-time.tsx';
import { clockTime, withTimes } from '../../theme/times.ts';
import { executionAddress, matchAddress, unitAddress, whyAddress } from '../../entities/explanations/addresses.ts';
import { HeldBy, PacketLine, Step, type StepTone } from '../../entities/explanations/steps.tsx';
import { executionState } from '../../entities/executions/execution-state.ts';

const t = whyTexts.entity;

const tones: Partial<Record<RuleOfEntity['outcome'], StepTone>> = {
  hit: 'ok',
  repeated: 'ok',
  late: 'warn',
  suppressed: 'warn',
  failed: 'danger',
  stale: 'warn',
  outsideTime: 'warn',
  disabled: 'warn',
};

function toneOf({ outcome, nearly }: RuleOfEntity): StepTone {
  if (outcome === 'miss') return nearly ? 'warn' : 'danger';
  return tones[outcome] ?? 'plain';
}

function RuleSteps({ rule, entityId, tenantId, at }: { rule: RuleOfEntity; entityId: string; tenantId: string; at: string }) {
  const nameOf = usePersonName();
  const { ruleId, ruleName, outcome, summary, reasons, conditions, disabled, match, actions, workUnits, repeatsAt } = rule;
  return (
    <>
      <Step
        tone={toneOf(rule)}
        title={<Link to={whyAddress(tenantId, { ruleId, entityId, at })}>{ruleName}</Link>}
        outcome={whyTexts.outcomes[outcome]}
      >
        {disabled ? t.disabledBy(nameOf(disabled.by), clockTime(disabled.at)) : reasons.length > 0 ? withTimes(reasons.join(' ')) : summary}{' '}
        {reasons.length === 0 && <span className="faint">{conditions}</span>}
        {match && (
          <>
            {' '}
            <Link to={matchAddress(tenantId, match.ruleMatchId)}>{whyTexts.openedAt(clockTime(match.firstMatch))}</Link>
            {repeatsAt && ` ${whyTexts.repeats(clockTime(repeatsAt))}`}
          </>
        )}
      </Step>
      {actions.map((action) => {
        const state = executionState({ ...action, resultDetail: action.detail });
        return (
          <Step key={action.messageId} tone={state.tone === 'info' ? 'plain' : state.tone} title="" outcome={state.label}>
            <Link to={executionAddress(tenantId, action.messageId)}>{action.name ?? whyTexts.deletedAction}</Link>{' '}
            <span className="muted">{state.words}</span>
          </Step>
        );
      })}
      {workUnits.map((unit) => (
        <Step key={unit.workUnitId} tone={unit.opensAgainAt ? 'warn' : 'ok'} title="" outcome={choiceText(unit.stateId)}>
          <Link to={unitAddress(unit.workUnitId)}>
            #{unit.publicWorkUnitId} {unit.title}
          </Link>{' '}
          {unit.opensAgainAt && <span className="muted">{whyTexts.opensAgain(clockTime(unit.opensAgainAt))}</span>}
        </Step>
      ))}
    </>
  );
}

/** The question that the page answers: who was notified, or why nobody was. */
export function entityQuestion({ actions, entityName, at }: EntityExplanation): string {
  return (actions.run + actions.waiting > 0 ? t.notified : t.nobody)(entityName, clockTime(at));
}

export function EntityRules({ explanation, tenantId }: { explanation: EntityExplanation; tenantId: string }) {
  const { packet, newerPacket, silentSeconds, maintenance, summary, reasons, rules, counts, leftOut, entityId, at } = explanation;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <section className="why-card" aria-label={whyTexts.events.packet}>
        <header>
          <h3>{whyTexts.events.packet}</h3>
          {silentSeconds !== null && silentSeconds >= 1 && <small className="faint">{t.before(span(silentSeconds * 1_000))}</small>}
        </header>
        {packet ? <PacketLine packet={packet} entityId={entityId} tenantId={tenantId} /> : <p className="muted">{whyTexts.noEvent}</p>}
        {newerPacket && <p className="muted">{whyTexts.newer(clockTime(newerPacket.timestamp))}</p>}
      </section>
      <section className="why-card" aria-label={t.steps}>
        <header>
          <h3>{t.steps}</h3>
          <small className="faint">{t.rules(all)}</small>
        </header>
        <p>{withTimes(summary)}</p>
        {reasons.map((reason) => (
          <p key={reason} className="muted">
            {withTimes(reason)}
          </p>
        ))}
        {maintenance.inMaintenance && (
          <p className="muted">
            {whyTexts.inMaintenance} <HeldBy maintenance={maintenance} tenantId={tenantId} />
            {maintenance.until && ` ${whyTexts.until(clockTime(maintenance.until))}`}
          </p>
        )}
        <ol className="why-steps why-rules">
          {rules.map((rule) => (
            <RuleSteps key={rule.ruleId} rule={rule} entityId={entityId} tenantId={tenantId} at={at} />
          ))}
        </ol>
        {leftOut > 0 && <p className="faint">{t.leftOut(leftOut)}</p>}
      </section>
    </>
  );
}

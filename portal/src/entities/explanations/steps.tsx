/** An explanation as steps: the event, each condition with its value, and what followed. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { whyTexts as t } from '@cloudfit/contract/messages/why.en.ts';
import { deviationsInWords } from '@cloudfit/contract/rules/baselines/words.ts';
import { builtWords } from '@cloudfit/contract/rules/rule-words.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { usePersonName } from '../../api/people-names.ts';
import { span } from '../../components/relative-time.tsx';
import { clockTime, withTimes } from '../../theme/times.ts';
import { executionAddress, matchAddress, packetAddress, unitAddress } from './addresses.ts';
import { NextTry } from '../executions/next-try.tsx';
import { executionState } from '../executions/execution-state.ts';
import './explanation.css';

type ExplanationCondition = Explanation['conditions'][number];

export type StepTone = 'ok' | 'warn' | 'danger' | 'plain';

const marks: Record<StepTone, string> = { ok: '✓', warn: '◔', danger: '✕', plain: '–' };

interface StepProps {
  tone: StepTone;
  title: ReactNode;
  outcome?: ReactNode;
  children: ReactNode;
}

export function Step({ tone, title, outcome, children }: StepProps) {
  return (
    <li>
      <span className={`mark ${tone}`} aria-hidden>
        {marks[tone]}
      </span>
      <b>{title}</b>
      <span className="words">{children}</span>
      <span className={`outcome ${tone}`}>{outcome}</span>
    </li>
  );
}

/** Links to the maintenance that holds the actions: windows, changes by their number, and rules. */
export function HeldBy({ maintenance, tenantId }: { maintenance: Explanation['maintenance']; tenantId: string }) {
  const links = [
    ...maintenance.windows.map(({ maintenanceWindowId: id, reason, isChange, workUnitId, publicWorkUnitId: number }) =>
      isChange && workUnitId !== null && number !== null
        ? { id, to: unitAddress(workUnitId), text: t.heldByChange(number, reason) }
        : { id, to: `/${tenantId}/maintenance?id=${id}`, text: reason },
    ),
    ...maintenance.rules.map(({ ruleId, name }) => ({ id: ruleId, to: `/${tenantId}/rules?id=${ruleId}`, text: name })),
  ];
  return links.map(({ id, to, text }, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <Link to={to}>{text}</Link>
    </span>
  ));
}

export function Value({ children }: { children: ReactNode }) {
  return <span className="why-value">{children}</span>;
}

function verdict(condition: ExplanationCondition): readonly [StepTone, string] {
  const { observed, value, satisfied, usual } = condition;
  if (satisfied) return ['ok', t.holds];
  if (condition.held) return ['warn', t.notYet];
  // The condition is on a baseline, which has too few values to compare the reading with.
  if (!observed && usual && value === null) return ['plain', t.tooLittle];
  if (!observed) return value === null ? ['danger', t.notReported] : ['plain', t.notConcerned];
  return ['danger', t.holdsNot];
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A value as text. An id that is still an id here belongs to another row than the condition names. */
function valueText(value: ExplanationCondition['value']): string {
  if (value === null || value === '') return t.nothing;
  return typeof value === 'string' && guid.test(value) ? t.anotherOne : String(value);
}

/** The value that a condition read; for a condition on a baseline, the reading and its deviation from the baseline. */
function Saw({ condition: { value, right, usual, observed, saw } }: { condition: ExplanationCondition }) {
  if (!observed) return usual && value === null ? `: ${withTimes(saw)}` : null;
  return (
    <>
      {': '}
      {t.sawWord} <Value>{valueText(usual ? usual.value : value)}</Value>
      {usual && `, ${deviationsInWords(usual, builtWords)}`}
      {right !== undefined && (
        <>
          {' '}
          {t.against} <Value>{valueText(right)}</Value>
        </>
      )}
    </>
  );
}

function ConditionStep({ condition, isAlternative }: { condition: ExplanationCondition; isAlternative: boolean }) {
  const [tone, words] = verdict(condition);
  const { index, text, progress } = condition;
  return (
    <Step tone={tone} title={`${isAlternative ? `${t.orAlternative} ` : ''}${t.condition(index + 1)}`} outcome={words}>
      {text}
      <Saw condition={condition} />
      {progress && <span className="muted"> {t.progress(withTimes(progress))}</span>}
    </Step>
  );
}

interface EventLineProps {
  explanation: Explanation;
  tenantId: string;
  /** Opens links in a new tab: beside a form with changes, a link in the same tab would lose them. */
  newTab?: boolean;
}

/** The event that the rule evaluated: a packet with its readings, or the time of another event. */
export function EventLine({ explanation, tenantId, newTab }: EventLineProps) {
  const { packet, event, eventAt, entityId, newerPacket } = explanation;
  if (!packet) return <p className="muted">{event && eventAt ? clockTime(eventAt) : t.noEvent}</p>;
  return (
    <>
      <PacketLine packet={packet} entityId={entityId} tenantId={tenantId} newTab={newTab} />
      {newerPacket && <p className="muted">{t.newer(clockTime(newerPacket.timestamp))}</p>}
    </>
  );
}

interface PacketLineProps {
  packet: NonNullable<Explanation['packet']>;
  entityId: string;
  tenantId: string;
  newTab?: boolean | undefined;
}

export function PacketLine({ packet, entityId, tenantId, newTab }: PacketLineProps) {
  const message = (packet.message ?? {}) as Record<string, unknown>;
  const delay = Date.parse(packet.received) - Date.parse(packet.timestamp);
  const values = ['Value', 'Metrics', 'States', 'Properties'].flatMap((name): [string, unknown][] => {
    const part = message[name];
    if (part === undefined || part === null) return [];
    return typeof part === 'object' ? Object.entries(part) : [[name, part]];
  });
  return (
    <>
      <p className="muted">
        {t.measured(clockTime(packet.timestamp))}
        {delay >= 1_000 && `, ${t.receivedAfter(span(delay))}`}
        {' · '}
        <Link to={packetAddress(tenantId, entityId, packet.timestamp)} {...(newTab ? { target: '_blank' } : {})}>
          {t.allValues}
        </Link>
      </p>
      <p className="why-values">
        {values.slice(0, 24).map(([name, value]) => (
          <Value key={name}>
            {name} {typeof value === 'object' ? JSON.stringify(value) : String(value)}
          </Value>
        ))}
      </p>
    </>
  );
}

/** The steps of an explanation as a list; the match, its executions and its units are linked. */
export function Steps({ explanation, tenantId }: { explanation: Explanation; tenantId: string }) {
  const { conditions, inTimeWindow, maintenance, match, actions, workUnits, repeatsAt, outcome, reasons, disabled } = explanation;
  const nameOf = usePersonName();
  const isMatch = match !== null;
  return (
    <>
      <ol className="why-steps">
        {conditions.length === 0 && (
          <Step tone="plain" title={t.outcomes[outcome]}>
            {disabled ? t.disabledBy(nameOf(disabled.by), clockTime(disabled.at)) : explanation.summary}
          </Step>
        )}
        {conditions.map((condition, at) => (
          <ConditionStep
            key={condition.index}
            condition={condition}
            isAlternative={at > 0 && condition.group !== conditions[at - 1]?.group}
          />
        ))}
        {inTimeWindow !== null && (
          <Step tone={inTimeWindow ? 'ok' : 'danger'} title={t.times} outcome={inTimeWindow ? t.holds : t.holdsNot}>
            {inTimeWindow ? t.inTimes : t.outsideTimes}
          </Step>
        )}
        {maintenance.inMaintenance && (
          <Step tone="warn" title={t.maintenance} outcome={t.heldBack}>
            {t.inMaintenance} <HeldBy maintenance={maintenance} tenantId={tenantId} />
            {maintenance.until && ` ${t.until(clockTime(maintenance.until))}`}
          </Step>
        )}
        {isMatch ? (
          <Step
            tone={outcome === 'late' || outcome === 'suppressed' ? 'warn' : 'ok'}
            title={t.match}
            outcome={match.closed ? t.over : t.isOpen}
          >
            <Link to={matchAddress(tenantId, match.ruleMatchId)}>{t.openedAt(clockTime(match.firstMatch))}</Link>{' '}
            <span className="muted">
              {t.matchAt(match.matchCount)}
              {match.heldSince && ` ${match.heldUntil ? t.heldUntil(clockTime(match.heldUntil)) : t.heldSince(clockTime(match.heldSince))}`}
              {repeatsAt && ` ${t.repeats(clockTime(repeatsAt))}`}
            </span>
          </Step>
        ) : (
          conditions.length > 0 && (
            <Step tone="plain" title={t.outcomes[outcome]}>
              {explanation.summary} {t.nobody}
            </Step>
          )
        )}
        {isMatch && actions.length === 0 && (
          <Step tone="plain" title={t.action}>
            {t.noActions}
          </Step>
        )}
        {actions.map((action) => {
          const state = executionState({ ...action, resultDetail: action.detail });
          return (
            <Step
              key={action.messageId}
              tone={state.tone === 'info' ? 'plain' : state.tone}
              title={action.phase === 'expiration' ? t.actionAtEnd : t.action}
              outcome={state.label}
            >
              <Link to={executionAddress(tenantId, action.messageId)}>{action.name ?? t.deletedAction}</Link>{' '}
              <span className="muted">{state.words}</span> {action.nextTry && <NextTry at={action.nextTry} />}
            </Step>
          );
        })}
        {workUnits.map((unit) => (
          <Step key={unit.workUnitId} tone={unit.opensAgainAt ? 'warn' : 'ok'} title={t.workUnit} outcome={choiceText(unit.stateId)}>
            <Link to={unitAddress(unit.workUnitId)}>
              #{unit.publicWorkUnitId} {unit.title}
            </Link>{' '}
            {unit.opensAgainAt && <span className="muted">{t.opensAgain(clockTime(unit.opensAgainAt))}</span>}
          </Step>
        ))}
      </ol>
      {reasons.length > 0 && conditions.length === 0 && (
        <ul className="why-notes muted">
          {reasons.map((reason) => (
            <li key={reason}>{withTimes(reason)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/**
 * The card with which a change request begins: how it stands, what will be done and when, what it means and collides with, who has
 * decided, and what follows each decision.
 */
import { changePlanTexts as t } from '@cloudfit/contract/messages/change-plan.en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { overrideApproval } from '@cloudfit/contract/permissions.ts';
import { useHas } from '../../../api/lookups.ts';
import { usePersonName } from '../../../api/people-names.ts';
import { Chip, type Tone } from '../../../components/chips.tsx';
import { useNow } from '../../../components/relative-time.tsx';
import { zoneTime } from '../../../theme/times.ts';
import { CollisionList } from '../changes/collisions.tsx';
import { useCollisions } from '../changes/use-collisions.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { Override, SlotRow, whenOf } from './approvals.tsx';
import { PlanFacts } from './plan-facts.tsx';
import {
  awaitedOf,
  awaitsApproval,
  freezeAmong,
  isChange,
  slotsOf,
  slotOf,
  standingOf,
  takesDecisions,
  type Standing,
} from './standing.ts';
import { useDecider, useFreezeNow } from './use-approvals.ts';
import './change-plan.css';

const tones: Record<Standing, Tone> = {
  rejected: 'danger',
  over: 'plain',
  underWay: 'info',
  past: 'warn',
  overridden: 'warn',
  frozen: 'danger',
  mine: 'info',
  others: 'plain',
  approved: 'ok',
};

function StandingChip({ unit, standing, freeze }: { unit: PanelWorkUnit; standing: Standing; freeze: string }) {
  const nameOf = usePersonName();
  const awaited = awaitedOf(unit).map(nameOf).join(t.and);
  const rejectedBy = nameOf(slotsOf(unit).find(({ declinedBy }) => declinedBy)?.declinedBy ?? '');
  const words = {
    ...t.standing,
    others: awaited ? t.standing.others(awaited) : t.standing.nobody,
    rejected: t.standing.rejected(rejectedBy),
    frozen: t.standing.frozen(freeze),
  };
  return (
    <Chip tone={tones[standing]} dot>
      {words[standing]}
    </Chip>
  );
}

interface NextProps {
  unit: PanelWorkUnit;
  standing: Standing;
  /** The slot that the person may approve now; undefined if there is none. */
  approvable: 1 | 2 | undefined;
  rejectable: 1 | 2 | undefined;
}

/** What follows: each decision that the person may take, otherwise how the change goes on. */
function Next({ unit, standing, approvable, rejectable }: NextProps) {
  const nameOf = usePersonName();
  // The row of the list, which is shown until the unit has loaded, has fewer fields.
  const { affectedDevices = [] } = unit as Partial<PanelWorkUnit>;
  const canStart = unit.plannedStartTime && standing !== 'past' ? t.canStart(zoneTime(unit.plannedStartTime)) : t.canStartNow;
  const otherThan = (slot: 1 | 2) => {
    const other = slotOf(unit, slot === 1 ? 2 : 1);
    return other.isUndecided && other.approver ? other : undefined;
  };
  const afterApproval = (slot: 1 | 2) => {
    const other = otherThan(slot);
    if (other && !other.isOptional) return t.nextDecides(nameOf(other.approver ?? ''));
    const isAhead = standing !== 'past' && unit.plannedStartTime;
    return `${canStart}${isAhead && affectedDevices.length > 0 ? t.maintains(affectedDevices.length) : ''}`;
  };
  const afterRejection = (slot: 1 | 2) => {
    const other = otherThan(slot);
    return `${t.canceled}${other ? t.notNeeded(nameOf(other.approver ?? '')) : ''}`;
  };
  const general = { past: t.replan, frozen: t.unfreeze, others: t.thenStarts, approved: canStart };
  const words = standing in general ? general[standing as keyof typeof general] : undefined;
  const rows = [
    ...(approvable ? [[t.afterApprove, afterApproval(approvable)] as const] : []),
    ...(rejectable ? [[t.afterReject, afterRejection(rejectable)] as const] : []),
    ...(words && !(approvable && standing === 'others') ? [[t.next, words] as const] : []),
  ];
  if (rows.length === 0) return null;
  return (
    <dl className="plan-next">
      {rows.map(([label, text]) => (
        <div key={label}>
          <dt>{label}:</dt> <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Plan({ unit, mayEdit }: { unit: PanelWorkUnit; mayEdit: boolean }) {
  const now = useNow();
  const nameOf = usePersonName();
  const mayOverride = useHas(overrideApproval);
  const collisions = useCollisions(unit, unit.workUnitId);
  const freezeNow = useFreezeNow(unit);
  const slots = slotsOf(unit);
  const [first, second] = [useDecider(unit, slotOf(unit, 1)), useDecider(unit, slotOf(unit, 2))];
  const deciders = { 1: first, 2: second };
  const canOf = (may: 'mayApprove' | 'mayDecline') => (mayEdit ? ([1, 2] as const).find((slot) => deciders[slot][may]) : undefined);
  const [approvable, rejectable] = [canOf('mayApprove'), canOf('mayDecline')];
  const freeze = takesDecisions(unit) ? (freezeAmong(collisions.rows, now) ?? freezeNow) : undefined;
  const standing = standingOf(unit, { isMine: Boolean(approvable ?? rejectable), isFrozen: freeze !== undefined, now });
  const when = whenOf(unit);
  return (
    <section className="change-plan" aria-label={t.title}>
      <div className="plan-head">
        <StandingChip unit={unit} standing={standing} freeze={freeze?.name ?? ''} />
        <span>
          {when ?? <span className="faint">{t.noTime}</span>}{' '}
          <span className="muted">{unit.implementer ? t.by(nameOf(unit.implementer)) : t.noImplementer}</span>
        </span>
      </div>
      <PlanFacts unit={unit} />
      <CollisionList plan={unit} collisions={collisions} />
      <ul className="approvals" aria-label={workUnitPanelTexts.approvals.title}>
        {slots.map((state) => (
          <SlotRow key={state.slot} unit={unit} state={state} decider={deciders[state.slot]} mayEdit={mayEdit} />
        ))}
      </ul>
      {unit.approvalOverriddenBy && <p className="faint">{workUnitPanelTexts.approvals.overriddenBy(nameOf(unit.approvalOverriddenBy))}</p>}
      <Next unit={unit} standing={standing} approvable={approvable} rejectable={rejectable} />
      {mayEdit && mayOverride && (awaitsApproval(unit) || (freeze && !unit.approvalOverriddenBy)) && <Override unit={unit} />}
    </section>
  );
}

export function ChangePlan({ unit, mayEdit }: { unit: PanelWorkUnit; mayEdit: boolean }) {
  return isChange(unit) ? <Plan unit={unit} mayEdit={mayEdit} /> : null;
}

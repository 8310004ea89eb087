/** Chooses a severity, a state, a group or a person for work units. */
import { useEffect, useRef, type ReactNode } from 'react';
import { severities, workUnitStates } from '@cloudfit/contract/enums.ts';
import { holdReasons, workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { inboxTexts } from '@cloudfit/contract/messages/inbox.en.ts';
import { mergeTexts } from '@cloudfit/contract/messages/merge.en.ts';
import { snoozeTexts } from '@cloudfit/contract/messages/snooze.en.ts';
import { unitVerbTexts as t } from '@cloudfit/contract/messages/unit-verbs.en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { useAssignmentGroups, useCurrentUser } from '../../../api/lookups.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';
import { Pop, PopupMenu } from '../../../components/overlay/floating.tsx';
import type { MenuEntry } from '../../../components/overlay/floating-props.ts';
import { snoozeTimes } from '../../../entities/inbox/snooze-times.ts';
import { PersonInput } from '../../../entities/people/person-input.tsx';
import { mergeInto } from '../merge/merge-units.ts';
import { UnitSearch } from '../related/unit-search.tsx';
import { nextStates } from '../work-unit.rules.ts';
import { closeChoice, type OpenChoice } from './choice.ts';
import { isOpen } from './unit-target.ts';
import { snooze } from './snooze.ts';
import { assign, setGroup, setSeverity, setState } from './verbs.ts';
import { nowMs } from '../../../theme/now.ts';
import './verbs.css';

interface UnitChoiceProps {
  choice: OpenChoice;
}

/** What is chosen, and for which unit or how many. */
function labelOf({ kind, units }: OpenChoice): string {
  const [first] = units;
  if (kind === 'snooze') return snoozeTexts.menu(units.length, first?.publicWorkUnitId ?? 0);
  if (kind === 'mergeInto') return mergeTexts.searchOf(first?.publicWorkUnitId ?? 0);
  const what = kind === 'assignedTo' ? t.assignee : workUnits.fields[kind].label;
  return t.choiceOf(what, units.length, first?.publicWorkUnitId ?? 0);
}

function menu({ anchor, ...choice }: OpenChoice, entries: readonly MenuEntry[]) {
  return <PopupMenu anchor={anchor} label={labelOf({ anchor, ...choice })} entries={entries} onClose={closeChoice} />;
}

function SeverityMenu({ choice }: UnitChoiceProps) {
  const { units } = choice;
  const entries = severities.map((severity, at) => ({
    id: severity,
    label: severity,
    key: String(at),
    checked: units.every(({ severityId }) => severityId === severity),
    run: () => void setSeverity(units, severity),
  }));
  return menu(choice, entries);
}

/** Offers the states that may follow (WU-098..100), and Resolved, which acknowledges a New unit first. */
function StateMenu({ choice }: UnitChoiceProps) {
  const { units } = choice;
  const next = new Set(units.flatMap(({ stateId }) => nextStates(stateId)));
  const offered = workUnitStates.filter((state) => next.has(state) || (state === 'Resolved' && units.some(isOpen)));
  const choices = offered.flatMap((state) => [
    { state, reason: null, label: state === 'Resolved' ? t.resolve : choiceText(state) },
    ...(state === 'OnHold' ? holdReasons.map((reason) => ({ state, reason, label: t.holdFor(choiceText(reason)) })) : []),
  ]);
  const entries = choices.map(({ state, reason, label }) => ({
    id: `${state} ${reason ?? ''}`,
    label,
    ...(reason === null ? { key: String(offered.indexOf(state) + 1) } : {}),
    checked: units.every((unit) => unit.stateId === state && (unit.holdReason ?? null) === reason),
    run: () => void setState(units, state, reason),
  }));
  return menu(choice, entries);
}

function GroupMenu({ choice }: UnitChoiceProps) {
  const { units } = choice;
  const { data: groups } = useAssignmentGroups(units[0]?.tenantId);
  if (!groups) return null;
  const entries = [...groups, null].map((group) => ({
    id: group ?? '',
    label: group ?? en.common.none,
    checked: units.every(({ assignmentGroup }) => assignmentGroup === group),
    run: () => void setGroup(units, group),
  }));
  return menu(choice, entries);
}

function SnoozeMenu({ choice }: UnitChoiceProps) {
  const { units } = choice;
  const entries = snoozeTimes(new Date(nowMs())).map(({ id, until }, at) => ({
    id,
    label: inboxTexts.snoozes[id],
    key: String(at + 1),
    run: () => void snooze(units, until.toISOString()),
  }));
  const isSnoozed = units.some(({ snoozedUntil }) => Boolean(snoozedUntil));
  const wake = { id: 'wake', label: snoozeTexts.wake, divided: true, run: () => void snooze(units, null) };
  return menu(choice, isSnoozed ? [...entries, wake] : entries);
}

/** A popover with a search, which has the focus. */
function SearchPop({ choice, children }: UnitChoiceProps & { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  // The popover itself takes the focus first.
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  return (
    <Pop anchor={choice.anchor} label={labelOf(choice)} onClose={closeChoice}>
      <div ref={box} className="search-choice">
        {children}
      </div>
    </Pop>
  );
}

function MergePop({ choice }: UnitChoiceProps) {
  const [unit] = choice.units;
  if (!unit) return null;
  return (
    <SearchPop choice={choice}>
      <UnitSearch
        label={mergeTexts.search}
        unit={unit}
        onChoose={(into) => {
          closeChoice();
          void mergeInto(unit, into);
        }}
      />
    </SearchPop>
  );
}

function PersonPop({ choice }: UnitChoiceProps) {
  const { units } = choice;
  const { data: me } = useCurrentUser();
  const choose = (userName: string | null) => {
    closeChoice();
    void assign(units, userName);
  };
  return (
    <SearchPop choice={choice}>
      <Field label={t.assignee}>
        {(aria) => (
          <PersonInput
            field={workUnits.fields.assignedTo}
            name="assignedTo"
            value={null}
            values={{}}
            setValue={() => undefined}
            disabled={false}
            aria={aria}
            placeholder={t.personPlaceholder}
            ownHint={workUnitTexts.assignToMe}
            onBlur={() => undefined}
            onChange={(userName) => typeof userName === 'string' && choose(userName)}
          />
        )}
      </Field>
      <div className="row">
        {me && (
          <Button small onClick={() => choose(me.userName)}>
            {t.assignToMe}
          </Button>
        )}
        <Button small disabled={units.every(({ assignedTo }) => assignedTo === null)} onClick={() => choose(null)}>
          {t.nobody}
        </Button>
      </div>
    </SearchPop>
  );
}

const popups = {
  severityId: SeverityMenu,
  stateId: StateMenu,
  assignmentGroup: GroupMenu,
  assignedTo: PersonPop,
  mergeInto: MergePop,
  snooze: SnoozeMenu,
};

export function ChoicePopup({ choice }: UnitChoiceProps) {
  const Popup = popups[choice.kind];
  return <Popup choice={choice} />;
}

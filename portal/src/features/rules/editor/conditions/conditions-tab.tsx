/** The conditions in boxes, which show precedence: all conditions of a box must hold, and one box is enough. */
import { Fragment } from 'react';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { Button } from '../../../../components/button.tsx';
import { Select } from '../../../../components/fields/select.tsx';
import { ErrorNotice } from '../../../../components/states.tsx';
import { ConditionLine, type LineContext } from './condition-line.tsx';
import { boxesOf, maintenanceType, type ConditionDraft } from '../rule-draft.ts';
import type { RuleEditing } from '../use-rule-editing.ts';
import { TimeLimits } from './time-limits.tsx';
import { useConditionList } from './use-condition-list.ts';

const t = ruleEditorTexts.conditions;
const maxConditions = 50;

interface JoinProps {
  condition: ConditionDraft;
  at: number;
  context: LineContext;
}

/** And or Or before a condition. */
const joins = [
  { value: 'And', label: t.and },
  { value: 'Or', label: t.or },
] as const;

function Join({ condition, at, context: { editing, list } }: JoinProps) {
  return (
    <Select
      className="join"
      aria-label={t.type(at + 1)}
      value={condition.Type}
      disabled={editing.readOnly}
      choices={joins}
      onChange={(Type) => list.change({ ...condition, Type })}
    />
  );
}

interface BoxProps {
  box: readonly ConditionDraft[];
  first: number;
  number: number;
  boxes: number;
  context: LineContext;
}

function Box({ box, first, number, boxes, context }: BoxProps) {
  const { editing, list } = context;
  const of = editing.values.conditions.length;
  return (
    <div className="condition-box" role="group" aria-label={t.group(number, boxes)}>
      {box.map((condition, index) => (
        <Fragment key={condition.key}>
          {index > 0 && (
            <div className="join-line">
              <Join condition={condition} at={first + index} context={context} />
            </div>
          )}
          <ConditionLine {...context} condition={condition} at={first + index} of={of} />
        </Fragment>
      ))}
      {!editing.readOnly && (
        <Button
          small
          look="quiet"
          icon="plus"
          aria-label={t.addAndTo(number)}
          disabled={of >= maxConditions}
          onClick={() => list.add('And', box.at(-1))}
        >
          {t.addAnd}
        </Button>
      )}
    </div>
  );
}

/** The boxes of one list of conditions, and the button that adds to it. */
function Boxes(context: LineContext) {
  const { editing, list } = context;
  const { values, readOnly } = editing;
  const boxes = boxesOf(values.conditions);
  const firsts = boxes.map((_, at) => boxes.slice(0, at).reduce((sum, box) => sum + box.length, 0));
  return (
    <>
      {boxes.map((box, at) => (
        <Fragment key={box[0]?.key}>
          {at > 0 && box[0] && (
            <div className="join-line between">
              <Join condition={box[0]} at={firsts[at] ?? 0} context={context} />
            </div>
          )}
          <Box box={box} first={firsts[at] ?? 0} number={at + 1} boxes={boxes.length} context={context} />
        </Fragment>
      ))}
      {!readOnly && (
        <div className="condition-foot">
          <Button
            small
            icon="plus"
            data-add-condition
            disabled={values.conditions.length >= maxConditions}
            {...(boxes.length > 0 ? { 'aria-label': t.addOrLabel } : {})}
            onClick={() => list.add('Or')}
          >
            {boxes.length > 0 ? t.addOr : t.addFirst}
          </Button>
          <span className="faint condition-keys">{t.keys}</span>
        </div>
      )}
      {values.conditions.length > 1 && <p className="faint form-note">{t.binds}</p>}
      <span className="visually-hidden" role="status">
        {list.announcement}
      </span>
    </>
  );
}

/** Adapts the editing of the recovery conditions to the lines of conditions. */
function ofRecovery(editing: RuleEditing): RuleEditing {
  const place = (target: string) => target.replace(/^conditions\b/, 'recoveryConditions');
  return {
    ...editing,
    values: { ...editing.values, conditions: editing.values.recoveryConditions },
    change: ({ conditions = [] }) => editing.change({ recoveryConditions: conditions }),
    touch: (target) => editing.touch(place(target)),
    problemAt: (target) => editing.problemAt(place(target)),
  };
}

function Recovery({ editing, ...context }: Omit<LineContext, 'list'>) {
  const recovery = ofRecovery(editing);
  const list = useConditionList(recovery);
  const problem = editing.problemAt('recoveryConditions');
  const count = editing.values.recoveryConditions.length;
  return (
    <details className="form-section recovery" open={count > 0 || problem !== undefined}>
      <summary>
        <h3>{t.recovery}</h3>
      </summary>
      <p className="faint form-note">{t.recoveryText}</p>
      <ErrorNotice text={problem} />
      <Boxes {...context} editing={recovery} list={list} />
    </details>
  );
}

export function ConditionsTab(context: LineContext) {
  const { editing } = context;
  const { values, problemAt } = editing;
  const problem = problemAt('conditions');
  const mayRecover = values.ruleTypeId !== null && values.ruleTypeId !== maintenanceType;
  return (
    <>
      <section className="form-section" aria-label={t.title}>
        <h3>{t.title}</h3>
        <ErrorNotice text={problem} />
        <Boxes {...context} />
      </section>
      {(mayRecover || values.recoveryConditions.length > 0) && <Recovery {...context} />}
      <TimeLimits editing={editing} />
    </>
  );
}

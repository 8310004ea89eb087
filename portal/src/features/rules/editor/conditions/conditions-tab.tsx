/** The conditions in boxes, which show precedence: all conditions of a box must hold, and one box is enough. */
import { Fragment } from 'react';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { Button } from '../../../../components/button.tsx';
import { ConditionLine, type LineContext } from './condition-line.tsx';
import { boxesOf, type ConditionDraft } from '../rule-draft.ts';
import { TimeLimits } from './time-limits.tsx';

const t = ruleEditorTexts.conditions;
const maxConditions = 50;

interface JoinProps {
  condition: ConditionDraft;
  at: number;
  context: LineContext;
}

/** And or Or before a condition. */
function Join({ condition, at, context: { editing, list } }: JoinProps) {
  return (
    <select
      className="input join"
      aria-label={t.type(at + 1)}
      value={condition.Type}
      disabled={editing.readOnly}
      onChange={(event) => list.change({ ...condition, Type: event.target.value === 'Or' ? 'Or' : 'And' })}
    >
      <option value="And">{t.and}</option>
      <option value="Or">{t.or}</option>
    </select>
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

export function ConditionsTab(context: LineContext) {
  const { editing, list } = context;
  const { values, problemAt, readOnly } = editing;
  const boxes = boxesOf(values.conditions);
  const problem = problemAt('conditions');
  const firsts = boxes.map((_, at) => boxes.slice(0, at).reduce((sum, box) => sum + box.length, 0));
  return (
    <>
      <section className="form-section" aria-label={t.title}>
        <h3>{t.title}</h3>
        {problem && (
          <p className="notice error" role="alert">
            {problem}
          </p>
        )}
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
      </section>
      <TimeLimits editing={editing} />
    </>
  );
}

/** One condition: what is compared, how, with what, and how often it must hold. */
import { memo, useEffect, useRef, useState } from 'react';
import { operandOf } from '@cloudfit/contract/rules/operands.ts';
import { operatorForms } from '@cloudfit/contract/rules/operator-forms.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { IconButton } from '../../../../components/button.tsx';
import { ComboBox } from '../../../../components/combo-box.tsx';
import { Field } from '../../../../components/field.tsx';
import { OccurrenceInput } from './occurrence-input.tsx';
import { namesFor, OperandInput } from './operand-input.tsx';
import { RightInput } from './right-input.tsx';
import { firstRight, mayReadRight, takesValue, type ConditionDraft } from '../rule-draft.ts';
import type { ConditionList } from './use-condition-list.ts';
import { lineKeys } from './use-condition-list.ts';
import type { OptionsOf } from './use-input-options.ts';
import type { Readings } from '../../../../entities/packets/use-readings.ts';
import type { RuleEditing } from '../use-rule-editing.ts';
import { ValueInput } from './value-input.tsx';

const t = ruleEditorTexts.conditions;
const words = ruleEditorTexts.sentence.operators;

export interface LineContext {
  editing: RuleEditing;
  list: ConditionList;
  optionsOf: OptionsOf;
  readings: Readings;
  ruleId: string | undefined;
}

interface ConditionLineProps extends LineContext {
  condition: ConditionDraft;
  /** The index of the condition in the list. */
  at: number;
  of: number;
}

const parts = [
  'LeftOperand',
  'LeftOperandFieldName',
  'Operator',
  'RightOperand',
  'RightReading',
  'OccurrencePattern',
  'WindowSeconds',
  'AheadSeconds',
] as const;

/** Whether a line would render the same, so that typing into one line of a long list does not re-render the others. */
function looksSame(one: ConditionLineProps, other: ConditionLineProps): boolean {
  const [a, b] = [one.editing, other.editing];
  return (
    one.condition === other.condition &&
    one.at === other.at &&
    one.of === other.of &&
    one.optionsOf === other.optionsOf &&
    one.readings === other.readings &&
    a.readOnly === b.readOnly &&
    a.values.ruleTypeId === b.values.ruleTypeId &&
    a.values.tenantId === b.values.tenantId &&
    parts.every((part) => a.problemAt(`conditions[${one.at}].${part}`) === b.problemAt(`conditions[${one.at}].${part}`))
  );
}

function Line({ editing, list, optionsOf, readings, ruleId, condition, at, of }: ConditionLineProps) {
  const { values, problemAt, touch, readOnly } = editing;
  const place = `conditions[${at}]`;
  const operand = operandOf(condition.LeftOperand ?? -1);
  const operators = operatorForms.filter(({ id }) => !operand || operand.operators.includes(id) || id === condition.Operator);
  const names = namesFor(condition.LeftOperand, readings);
  const change = (part: Partial<ConditionDraft>) => list.change({ ...condition, ...part });
  const operator = useRef<HTMLSelectElement>(null);
  const [named, setNamed] = useState(0);
  // Runs after the click on a choice has returned the focus to the text field of the choices.
  useEffect(() => {
    if (named > 0) operator.current?.focus();
  }, [named]);
  const { LeftOperandFieldName: fieldName, RightReading: right } = condition;
  return (
    <div
      className="condition"
      role="group"
      aria-label={t.line(at + 1, of)}
      data-condition={condition.key}
      onKeyDownCapture={readOnly ? undefined : (event) => lineKeys(event, condition, list)}
    >
      <div className={operand?.needsFieldName ? 'condition-what' : 'condition-what alone'}>
        <Field label={t.operand} labelHidden error={problemAt(`${place}.LeftOperand`)}>
          {(aria) => (
            <OperandInput
              condition={condition}
              ruleTypeId={values.ruleTypeId}
              readings={readings}
              disabled={readOnly}
              aria={aria}
              onChange={list.change}
              onNamed={() => setNamed(named + 1)}
              onBlur={() => touch(`${place}.LeftOperand`)}
            />
          )}
        </Field>
      </div>
      {operand?.needsFieldName && (
        <Field label={t.field} labelHidden error={problemAt(`${place}.LeftOperandFieldName`)}>
          {(aria) => (
            <ComboBox
              free
              choices={[...(names ?? [])].map(([name, last]) => ({ value: name, label: name, ...(last ? { hint: t.last(last) } : {}) }))}
              value={fieldName ? { value: fieldName, label: fieldName } : null}
              disabled={readOnly}
              aria={aria}
              placeholder={t.field}
              onBlur={() => touch(`${place}.LeftOperandFieldName`)}
              onChange={(choice) => change({ LeftOperandFieldName: choice ? String(choice.value) : '' })}
            />
          )}
        </Field>
      )}
      <div className="condition-operator">
        <Field label={t.operator} labelHidden error={problemAt(`${place}.Operator`)}>
          {(aria) => (
            <select
              ref={operator}
              className="input"
              {...aria}
              value={condition.Operator ?? ''}
              disabled={readOnly}
              onBlur={() => touch(`${place}.Operator`)}
              onChange={(event) => change({ Operator: Number(event.target.value) })}
            >
              {condition.Operator === null && <option value="">{t.operator}</option>}
              {operators.map(({ id, name }) => (
                <option key={id} value={id} title={name}>
                  {words[id]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {takesValue(condition.Operator) && (
        <div className={right ? 'condition-value reads' : 'condition-value'}>
          <Field
            label={right ? t.rightField : operand?.baseline ? t.baseline.deviations : t.value}
            labelHidden
            error={problemAt(`${place}.${right ? 'RightReading' : 'RightOperand'}`)}
          >
            {(aria) =>
              right ? (
                <RightInput
                  right={right}
                  readings={readings}
                  disabled={readOnly}
                  aria={aria}
                  onChange={(RightReading) => change({ RightReading })}
                  onBlur={() => touch(`${place}.RightReading`)}
                />
              ) : (
                <ValueInput
                  condition={condition}
                  last={operand?.measure || operand?.baseline ? undefined : names?.get(fieldName)}
                  options={optionsOf(condition.LeftOperand ?? -1)}
                  tenantId={values.tenantId}
                  ruleId={ruleId}
                  disabled={readOnly}
                  aria={aria}
                  onChange={(RightOperand) => change({ RightOperand })}
                  onBlur={() => touch(`${place}.RightOperand`)}
                />
              )
            }
          </Field>
          {!readOnly && (right !== null || mayReadRight(condition, values.ruleTypeId)) && (
            <IconButton
              small
              icon={right ? 'undo' : 'link'}
              label={right ? t.fixedRight : t.readRight}
              onClick={() => change({ RightReading: right ? null : firstRight })}
            />
          )}
        </div>
      )}
      <OccurrenceInput condition={condition} place={place} disabled={readOnly} problemAt={problemAt} touch={touch} onChange={list.change} />
      {!readOnly && (
        <span className="condition-tools">
          <IconButton small icon="sortUp" label={t.up(at + 1)} disabled={at === 0} onClick={() => list.move(condition, -1)} />
          <IconButton small icon="sortDown" label={t.down(at + 1)} disabled={at === of - 1} onClick={() => list.move(condition, 1)} />
          <IconButton small icon="trash" label={t.remove(at + 1)} onClick={() => list.remove(condition)} />
        </span>
      )}
    </div>
  );
}

export const ConditionLine = memo(Line, looksSame);

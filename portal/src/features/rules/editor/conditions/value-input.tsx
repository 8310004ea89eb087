/** The right side of a condition: a number, a text, a pattern, one of a list, or a row that is searched. */
import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { operatorFormOf } from '@cloudfit/contract/rules/operator-forms.ts';
import { operandOf, type Operand } from '@cloudfit/contract/rules/operands.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { ComboBox } from '../../../../components/combo-box.tsx';
import type { FieldAria } from '../../../../components/field.tsx';
import { Select } from '../../../../components/fields/select.tsx';
import { useChoices } from '../../../../rows/choices.ts';
import type { ConditionDraft } from '../rule-draft.ts';
import { maxOptions, type InputOptions } from './use-input-options.ts';

const t = ruleEditorTexts.conditions;

interface ValueInputProps {
  condition: ConditionDraft;
  /** The last reported value, if any. */
  last: string | undefined;
  options: InputOptions;
  tenantId: string | null;
  /** The rule in the form; its own matches cannot be chosen. */
  ruleId: string | undefined;
  disabled: boolean;
  aria: FieldAria;
  onChange: (value: string) => void;
  onBlur: () => void;
}

function RowInput({
  operand,
  condition,
  options,
  tenantId,
  ruleId,
  disabled,
  aria,
  onChange,
  onBlur,
}: ValueInputProps & { operand: Operand }) {
  const [search, setSearch] = useState('');
  const isCut = options.choices.length >= maxOptions;
  const searched = useChoices(operand.lookup ?? '', { search, tenantId, enabled: isCut && search !== '' });
  const all = isCut && search !== '' ? searched.choices.map(({ value, label }) => ({ value: String(value), label })) : options.choices;
  const choices = all.filter((choice) => choice.value !== ruleId);
  const value = condition.RightOperand;
  const label = options.choices.find((choice) => choice.value === value)?.label ?? (options.isLoading ? en.auth.loading : value);
  return (
    <>
      <ComboBox
        choices={choices}
        value={value ? { value, label } : null}
        loading={options.isLoading || searched.isLoading}
        disabled={disabled}
        aria={aria}
        placeholder={t.value}
        onType={setSearch}
        onBlur={onBlur}
        onChange={(choice) => onChange(choice ? String(choice.value) : '')}
      />
      {options.hasFailed && <span className="help">{t.optionsFailed}</span>}
    </>
  );
}

function ChoiceInput({ operand, condition, disabled, aria, onChange, onBlur }: ValueInputProps & { operand: Operand }) {
  const choices = operand.choices ?? [];
  const value = condition.RightOperand;
  return (
    <Select
      {...aria}
      value={value}
      disabled={disabled}
      unlisted={value || t.value}
      choices={choices.map((choice) => ({ value: String(choice.value), label: choice.label }))}
      onBlur={onBlur}
      onChange={onChange}
    />
  );
}

export function ValueInput(props: ValueInputProps) {
  const { condition, last, disabled, aria, onChange, onBlur } = props;
  const operand = operandOf(condition.LeftOperand ?? -1);
  const form = operatorFormOf(condition.Operator ?? 0);
  if (operand?.lookup) return <RowInput {...props} operand={operand} />;
  if (operand?.choices) return <ChoiceInput {...props} operand={operand} />;
  const isNumber = form?.right === 'number' || operand?.input === 'number';
  const isPattern = form?.right === 'pattern';
  return (
    <input
      className={`input ${isNumber ? 'num' : ''} ${isPattern ? 'code' : ''}`}
      type="text"
      {...(isNumber ? { inputMode: 'decimal' as const } : {})}
      {...aria}
      placeholder={operand?.baseline ? t.baseline.deviations : isPattern ? t.pattern : last ? t.last(last) : t.value}
      value={condition.RightOperand}
      readOnly={disabled}
      autoComplete="off"
      spellCheck={false}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

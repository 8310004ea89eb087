import { useMemo } from 'react';
import { leftOperandLookup } from '@cloudfit/contract/rules/lookups.ts';
import { operandId, operandOf } from '@cloudfit/contract/rules/operands.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { ComboBox, type ComboChoice } from '../../../../components/combo-box.tsx';
import type { FieldAria } from '../../../../components/field.tsx';
import { withOperand, type ConditionDraft } from '../rule-draft.ts';
import type { Readings } from '../../../../entities/packets/use-readings.ts';

const t = ruleEditorTexts.conditions;

/** Returns the names that the field of an operand may have: reported names in a part of packets, or names of device values. */
export function namesFor(id: number | null, readings: Readings): ReadonlyMap<string, string> | undefined {
  if (id === operandId.deviceValue) return readings.DeviceValues;
  const operand = operandOf(id ?? -1);
  const part = operand?.reading ?? (operand?.measure && operand.needsFieldName ? 'Metrics' : undefined);
  return part === undefined || part === 'Value' ? undefined : readings[part];
}

const separator = ' ';

/** Returns a choice for each operand, and one for each reported name of its field: typing `cpu` finds `Metric Cpu`. */
function choicesOf(ruleTypeId: number | null, readings: Readings): ComboChoice[] {
  return leftOperandLookup(ruleTypeId ?? undefined).flatMap(({ id, name, needsFieldName }) => {
    const { measure, baseline } = operandOf(id) ?? {};
    const words = baseline && { words: t.baseline.words };
    return [
      { value: String(id), label: name, ...words },
      ...(needsFieldName
        ? [...(namesFor(id, readings) ?? [])].map(([field, last]) => ({
            value: `${id}${separator}${field}`,
            label: `${name} ${field}`,
            ...words,
            // The last reading is not shown for a rate, an average or a number of deviations, which have other values.
            ...(last && !measure && !baseline ? { hint: t.last(last) } : {}),
          }))
        : []),
    ];
  });
}

interface OperandInputProps {
  condition: ConditionDraft;
  ruleTypeId: number | null;
  readings: Readings;
  disabled: boolean;
  aria: FieldAria;
  onChange: (condition: ConditionDraft) => void;
  /** Called when the choice includes the field's name, to move the focus to the operator. */
  onNamed: () => void;
  onBlur: () => void;
}

/** The left operand. Typing `cpu` finds the metric. */
export function OperandInput({ condition, ruleTypeId, readings, disabled, aria, onChange, onNamed, onBlur }: OperandInputProps) {
  const choices = useMemo(() => choicesOf(ruleTypeId, readings), [ruleTypeId, readings]);
  const { LeftOperand } = condition;
  const value = LeftOperand === null ? null : { value: String(LeftOperand), label: operandOf(LeftOperand)?.name ?? String(LeftOperand) };
  return (
    <ComboBox
      choices={choices}
      value={value}
      disabled={disabled}
      aria={aria}
      placeholder={t.operand}
      onBlur={onBlur}
      onChange={(choice) => {
        if (!choice) return;
        const [id = '', ...field] = String(choice.value).split(separator);
        onChange(withOperand(condition, Number(id), field.length > 0 ? field.join(separator) : undefined));
        if (field.length > 0) onNamed();
      }}
    />
  );
}

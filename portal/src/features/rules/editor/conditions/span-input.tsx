import { useState } from 'react';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import type { FieldAria } from '../../../../components/field.tsx';
import { Select } from '../../../../components/fields/select.tsx';

const t = ruleEditorTexts.conditions;

const units = [
  [1, t.seconds],
  [60, t.minutes],
  [3_600, t.hours],
  [86_400, t.days],
] as const;

const bestUnit = (seconds: number | null | undefined) => units.findLast(([length]) => seconds && seconds % length === 0)?.[0] ?? 60;

interface SpanInputProps {
  /** The length in seconds. */
  value: number | null | undefined;
  onChange: (seconds: number | null) => void;
  onBlur: () => void;
  disabled: boolean;
  label: string;
  aria: FieldAria;
}

/** A length of time, as a number and its unit. */
export function SpanInput({ value, onChange, onBlur, disabled, label, aria }: SpanInputProps) {
  const [unit, setUnit] = useState<number>(() => bestUnit(value));
  const shown = value && value % unit === 0 ? unit : bestUnit(value);
  return (
    <span className="span-input">
      <input
        className="input num"
        inputMode="numeric"
        {...aria}
        value={value ? value / shown : ''}
        readOnly={disabled}
        maxLength={7}
        onBlur={onBlur}
        onChange={(event) => {
          const digits = event.target.value.replaceAll(/\D/g, '');
          setUnit(shown);
          onChange(digits === '' ? null : Number(digits) * shown);
        }}
      />
      <Select
        aria-label={t.unit(label)}
        value={shown}
        disabled={disabled}
        choices={units.map(([length, name]) => ({ value: length, label: name }))}
        onBlur={onBlur}
        onChange={(next) => {
          setUnit(next);
          if (value) onChange((value / shown) * next);
        }}
      />
    </span>
  );
}

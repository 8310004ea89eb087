import { useState } from 'react';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import type { FieldAria } from '../../../../components/field.tsx';

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
      <select
        className="input"
        aria-label={t.unit(label)}
        value={shown}
        disabled={disabled}
        onBlur={onBlur}
        onChange={(event) => {
          const next = Number(event.target.value);
          setUnit(next);
          if (value) onChange((value / shown) * next);
        }}
      >
        {units.map(([length, name]) => (
          <option key={length} value={length}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}

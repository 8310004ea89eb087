/** A right side that is read from the event: another reading of the packet, or a value of the device, times a factor. */
import { operandTable } from '@cloudfit/contract/rules/operands.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { ComboBox } from '../../../../components/combo-box.tsx';
import type { FieldAria } from '../../../../components/field.tsx';
import { Select } from '../../../../components/fields/select.tsx';
import type { RightDraft } from '../rule-draft.ts';
import { namesFor } from './operand-input.tsx';
import type { Readings } from '../../../../entities/packets/use-readings.ts';

const t = ruleEditorTexts.conditions;
const operands = operandTable.filter((operand) => operand.isRight);

interface RightInputProps {
  right: RightDraft;
  readings: Readings;
  disabled: boolean;
  aria: FieldAria;
  onChange: (right: RightDraft) => void;
  onBlur: () => void;
}

export function RightInput({ right, readings, disabled, aria, onChange, onBlur }: RightInputProps) {
  const { Operand, FieldName, Factor } = right;
  const needsField = operands.some(({ id, needsFieldName }) => id === Operand && needsFieldName);
  const names = [...(namesFor(Operand, readings) ?? [])];
  return (
    <span className="right-reading">
      <span className="right-factor">
        <input
          className="input num"
          inputMode="decimal"
          aria-label={t.factor}
          placeholder="1"
          value={Factor}
          readOnly={disabled}
          maxLength={12}
          autoComplete="off"
          onBlur={onBlur}
          onChange={(event) => onChange({ ...right, Factor: event.target.value })}
        />
        <span aria-hidden>×</span>
        <Select
          {...(needsField ? { 'aria-label': t.rightOperand } : aria)}
          value={Operand}
          disabled={disabled}
          choices={operands.map(({ id, name }) => ({ value: id, label: name }))}
          onBlur={onBlur}
          onChange={(chosen) => onChange({ ...right, Operand: chosen })}
        />
      </span>
      {needsField && (
        <ComboBox
          free
          choices={names.map(([name, last]) => ({ value: name, label: name, ...(last ? { hint: t.last(last) } : {}) }))}
          value={FieldName ? { value: FieldName, label: FieldName } : null}
          disabled={disabled}
          aria={aria}
          placeholder={t.field}
          onBlur={onBlur}
          onChange={(choice) => onChange({ ...right, FieldName: choice ? String(choice.value) : '' })}
        />
      )}
    </span>
  );
}

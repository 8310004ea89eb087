/** The control for each kind of field. Its value is the wire value: an empty control is null if the field allows it. */
import type { ComponentProps, ComponentType } from 'react';
import type { Field, Input } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { inputTime, instantAt } from '../theme/times.ts';
import { LookupInput } from './lookup-input.tsx';
import type { InputProps } from './form-types.ts';
import { Select } from '../components/fields/select.tsx';

const emptyOf = (field: Field) => (field.nullable ? null : '');
const asText = (value: unknown) => (value === null || value === undefined ? '' : String(value));

type TextInputProps = InputProps & Pick<ComponentProps<'input'>, 'type' | 'autoComplete'>;

export function TextInput({ field, value, onChange, onBlur, disabled, aria, type = 'text', placeholder, autoComplete }: TextInputProps) {
  return (
    <input
      className="input"
      type={type}
      {...aria}
      value={asText(value)}
      maxLength={field.max}
      readOnly={disabled}
      placeholder={placeholder}
      autoComplete={autoComplete}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value === '' ? emptyOf(field) : event.target.value)}
    />
  );
}

function MultilineInput({ field, value, onChange, onBlur, disabled, aria, placeholder }: InputProps) {
  return (
    <textarea
      className="input area"
      rows={3}
      {...aria}
      value={asText(value)}
      maxLength={field.max}
      readOnly={disabled}
      placeholder={placeholder}
      onBlur={onBlur}
      onChange={(event) => onChange(event.target.value === '' ? emptyOf(field) : event.target.value)}
    />
  );
}

function NumberInput({ field, value, onChange, onBlur, disabled, aria, placeholder }: InputProps) {
  return (
    <input
      className="input num"
      type="text"
      inputMode="numeric"
      {...aria}
      value={asText(value)}
      readOnly={disabled}
      placeholder={placeholder}
      onBlur={onBlur}
      onChange={(event) => {
        const text = event.target.value.trim();
        // Invalid numbers stay as typed: validation reports them, and no typed text is lost.
        onChange(text === '' ? emptyOf(field) : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
      }}
    />
  );
}

function SelectInput({ field, value, onChange, onBlur, disabled, aria }: InputProps) {
  const current = typeof value === 'string' || typeof value === 'number' ? value : '';
  const shared = { ...aria, value: current, unlisted: String(current), choices: field.choices ?? [], disabled, onBlur };
  return field.nullable ? (
    <Select {...shared} none={en.common.none} onChange={(chosen) => onChange(chosen === '' ? null : chosen)} />
  ) : (
    <Select {...shared} onChange={onChange} />
  );
}

function SwitchInput({ value, onChange, onBlur, disabled, aria }: InputProps) {
  return (
    <span className="switch-line">
      <input
        type="checkbox"
        role="switch"
        className="switch"
        {...aria}
        checked={value === true}
        disabled={disabled}
        onBlur={onBlur}
        onChange={(event) => onChange(event.target.checked)}
      />
    </span>
  );
}

/** Stands for an incomplete or impossible date; validation reports it. */
const noDate = 'no date';

/** Converts a wire value, an ISO time in UTC, to the value of the control, a local time. */
function toLocal(value: unknown): string {
  if (typeof value !== 'string' || value === '') return '';
  return Number.isNaN(Date.parse(value)) ? '' : inputTime(value, 'minutes');
}

function DateTimeInput({ field, value, onChange, onBlur, disabled, aria }: InputProps) {
  return (
    <input
      className="input num"
      type="datetime-local"
      {...aria}
      value={toLocal(value)}
      readOnly={disabled}
      onBlur={(event) => {
        // The control reports an empty value while its parts form no date; this must not count as an empty control.
        if (event.target.validity.badInput) onChange(noDate);
        onBlur();
      }}
      onChange={(event) => {
        const { value: text, validity } = event.target;
        onChange(text !== '' ? instantAt(text).toISOString() : validity.badInput ? noDate : emptyOf(field));
      }}
    />
  );
}

function DurationInput(props: InputProps) {
  return (
    <input
      className="input num"
      type="text"
      inputMode="numeric"
      placeholder={en.form.duration}
      {...props.aria}
      value={asText(props.value)}
      readOnly={props.disabled}
      onBlur={props.onBlur}
      onChange={(event) => props.onChange(event.target.value === '' ? emptyOf(props.field) : event.target.value)}
    />
  );
}

export const inputs: Record<Exclude<Input, 'json'>, ComponentType<InputProps>> = {
  text: TextInput,
  multiline: MultilineInput,
  number: NumberInput,
  select: SelectInput,
  switch: SwitchInput,
  datetime: DateTimeInput,
  duration: DurationInput,
  lookup: LookupInput,
};

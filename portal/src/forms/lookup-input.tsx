import { useMemo, useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { referenceTo } from '@cloudfit/contract/resources/references.ts';
import { ComboBox } from '../components/combo-box.tsx';
import { fieldValue } from '../rows/row.ts';
import { useChoices } from '../rows/choices.ts';
import type { InputProps } from './form-types.ts';

/** Chooses the row of a reference. */
export function LookupInput({ field, name, value, onChange, onBlur, disabled, aria, values, row, knownName }: InputProps) {
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(false);
  const hasValue = value !== null && value !== undefined && value !== '';
  const ref = field.ref ?? '';
  const isOfScope = field.ref !== undefined && referenceTo(field.ref).scopesRows;
  // Only the scope of the row itself: without one, the row is for all.
  const isOwnScope = isOfScope && name === 'tenantId';
  // A form of a saved row has no value for its tenant, which cannot be changed.
  const tenantId = isOfScope ? undefined : (values['tenantId'] ?? (row && fieldValue(row, 'tenantId')));
  const { choices, isLoading } = useChoices(ref, { search, tenantId, enabled: opened || (hasValue && !knownName) });
  const chosen = useMemo(
    () =>
      hasValue
        ? (choices.find((choice) => choice.value === value) ?? {
            value: value as string,
            label: knownName ?? (isLoading ? en.auth.loading : String(value)),
          })
        : null,
    [choices, hasValue, isLoading, knownName, value],
  );
  return (
    <ComboBox
      choices={choices}
      value={chosen}
      loading={isLoading}
      disabled={disabled}
      clearable={field.nullable}
      aria={aria}
      onBlur={onBlur}
      placeholder={field.nullable ? (isOwnScope ? en.common.global : en.common.none) : undefined}
      onOpen={() => setOpened(true)}
      onType={setSearch}
      onChange={(choice) => onChange(choice ? choice.value : field.nullable ? null : '')}
    />
  );
}

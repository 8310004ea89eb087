import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { referenceTo } from '@cloudfit/contract/resources/references.ts';
import { ComboBox } from '../components/combo-box.tsx';
import { fieldValue } from '../rows/row.ts';
import { useChoices, type RefChoice } from '../rows/choices.ts';
import { useRowName } from './use-row-name.ts';
import type { InputProps } from './form-types.ts';

/** Chooses the row of a reference. */
export function LookupInput({ field, name, value, onChange, onBlur, disabled, aria, values, row, knownName }: InputProps) {
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(false);
  const hasValue = value !== null && value !== undefined && value !== '';
  const ref = field.ref ?? '';
  const isOfScope = field.ref !== undefined && referenceTo(field.ref).scopesRows;
  // A field `tenantId` decides which tenant the row belongs to; without a value, the row is for all tenants.
  const isOwnScope = isOfScope && name === 'tenantId';
  // The form of a saved row has no field for the tenant, which cannot be changed; then the row provides it.
  const tenantId = isOfScope ? undefined : (values['tenantId'] ?? (row && fieldValue(row, 'tenantId')));
  const { choices, isLoading } = useChoices(ref, { search, tenantId, enabled: opened || (hasValue && knownName === undefined) });
  const [picked, setPicked] = useState<RefChoice>();
  const listed = hasValue ? [...choices, picked].find((choice) => choice?.value === value) : undefined;
  const isUnnamed = hasValue && !listed && knownName === undefined;
  const rowName = useRowName(ref, value, isUnnamed && !isLoading);
  const isNaming = isUnnamed && (isLoading || rowName.isLoading);
  const chosen = hasValue
    ? (listed ?? { value: value as string, label: isNaming ? '' : (knownName ?? rowName.data ?? String(value)) })
    : null;
  const empty = field.nullable ? (isOwnScope ? en.common.global : en.common.none) : undefined;
  return (
    <ComboBox
      choices={choices}
      value={chosen}
      loading={isLoading}
      disabled={disabled}
      clearable={field.nullable}
      aria={aria}
      onBlur={onBlur}
      placeholder={isNaming ? en.auth.loading : empty}
      onOpen={() => setOpened(true)}
      onType={setSearch}
      onChange={(choice) => {
        setSearch('');
        setPicked(choice ?? undefined);
        onChange(choice ? choice.value : field.nullable ? null : '');
      }}
    />
  );
}

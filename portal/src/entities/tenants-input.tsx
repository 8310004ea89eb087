import { tenantGroupTexts as t } from '@cloudfit/contract/messages/tenant-groups.en.ts';
import { useTenants } from '../api/lookups.ts';
import { IconButton } from '../components/button.tsx';
import { ComboBox } from '../components/combo-box.tsx';
import { Field } from '../components/field.tsx';
import type { InputProps } from '../forms/form-types.ts';
import './tenants-input.css';

/** Tenants as chips, and a field that adds one. */
export function TenantsInput({ value, onChange, disabled, aria }: InputProps) {
  const ids = (value ?? []) as readonly string[];
  const { data: tenants = [], isLoading } = useTenants();
  const choices = tenants.map(({ tenantId, name }) => ({ value: tenantId, label: name }));
  return (
    <div className="tenants-input" role="group" aria-describedby={aria['aria-describedby']}>
      {ids.length === 0 && <p className="faint">{t.noTenants}</p>}
      <ul>
        {ids.map((id) => {
          const name = choices.find((choice) => choice.value === id)?.label ?? '…';
          return (
            <li key={id} className="chip plain">
              {name}
              {!disabled && (
                <IconButton small icon="close" label={t.removeTenant(name)} onClick={() => onChange(ids.filter((item) => item !== id))} />
              )}
            </li>
          );
        })}
      </ul>
      {!disabled && (
        <Field label={t.addTenant} labelHidden>
          {(inner) => (
            <ComboBox
              // A new key empties the field after each choice.
              key={ids.length}
              choices={choices.filter((choice) => !ids.includes(choice.value))}
              value={null}
              loading={isLoading}
              aria={inner}
              placeholder={t.addTenant}
              onChange={(choice) => choice && onChange([...ids, String(choice.value)])}
            />
          )}
        </Field>
      )}
    </div>
  );
}

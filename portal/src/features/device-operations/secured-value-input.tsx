/** The secrets that a package's text refers to: for each placeholder the name of the tenant's secret. */
import { useState } from 'react';
import { Link } from 'react-router';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { tenantSecrets } from '@cloudfit/contract/resources/tenant-secrets.ts';
import { useMay } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field, type FieldAria } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { useChoices } from '../../rows/choices.ts';
import { entryField, type ParameterFaults, type SecuredEntry } from './parameter-values.ts';

const t = operationTexts.form;

interface LookupKeyProps {
  value: string;
  onChange: (value: string) => void;
  tenantId: string | null;
  disabled: boolean;
  aria: FieldAria;
}

/** The name of a secret. People who may not view the tenant's secrets type the name. */
function LookupKeyInput({ value, onChange, tenantId, disabled, aria }: LookupKeyProps) {
  const may = useMay();
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(false);
  const { choices, isLoading } = useChoices(tenantSecrets.name, { search, tenantId, enabled: opened && may('Tenants', 'view') });
  const hasNone = opened && may('Tenants', 'view') && !isLoading && search === '' && choices.length === 0;
  return (
    <>
      <ComboBox
        free
        choices={choices.map(({ label }) => ({ value: label, label }))}
        value={value === '' ? null : { value, label: value }}
        loading={isLoading}
        disabled={disabled}
        aria={aria}
        onOpen={() => setOpened(true)}
        onType={setSearch}
        onChange={(choice) => onChange(choice ? String(choice.value) : '')}
      />
      {hasNone && tenantId && (
        <span className="faint">
          {t.noSecrets} <Link to={`/${tenantId}/tenants?id=${tenantId}&tab=secrets`}>{t.addSecrets}</Link>
        </span>
      )}
    </>
  );
}

interface SecuredValueInputProps {
  name: string;
  entries: readonly SecuredEntry[];
  onChange: (entries: SecuredEntry[]) => void;
  tenantId: string | null;
  disabled: boolean;
  faults: ParameterFaults;
}

export function SecuredValueInput({ name, entries, onChange, tenantId, disabled, faults }: SecuredValueInputProps) {
  const change = (at: number, part: Partial<SecuredEntry>) =>
    onChange(entries.map((entry, place) => (place === at ? { ...entry, ...part } : entry)));
  return (
    <div className="secured-values">
      {entries.map((entry, at) => (
        // Entries have no id; their position is their key.
        <div key={at} className="secured-value" role="group" aria-label={t.entry(name, at + 1)}>
          <TextField
            label={t.placeholder}
            required
            error={faults[entryField(name, at, 'PlaceholderKey')]}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            value={entry.PlaceholderKey}
            readOnly={disabled}
            onChange={(next) => change(at, { PlaceholderKey: next })}
          />
          <Field label={t.lookupKey} required error={faults[entryField(name, at, 'LookupKey')]}>
            {(aria) => (
              <LookupKeyInput
                value={entry.LookupKey}
                tenantId={tenantId}
                disabled={disabled}
                aria={aria}
                onChange={(LookupKey) => change(at, { LookupKey })}
              />
            )}
          </Field>
          {!disabled && (
            <IconButton
              small
              icon="trash"
              label={t.removeSecret(name, at + 1)}
              onClick={() => onChange(entries.filter((_, place) => place !== at))}
            />
          )}
        </div>
      ))}
      {!disabled && (
        <Button
          small
          icon="plus"
          aria-label={t.addSecretTo(name)}
          onClick={() => onChange([...entries, { PlaceholderKey: '', LookupKey: '' }])}
        >
          {t.addSecret}
        </Button>
      )}
    </div>
  );
}

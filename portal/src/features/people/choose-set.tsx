/** Chooses a tenant and a permission set of a grant. A set that the person may not give is shown with the reason. */
import { useId } from 'react';
import { grantChoices } from '@cloudfit/contract/calls.ts';
import { accessTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { useCall } from '../../api/call.ts';
import { useTenants } from '../../api/lookups.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { Loaded } from '../../calls/loaded.tsx';
import './access.css';

/** The value that stands for a grant in all tenants. */
export const allTenants = 'all';

export interface GrantDraft {
  /** A tenant, or all tenants. */
  place: string;
  permissionSetId: string;
}

export const tenantOf = ({ place }: GrantDraft): string | null => (place === allTenants ? null : place);

interface ChooseTenantProps {
  value: string;
  onChange: (place: string) => void;
}

export function ChooseTenant({ value, onChange }: ChooseTenantProps) {
  const { data: tenants = [] } = useTenants();
  const choices = [
    ...tenants.map((tenant) => ({ value: tenant.tenantId, label: tenant.name })),
    { value: allTenants, label: t.allTenants },
  ];
  return (
    <Field label={t.tenant}>
      {(aria) => (
        <ComboBox
          choices={choices}
          value={choices.find((choice) => choice.value === value) ?? null}
          aria={aria}
          onChange={(choice) => choice && onChange(String(choice.value))}
        />
      )}
    </Field>
  );
}

interface ChooseSetProps {
  place: string;
  value: string;
  /** The current set, which is not offered. */
  without?: string;
  error?: string | undefined;
  onChange: (permissionSetId: string, name: string) => void;
}

export function ChooseSet({ place, value, without, error, onChange }: ChooseSetProps) {
  const name = useId();
  const choices = useCall(grantChoices, place === allTenants ? {} : { tenantId: place }, {
    refreshedBy: permissionSets.name,
    enabled: place !== '',
  });
  return (
    <Loaded query={choices} failed={t.choicesFailed}>
      {(sets) => (
        <fieldset className="set-choices" aria-describedby={error ? `${name}-error` : undefined}>
          <legend>{t.permissionSet}</legend>
          {sets
            .filter((set) => set.permissionSetId !== without)
            .map((set) => {
              const { permissionSetId: id, problem } = set;
              return (
                <label key={id} className={problem ? 'set-choice refused' : 'set-choice'}>
                  <input
                    type="radio"
                    name={name}
                    value={id}
                    checked={value === id}
                    disabled={problem !== null}
                    aria-describedby={`${name}-${id}`}
                    onChange={() => onChange(id, set.name)}
                  />
                  <span>
                    {set.name}
                    <small id={`${name}-${id}`}>{problem ?? set.description}</small>
                  </span>
                </label>
              );
            })}
          {error && (
            <p id={`${name}-error`} className="error" role="alert">
              {error}
            </p>
          )}
        </fieldset>
      )}
    </Loaded>
  );
}

/** The inputs of a grant: its tenant and its permission set. A set that the person may not give is shown with the reason. */
import { useId } from 'react';
import { grantChoices } from '@cloudfit/contract/calls.ts';
import { accessTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { useCall } from '../../api/call.ts';
import { useTenants } from '../../api/lookups.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import type { FieldAria } from '../../components/field.tsx';
import { Loaded } from '../../calls/loaded.tsx';
import './access.css';

/** The value that stands for a grant in all tenants. */
export const allTenants = 'all';

export const tenantOf = (place: string): string | null => (place === allTenants ? null : place);

interface ChooseTenantProps {
  aria: FieldAria;
  /** A tenant, or all tenants. */
  value: string;
  onChange: (place: string) => void;
}

export function ChooseTenant({ aria, value, onChange }: ChooseTenantProps) {
  const { data: tenants = [] } = useTenants();
  const choices = [
    ...tenants.map((tenant) => ({ value: tenant.tenantId, label: tenant.name })),
    { value: allTenants, label: t.allTenants },
  ];
  return (
    <ComboBox
      choices={choices}
      value={choices.find((choice) => choice.value === value) ?? null}
      aria={aria}
      onChange={(choice) => choice && onChange(String(choice.value))}
    />
  );
}

interface ChooseSetProps {
  aria: FieldAria;
  place: string;
  value: string;
  /** The current set, which is not offered. */
  without?: string;
  onChange: (permissionSetId: string, name: string) => void;
}

export function ChooseSet({ aria: { id, ...aria }, place, value, without, onChange }: ChooseSetProps) {
  const name = useId();
  const choices = useCall(grantChoices, place === allTenants ? {} : { tenantId: place }, {
    refreshedBy: permissionSets.name,
    enabled: place !== '',
  });
  return (
    <Loaded query={choices} failed={t.choicesFailed}>
      {(sets) => (
        // The focus goes here when no set is chosen.
        <div id={id} className="set-choices" role="radiogroup" aria-label={t.permissionSet} tabIndex={-1} {...aria}>
          {sets
            .filter((set) => set.permissionSetId !== without)
            .map(({ permissionSetId, name: label, description, problem }) => (
              <label key={permissionSetId} className={problem ? 'set-choice refused' : 'set-choice'}>
                <input
                  type="radio"
                  name={name}
                  value={permissionSetId}
                  checked={value === permissionSetId}
                  disabled={problem !== null}
                  aria-describedby={`${name}-${permissionSetId}`}
                  onChange={() => onChange(permissionSetId, label)}
                />
                <span>
                  {label}
                  <small id={`${name}-${permissionSetId}`}>{problem ?? description}</small>
                </span>
              </label>
            ))}
        </div>
      )}
    </Loaded>
  );
}

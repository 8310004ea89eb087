/** The inputs of a grant: its tenant and its permission set. A set that the person may not give is shown with the reason. */
import { useId } from 'react';
import { grantChoices } from '@cloudfit/contract/calls.ts';
import { accessTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { useCall } from '../../api/call.ts';
import { useTenants } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
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

interface ChooseExceptProps {
  aria: FieldAria;
  value: readonly string[];
  onChange: (tenantIds: string[]) => void;
}

/** The tenants in which a set that is given in all of them is not given. */
export function ChooseExcept({ aria, value, onChange }: ChooseExceptProps) {
  const { data: tenants = [] } = useTenants();
  const texts = t.invitations;
  const nameOf = (id: string) => tenants.find(({ tenantId }) => tenantId === id)?.name ?? id;
  return (
    <>
      <ComboBox
        choices={tenants
          .filter(({ tenantId }) => !value.includes(tenantId))
          .map(({ tenantId, name }) => ({ value: tenantId, label: name }))}
        value={null}
        aria={aria}
        placeholder={texts.addExcept}
        onChange={(choice) => choice && onChange([...value, String(choice.value)])}
      />
      {value.length > 0 && (
        <div className="invitation-except">
          {value.map((id) => (
            <Button
              key={id}
              small
              trailing="close"
              aria-label={texts.removeExcept(nameOf(id))}
              onClick={() => onChange(value.filter((other) => other !== id))}
            >
              {nameOf(id)}
            </Button>
          ))}
        </div>
      )}
    </>
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

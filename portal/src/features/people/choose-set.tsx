/** Chooses a tenant and a permission set of a grant. A set that the person may not give is shown with the reason. */
import { useId } from 'react';
import { useQuery } from '@tanstack/react-query';
import { accessTexts as t } from '@cloudfit/contract/messages/access.en.ts';
import { permissionSets } from '@cloudfit/contract/resources/permission-sets.ts';
import { callJson, failureText } from '../../api/client.ts';
import { useTenants } from '../../api/lookups.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import './access.css';

interface SetChoice {
  permissionSetId: string;
  name: string;
  description: string | null;
  problem: string | null;
}

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
  const choices = [...tenants.map((one) => ({ value: one.tenantId, label: one.name })), { value: allTenants, label: t.allTenants }];
  return (
    <Field label={t.tenant}>
      {(aria) => (
        <ComboBox
          choices={choices}
          value={choices.find((one) => one.value === value) ?? null}
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
  const {
    data,
    error: failure,
    refetch,
  } = useQuery({
    queryKey: [permissionSets.name, 'choices', place],
    queryFn: () => callJson<SetChoice[]>(`/v1/permissionSets/choices${place === allTenants ? '' : `?tenantId=${place}`}`, { quiet: true }),
    enabled: place !== '',
  });
  if (failure) return <ErrorState small title={t.choicesFailed} text={failureText(failure)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width="70%" />;
  return (
    <fieldset className="set-choices" aria-describedby={error ? `${name}-error` : undefined}>
      <legend>{t.permissionSet}</legend>
      {data
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
  );
}

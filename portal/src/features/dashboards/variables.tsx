/** Choosing a customer, group, selection, location or tag: at the top of a dashboard, in its editor, and in a tile's scope. */
import { useQuery } from '@tanstack/react-query';
import { dashboardTexts } from '@cloudfit/contract/messages/dashboards.en.ts';
import { deviceSelections } from '@cloudfit/contract/resources/device-selections.ts';
import { variableKinds, type VariableKind, type VariableValues } from '@cloudfit/contract/resources/dashboards.ts';
import { locations } from '@cloudfit/contract/resources/locations.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { useMay, useTenants } from '../../api/lookups.ts';
import { ComboBox, type ComboChoice } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { fetchPage } from '../../rows/use-rows.ts';
import type { Dashboard } from './dashboards.view.tsx';
import { paramOf, useValues } from './use-tiles.ts';

const t = dashboardTexts.variables;
const choicesShown = 1_000;

type RowKind = Exclude<VariableKind, 'tenant' | 'tag'>;

async function fetchChoices(kind: RowKind, signal: AbortSignal): Promise<ComboChoice[]> {
  const page = { orderBy: 'name asc', top: choicesShown } as const;
  if (kind === 'group')
    return (await fetchPage(tenantGroups, page, signal)).rows.map(({ tenantGroupId, name }) => ({ value: tenantGroupId, label: name }));
  if (kind === 'selection')
    return (await fetchPage(deviceSelections, page, signal)).rows.map(({ deviceSelectionId, name }) => ({
      value: deviceSelectionId,
      label: name,
    }));
  return (await fetchPage(locations, page, signal)).rows.map(({ locationId, name }) => ({ value: locationId, label: name }));
}
const areaOf = { group: 'Tenants', selection: 'Devices', location: 'Locations' } as const;

function useChoices(kind: VariableKind): { choices: readonly ComboChoice[]; isLoading: boolean } {
  const may = useMay();
  const tenants = useTenants();
  const isOfRows = kind !== 'tenant' && kind !== 'tag';
  const rows = useQuery({
    queryKey: ['dashboard-choices', kind],
    queryFn: ({ signal }) => (isOfRows ? fetchChoices(kind, signal) : []),
    enabled: isOfRows && may(areaOf[kind], 'view'),
    staleTime: 60_000,
  });
  if (kind === 'tenant')
    return { choices: (tenants.data ?? []).map(({ tenantId, name }) => ({ value: tenantId, label: name })), isLoading: tenants.isLoading };
  return { choices: rows.data ?? [], isLoading: rows.isLoading };
}

interface VariablePickerProps {
  kind: VariableKind;
  /** An empty one limits nothing. */
  value: string;
  onChange: (value: string) => void;
  /** A further first choice: that the variable of the dashboard decides. */
  variable?: string;
}

export function VariablePicker({ kind, value, onChange, variable }: VariablePickerProps) {
  const { choices: rows, isLoading } = useChoices(kind);
  const choices = variable === undefined ? rows : [{ value: variable, label: t.follows(t.kinds[kind]) }, ...rows];
  const chosen =
    value === ''
      ? null
      : (choices.find((choice) => choice.value === value) ?? { value, label: kind === 'tag' || isLoading ? value : t.hidden });
  return (
    <Field label={t.kinds[kind]}>
      {(aria) => (
        <ComboBox
          aria={aria}
          choices={choices}
          value={chosen}
          loading={isLoading}
          clearable
          free={kind === 'tag'}
          placeholder={t.all[kind]}
          onChange={(choice) => onChange(choice ? String(choice.value).trim() : '')}
        />
      )}
    </Field>
  );
}

/** The choices at the top of a dashboard, which are in its address. */
export function VariablesBar({ row }: { row: Dashboard }) {
  const values = useValues(row);
  const change = useAddress();
  if (row.variables.length === 0) return null;
  return (
    <div className="dash-variables" role="group" aria-label={t.title}>
      {row.variables.map(({ kind, value: initial }) => (
        <VariablePicker
          key={kind}
          kind={kind}
          value={values[kind] ?? ''}
          onChange={(value) =>
            change((params) => {
              if (value === initial) params.delete(paramOf(kind));
              else params.set(paramOf(kind), value);
              return undefined;
            })
          }
        />
      ))}
    </div>
  );
}

type Variables = Dashboard['variables'];

/** Which variables a dashboard has, and the values that apply until somebody chooses. */
export function VariablesInput({ variables, onChange }: { variables: Variables; onChange: (variables: Variables) => void }) {
  const valueOf = (kind: VariableKind) => variables.find((variable) => variable.kind === kind)?.value;
  return (
    <div className="tile-settings">
      <p className="tile-note">{t.help}</p>
      {variableKinds.map((kind) => {
        const value = valueOf(kind);
        return (
          <div key={kind} className="dash-variable">
            <label className="check">
              <input
                type="checkbox"
                checked={value !== undefined}
                onChange={(event) =>
                  onChange(
                    variableKinds.flatMap((other) => {
                      if (other === kind) return event.target.checked ? [{ kind, value: '' }] : [];
                      return variables.filter((variable) => variable.kind === other);
                    }),
                  )
                }
              />
              {t.offer(t.kinds[kind])}
            </label>
            {value !== undefined && (
              <VariablePicker
                kind={kind}
                value={value}
                onChange={(next) => onChange(variables.map((variable) => (variable.kind === kind ? { kind, value: next } : variable)))}
              />
            )}
          </div>
        );
      })}
    </div>
  );
}

/** The parts of a record that have a value. */
export const withoutEmpty = (values: VariableValues): VariableValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));

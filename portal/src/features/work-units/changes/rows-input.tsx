/** Chooses several rows of a resource: a search that adds a row, and the list of chosen rows. */
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { changeTexts as t } from '@cloudfit/contract/messages/changes.en.ts';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { ComboBox } from '../../../components/combo-box.tsx';
import { Field } from '../../../components/field.tsx';
import { IconButton } from '../../../components/button.tsx';
import type { InputProps } from '../../../forms/form-types.ts';
import { useChoices } from '../../../rows/choices.ts';
import { fetchPage } from '../../../rows/use-rows.ts';

import './changes.css';

const namesMax = 200;

/** Names of the chosen rows, as far as the person may see them. */
function useNamesOf(resource: Resource, ids: readonly string[]): ReadonlyMap<string, string> {
  const requestedIds = ids.slice(0, namesMax);
  const { data } = useQuery({
    queryKey: [resource.name, 'names', requestedIds],
    queryFn: async ({ signal }) => {
      const { rows } = await fetchPage(resource, { filter: oneOf(resource, resource.key, requestedIds), top: namesMax }, signal);
      return new Map(rows.map((row) => [String(row[resource.key]), String(row[resource.title])]));
    },
    enabled: requestedIds.length > 0,
    staleTime: 60_000,
  });
  return data ?? new Map();
}

interface RowsInputProps extends Pick<InputProps<typeof workUnits>, 'value' | 'onChange' | 'disabled' | 'values' | 'aria'> {
  resource: Resource;
  addLabel: string;
  noneText: string;
}

function RowsInput({ value, onChange, disabled, values, aria, resource, addLabel, noneText }: RowsInputProps) {
  const ids = (value ?? []) as readonly string[];
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState(false);
  const names = useNamesOf(resource, ids);
  const { choices, isLoading } = useChoices(resource.name, { search, tenantId: values.tenantId, enabled: opened });
  return (
    <div className="rows-input" role="group" aria-describedby={aria['aria-describedby']}>
      {ids.length === 0 && <p className="faint">{noneText}</p>}
      {ids.length > 0 && (
        <ul className="chosen-rows">
          {ids.map((id) => {
            const name = names.get(id) ?? (ids.length > namesMax ? id : '…');
            return (
              <li key={id} className="chip plain">
                {name}
                {!disabled && (
                  <IconButton small icon="close" label={t.remove(name)} onClick={() => onChange(ids.filter((item) => item !== id))} />
                )}
              </li>
            );
          })}
        </ul>
      )}
      {!disabled && (
        <Field label={addLabel} labelHidden>
          {(inner) => (
            <ComboBox
              // A new key empties the input after each choice.
              key={ids.length}
              choices={choices.filter((choice) => !ids.includes(String(choice.value)))}
              value={null}
              filtered
              loading={isLoading}
              aria={inner}
              placeholder={addLabel}
              onOpen={() => setOpened(true)}
              onType={setSearch}
              onChange={(choice) => {
                setSearch('');
                if (choice) onChange([...ids, String(choice.value)]);
              }}
            />
          )}
        </Field>
      )}
    </div>
  );
}

/** The names of the rows, in a sentence. */
function NamesOf({ resource, ids }: { resource: Resource; ids: readonly string[] }) {
  const names = useNamesOf(resource, ids);
  return ids.map((id) => names.get(id) ?? (ids.length > namesMax ? id : '…')).join(', ');
}

export const DeviceNames = ({ ids }: { ids: readonly string[] }) => <NamesOf resource={devices} ids={ids} />;
export const RuleNames = ({ ids }: { ids: readonly string[] }) => <NamesOf resource={rules} ids={ids} />;

export function DevicesInput(props: InputProps<typeof workUnits>) {
  return <RowsInput {...props} resource={devices} addLabel={t.addDevice} noneText={t.noDevices} />;
}

export function RulesInput(props: InputProps<typeof workUnits>) {
  return <RowsInput {...props} resource={rules} addLabel={t.addRule} noneText={t.noRules} />;
}

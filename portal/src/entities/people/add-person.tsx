import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { searchPeople } from '../../api/lookups.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { useDebounced } from '../../hooks/use-debounced.ts';

interface AddPersonProps {
  label: string;
  error?: string | undefined;
  disabled?: boolean;
  onAdd: (personId: string, name: string) => void;
}

/** Searches people of the installation, to add them to a list one by one. */
export function AddPerson({ label, error, disabled = false, onAdd }: AddPersonProps) {
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed, 400).trim();
  const { data: people = [], isFetching } = useQuery({
    queryKey: ['people', 'search', search],
    queryFn: ({ signal }) => searchPeople(search, signal),
    enabled: search.length >= 2,
    staleTime: 30_000,
  });
  return (
    <Field label={label} labelHidden error={error}>
      {(aria) => (
        <ComboBox
          choices={people.flatMap(({ personId, displayName, mail }) =>
            personId ? [{ value: personId, label: displayName, hint: mail }] : [],
          )}
          value={null}
          filtered
          loading={isFetching}
          disabled={disabled}
          aria={aria}
          placeholder={label}
          onType={setTyped}
          onChange={(choice) => {
            setTyped('');
            if (choice) onAdd(String(choice.value), choice.label);
          }}
        />
      )}
    </Field>
  );
}

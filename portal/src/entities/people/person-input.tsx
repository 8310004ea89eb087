import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { searchPeople, useCurrentUser } from '../../api/lookups.ts';
import { usePersonName } from '../../api/people-names.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';

/** The delay between the last key and the search (LIM-020). */
const searchDebounceMs = 400;
const minLetters = 2;

interface PersonInputProps extends InputProps {
  /** The hint at the choice of the signed-in person; by default the sign-in name. */
  ownHint?: string;
}

/** Searches a person by name or email; the email is the value. While nothing is typed, offers the signed-in person. */
export function PersonInput({ value, onChange, onBlur, disabled, aria, placeholder, ownHint }: PersonInputProps) {
  const nameOf = usePersonName();
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed, searchDebounceMs).trim();
  const { data: me } = useCurrentUser();
  const { data: people = [], isFetching } = useQuery({
    queryKey: ['people', 'search', search],
    queryFn: ({ signal }) => searchPeople(search, signal),
    enabled: search.length >= minLetters,
    staleTime: 30_000,
  });
  const options = people.map((person) => ({ value: person.mail, label: person.displayName, hint: person.mail }));
  const ownOption = me && !typed ? [{ value: me.userName, label: me.name, hint: ownHint ?? me.userName }] : [];
  const choices = [...ownOption, ...options.filter((choice) => !ownOption.some((other) => other.value === choice.value))];
  const mail = typeof value === 'string' ? value : '';
  const chosen = mail ? (choices.find((choice) => choice.value === mail) ?? { value: mail, label: nameOf(mail) }) : null;
  return (
    <ComboBox
      choices={choices}
      value={chosen}
      filtered
      clearable
      loading={isFetching || typed.trim() !== search}
      disabled={disabled}
      aria={aria}
      placeholder={placeholder}
      onType={setTyped}
      onBlur={onBlur}
      onChange={(choice) => {
        setTyped('');
        onChange(choice ? String(choice.value) : null);
      }}
    />
  );
}

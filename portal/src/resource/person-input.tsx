import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { searchPeople, useCurrentUser } from '../api/lookups.ts';
import { ComboBox } from '../components/combo-box.tsx';
import type { InputProps } from './form-types.ts';

/** LIM-020. */
const searchDebounceMs = 400;
const least = 2;

/** Finds a person by name or mail; the mail is what is kept. The person at the keyboard is offered first. */
export function PersonInput({ value, onChange, onBlur, disabled, aria }: InputProps) {
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  const { data: me } = useCurrentUser();
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), searchDebounceMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data: people = [], isFetching } = useQuery({
    queryKey: ['people', 'search', search],
    queryFn: ({ signal }) => searchPeople(search, signal),
    enabled: search.length >= least,
    staleTime: 30_000,
  });
  const found = people.map((person) => ({ value: person.mail, label: person.displayName, hint: person.mail }));
  const own = me && !typed ? [{ value: me.userName, label: me.name, hint: me.userName }] : [];
  const choices = [...own, ...found.filter((choice) => !own.some((other) => other.value === choice.value))];
  const mail = typeof value === 'string' ? value : '';
  const chosen = mail
    ? (choices.find((choice) => choice.value === mail) ?? { value: mail, label: mail === me?.userName ? me.name : mail })
    : null;
  return (
    <ComboBox
      choices={choices}
      value={chosen}
      filtered
      clearable
      loading={isFetching}
      disabled={disabled}
      aria={aria}
      onType={setTyped}
      onBlur={onBlur}
      onChange={(choice) => {
        setTyped('');
        onChange(choice ? String(choice.value) : null);
      }}
    />
  );
}

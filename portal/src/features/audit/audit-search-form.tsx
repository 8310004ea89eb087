/** The search form of the audit. A choice searches at once, typed text when Enter is pressed or the field is left. */
import { compareNames } from '@cloudfit/contract/natural-order.ts';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { auditTexts as t } from '@cloudfit/contract/messages/audit.en.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { searchPeople } from '../../api/lookups.ts';
import { usePersonName } from '../../api/people-names.ts';
import { Button } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { useDebounced } from '../../hooks/use-debounced.ts';
import type { AuditSearch } from './audit-query.ts';

const searchDebounceMs = 400;
const minLetters = 2;

const entities = Object.entries({ ...t.entities, ...Object.fromEntries(resources.map(({ name, label }) => [name, label])) })
  .map(([value, label]) => ({ value, label }))
  .toSorted((a, b) => compareNames(a.label, b.label));

function Who({ value, onChange }: { value: string | undefined; onChange: (who: string | undefined) => void }) {
  const nameOf = usePersonName();
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed, searchDebounceMs).trim();
  const { data: people = [], isFetching } = useQuery({
    queryKey: ['people', 'search', search],
    queryFn: ({ signal }) => searchPeople(search, signal),
    enabled: search.length >= minLetters,
    staleTime: 30_000,
  });
  const choices = people.map((person) => ({ value: person.mail, label: person.displayName, hint: person.mail }));
  return (
    <Field label={t.who}>
      {(aria) => (
        <ComboBox
          free
          filtered
          clearable
          choices={choices}
          value={value ? { value, label: nameOf(value) } : null}
          loading={isFetching}
          aria={aria}
          onType={setTyped}
          onChange={(choice) => onChange(choice ? String(choice.value) : undefined)}
        />
      )}
    </Field>
  );
}

interface AuditSearchFormProps {
  search: AuditSearch;
  onSearch: (search: AuditSearch) => void;
}

export function AuditSearchForm({ search, onSearch }: AuditSearchFormProps) {
  const put = (part: { [K in keyof AuditSearch]: string | undefined }) =>
    onSearch(Object.fromEntries(Object.entries({ ...search, ...part }).filter(([, value]) => value)) as AuditSearch);
  const select = (name: keyof AuditSearch, label: string, choices: readonly { value: string; label: string }[], empty: string) => (
    <Field label={label}>
      {(aria) => (
        <Select
          {...aria}
          value={search[name] ?? ''}
          none={empty}
          unlisted={search[name]}
          choices={choices}
          onChange={(value) => put({ [name]: value })}
        />
      )}
    </Field>
  );
  const input = (name: keyof AuditSearch, label: string, type: string) => (
    <Field label={label}>
      {(aria) => (
        <input
          key={search[name] ?? ''}
          className="input"
          type={type}
          {...aria}
          defaultValue={search[name] ?? ''}
          onKeyDown={(event) => event.key === 'Enter' && put({ [name]: event.currentTarget.value.trim() })}
          onBlur={(event) => event.target.value.trim() !== (search[name] ?? '') && put({ [name]: event.target.value.trim() })}
        />
      )}
    </Field>
  );
  const verbs = Object.entries(t.verbs).map(([value, label]) => ({ value, label }));
  return (
    <div role="search" className="audit-search" aria-label={t.title}>
      <Who value={search.who} onChange={(who) => put({ who })} />
      {select('verb', t.verb, verbs, t.anything)}
      {select('entity', t.entity, entities, t.anything)}
      {input('row', t.row, 'text')}
      {input('from', t.from, 'datetime-local')}
      {input('until', t.until, 'datetime-local')}
      {select('where', t.where, [{ value: 'installation', label: t.places.installation }], t.places.tenant)}
      <Button small disabled={Object.keys(search).length === 0} onClick={() => onSearch({})}>
        {t.clear}
      </Button>
    </div>
  );
}

/** A form with all filters of the communications, which are applied together (COMM-009). */
import { useState, type SyntheticEvent } from 'react';
import { communicationStatuses } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { communicationsEn } from '@cloudfit/contract/messages/communications.en.ts';
import { inLanguage } from '@cloudfit/contract/resource.ts';
import { useTenants } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Select, type SelectChoice } from '../../components/fields/select.tsx';
import type { ChosenFilters } from '../../filters/listing.ts';
import './communications.css';

const t = communicationsEn.filterForm;

interface FilterFormProps {
  filters: ChosenFilters;
  onApply: (filters: ChosenFilters) => void;
  onClose: () => void;
}

interface ChoiceProps {
  label: string;
  choices: readonly SelectChoice[];
  value: string;
  onChange: (value: string) => void;
}

function Choice({ label, choices, value, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(aria) => (
        <Select
          {...aria}
          value={value}
          none={t.any}
          unlisted={en.common.selected(value.split(',').length)}
          choices={choices}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

interface RangeProps {
  label: string;
  value: string;
  wrong: boolean;
  onChange: (value: string) => void;
}

function Range({ label, value, wrong, onChange }: RangeProps) {
  const [from = '', until = ''] = value.split('..');
  const write = (first: string, last: string) => onChange(first || last ? `${first}..${last}` : '');
  return (
    <>
      <TextField label={t.from(label)} className="num" type="date" value={from} onChange={(next) => write(next, until)} />
      <TextField
        label={t.until(label)}
        error={wrong ? t.order : undefined}
        className="num"
        type="date"
        value={until}
        onChange={(next) => write(from, next)}
      />
    </>
  );
}

const ranges = [
  { name: 'created', label: t.created },
  { name: 'nextUpdate', label: t.nextUpdate },
  { name: 'eventResolved', label: t.resolved },
] as const;

/** Whether a range ends before it begins. */
function isReversed(values: readonly string[] | undefined): boolean {
  const [from = '', until = ''] = (values?.[0] ?? '').split('..');
  return from !== '' && until !== '' && until < from;
}

export function FilterForm({ filters, onApply, onClose }: FilterFormProps) {
  const [chosen, setChosen] = useState<ChosenFilters>(filters);
  const [tried, setTried] = useState(false);
  const { data: tenants = [] } = useTenants();
  const set = (name: string, values: readonly string[]) => setChosen({ ...chosen, [name]: values });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (ranges.every(({ name }) => !isReversed(chosen[name]))) onApply(chosen);
  };
  const one = (name: string) => (chosen[name] ?? []).join(',');
  const pick = (name: string) => (value: string) => set(name, value ? value.split(',') : []);
  return (
    <form className="communication-filter" aria-label={t.title} noValidate onSubmit={submit}>
      <div className="form-grid">
        <Choice
          label={t.tenant}
          value={one('tenantId')}
          onChange={pick('tenantId')}
          choices={tenants.map(({ tenantId, name }) => ({ value: tenantId, label: name }))}
        />
        <Choice label={t.status} value={one('status')} onChange={pick('status')} choices={communicationStatuses.map(inLanguage)} />
        {ranges.map(({ name, label }) => (
          <Range
            key={name}
            label={label}
            value={chosen[name]?.[0] ?? ''}
            wrong={tried && isReversed(chosen[name])}
            onChange={(value) => set(name, value ? [value] : [])}
          />
        ))}
      </div>
      <div className="foot">
        <Button small look="quiet" onClick={() => setChosen({})}>
          {t.reset}
        </Button>
        <span className="grow" />
        <Button small onClick={onClose}>
          {en.common.cancel}
        </Button>
        <Button small look="primary" type="submit">
          {en.common.apply}
        </Button>
      </div>
    </form>
  );
}

/** When a new operation is to open a work unit: what the rule that comes with it looks at. */
import type { addCheck } from '@cloudfit/contract/calls.ts';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { severities } from '@cloudfit/contract/enums.ts';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { Field } from '../components/field.tsx';
import { Checkbox } from '../components/fields/checkbox.tsx';
import { Select } from '../components/fields/select.tsx';
import { TextField } from '../components/fields/text-field.tsx';

const t = operationTexts.form.check;

export type ChosenCheck = Pick<CallInput<typeof addCheck>, 'when'> & { severityId: (typeof severities)[number] };

/** What is chosen first: of a check that its target is down, of anything else a limit. */
export const firstCheck = (saysUpOrDown: boolean): ChosenCheck => ({
  when: saysUpOrDown ? { reading: 'Down' } : { reading: 'Value', name: '', operator: 3, value: '' },
  severityId: 'Sev3',
});

const readings = (['Down', 'Value', 'Metric', 'State'] as const).map((value) => ({ value, label: t.readings[value] }));
const operators = [3, 6, 4, 7, 1, 2, 5].map((value) => ({ value, label: t.operators[value] ?? '' }));
const severityChoices = severities.map((value) => ({ value, label: value }));

interface CheckFieldsProps {
  check: ChosenCheck | null;
  /** Whether results of the operation say Up or Down. */
  saysUpOrDown: boolean;
  onChange: (check: ChosenCheck | null) => void;
}

export function CheckFields({ check, saysUpOrDown, onChange }: CheckFieldsProps) {
  const when = (change: Partial<ChosenCheck['when']>) => check && onChange({ ...check, when: { ...check.when, ...change } });
  const choose = (reading: ChosenCheck['when']['reading']) =>
    check && onChange({ ...check, when: reading === 'Down' ? { reading } : { name: '', operator: 3, value: '', ...check.when, reading } });
  const reading = check?.when.reading;
  return (
    <section className="form-section" aria-label={t.title}>
      <Checkbox label={t.title} checked={check !== null} onChange={(isOn) => onChange(isOn ? firstCheck(saysUpOrDown) : null)} />
      {check && (
        <>
          <p className="faint">{t.text}</p>
          <div className="form-grid">
            <Field label={t.reading}>
              {(aria) => (
                <Select
                  {...aria}
                  choices={saysUpOrDown ? readings : readings.filter(({ value }) => value !== 'Down')}
                  value={check.when.reading}
                  onChange={choose}
                />
              )}
            </Field>
            {(reading === 'Metric' || reading === 'State') && (
              <TextField label={t.name} required value={check.when.name ?? ''} maxLength={200} onChange={(name) => when({ name })} />
            )}
            {reading !== 'Down' && (
              <>
                <Field label={t.operator}>
                  {(aria) => (
                    <Select {...aria} choices={operators} value={check.when.operator ?? 3} onChange={(operator) => when({ operator })} />
                  )}
                </Field>
                <TextField
                  label={t.value}
                  required
                  value={check.when.value ?? ''}
                  maxLength={1_000}
                  onChange={(value) => when({ value })}
                />
              </>
            )}
            <Field label={t.severity}>
              {(aria) => (
                <Select
                  {...aria}
                  choices={severityChoices}
                  value={check.severityId}
                  onChange={(severityId) => onChange({ ...check, severityId })}
                />
              )}
            </Field>
          </div>
        </>
      )}
    </section>
  );
}

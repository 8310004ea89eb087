/** The fields of campaigns that change rows of the server: operations to copy, tracing, tags, location and subscription. */
import { useState } from 'react';
import { traceMinutes } from '@cloudfit/contract/enums.ts';
import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { Field as DeclaredField } from '@cloudfit/contract/resource.ts';
import { campaignDevices } from '@cloudfit/contract/resources/campaigns.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Field } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { LookupInput } from '../../forms/lookup-input.tsx';
import { useList } from '../../rows/use-rows.ts';
import type { ChosenSubject } from './subject-fields.tsx';

export interface EditFieldsProps {
  tenantId: string;
  subject: ChosenSubject;
  onChange: (next: ChosenSubject) => void;
}

interface LookupProps {
  label: string;
  help?: string;
  required?: boolean;
  field: DeclaredField;
  tenantId: string;
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

function Lookup({ label, help, required, field, tenantId, value, onChange }: LookupProps) {
  return (
    <Field label={label} help={help} required={required}>
      {(aria) => (
        <LookupInput
          field={field}
          name={label}
          aria={aria}
          value={value ?? null}
          disabled={false}
          values={{ tenantId }}
          onChange={(next) => onChange(typeof next === 'string' && next !== '' ? next : undefined)}
          onBlur={() => undefined}
          setValue={() => undefined}
        />
      )}
    </Field>
  );
}

/** The operations of a device, to be ticked. */
function Copies({ deviceId, chosen, onChange }: { deviceId: string; chosen: readonly string[]; onChange: (ids: string[]) => void }) {
  const { data, error, refetch } = useList(deviceOperations, {
    filter: eq(deviceOperations, 'deviceId', deviceId),
    select: ['deviceOperationId', 'label'],
    orderBy: 'label asc',
    top: 100,
  });
  return (
    <Loaded query={{ data: data?.rows, error, refetch }} failed={t.choicesFailed} empty={<EmptyState small title={t.noCopies} />}>
      {(operations) => (
        <fieldset className="campaign-copies">
          <legend>{t.operations}</legend>
          {operations.map(({ deviceOperationId: id, label }) => (
            <Checkbox
              key={id}
              label={label}
              checked={chosen.includes(id)}
              onChange={(checked) => onChange(checked ? [...chosen, id] : chosen.filter((item) => item !== id))}
            />
          ))}
        </fieldset>
      )}
    </Loaded>
  );
}

export function OperationCopies({ tenantId, subject, onChange }: EditFieldsProps) {
  const [deviceId, setDeviceId] = useState<string>();
  return (
    <>
      <Lookup
        label={t.copyFrom}
        help={t.copyFromHelp}
        required
        field={campaignDevices.fields.deviceId}
        tenantId={tenantId}
        value={deviceId}
        onChange={(id) => {
          setDeviceId(id);
          onChange({});
        }}
      />
      {deviceId && (
        <Copies
          key={deviceId}
          deviceId={deviceId}
          chosen={subject.deviceOperationIds ?? []}
          onChange={(ids) => onChange(ids.length > 0 ? { deviceOperationIds: ids } : {})}
        />
      )}
    </>
  );
}

export function TracingTime({ subject, onChange }: EditFieldsProps) {
  return (
    <Field label={deviceTexts.tracing.choose} required>
      {(aria) => (
        <Select
          {...aria}
          value={subject.traceMinutes ?? ''}
          none={t.choose}
          choices={choicesOf(
            traceMinutes.filter((minutes) => minutes >= 0),
            deviceTexts.tracing.choices,
          )}
          onChange={(minutes) => onChange(minutes === '' ? {} : { traceMinutes: minutes })}
        />
      )}
    </Field>
  );
}

const tagsOf = (text: string) => [
  ...new Set(
    text
      .split(/[,;]/)
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

export function TagEdits({ subject, onChange }: EditFieldsProps) {
  const [texts, setTexts] = useState({ addTags: '', removeTags: '' });
  const set = (name: keyof typeof texts, text: string) => {
    setTexts({ ...texts, [name]: text });
    const { [name]: _before, ...others } = subject;
    onChange(tagsOf(text).length > 0 ? { ...others, [name]: tagsOf(text) } : others);
  };
  return (
    <div className="form-grid">
      {(['addTags', 'removeTags'] as const).map((name) => (
        <TextField key={name} label={t[name]} help={t.tagsHelp} maxLength={500} value={texts[name]} onChange={(next) => set(name, next)} />
      ))}
    </div>
  );
}

export function NewPlace({ tenantId, subject, onChange }: EditFieldsProps) {
  const set = (name: 'locationId' | 'subscriptionId') => (id: string | undefined) => {
    const { [name]: _before, ...others } = subject;
    onChange(id ? { ...others, [name]: id } : others);
  };
  const { locationId, subscriptionId } = devices.fields;
  return (
    <div className="form-grid">
      <Lookup
        label={locationId.label}
        field={locationId}
        tenantId={tenantId}
        value={subject.locationId ?? undefined}
        onChange={set('locationId')}
      />
      <Lookup
        label={subscriptionId.label}
        field={{ ...subscriptionId, nullable: true }}
        tenantId={tenantId}
        value={subject.subscriptionId}
        onChange={set('subscriptionId')}
      />
    </div>
  );
}

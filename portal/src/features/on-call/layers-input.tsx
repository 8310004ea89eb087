/** Edits the layers of a schedule: people in their order, turns, hours, holidays. */
import { useState } from 'react';
import { holidayUses, nobody, rotationUnits, type Layer, type Restriction } from '@cloudfit/contract/on-call/shifts.ts';
import { onCallTexts } from '@cloudfit/contract/messages/on-call.en.ts';
import type { onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import { WeekHours } from '../../components/week-hours.tsx';
import { AddPerson } from '../../entities/people/add-person.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { LayersPreview } from './layers-preview.tsx';
import { useShifts } from './use-on-call.ts';

const t = onCallTexts.layer;

/** The first handover is yesterday, so that somebody is on call at once in every time zone. */
function newLayer(number: number): Layer {
  const yesterday = new Date(Date.now() - 86_400_000);
  return {
    name: t.defaultName(number),
    people: [],
    start: `${yesterday.toISOString().slice(0, 10)}T09:00`,
    unit: 'Weeks',
    every: 1,
    restrictions: [],
    holidays: 'Same',
  };
}

const office: Restriction = { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' };

interface LayerProps {
  layer: Layer;
  /** The time zone of the schedule, as it was saved. */
  timeZone: string | undefined;
  disabled: boolean;
  nameOf: (personId: string) => string;
  onNamed: (personId: string, name: string) => void;
  onChange: (layer: Layer) => void;
}

function People({ layer, disabled, nameOf, onNamed, onChange }: LayerProps) {
  const { people } = layer;
  return (
    <div className="field wide" role="group" aria-label={t.people}>
      <span className="field-head">{t.people}</span>
      {people.length === 0 && <span className="faint">{t.noPeople}</span>}
      <ol className="turns">
        {people.map((id, at) => (
          <li key={`${id} ${at}`} className="row">
            <span className="grow">{nameOf(id)}</span>
            {!disabled && (
              <>
                {at > 0 && (
                  <IconButton
                    small
                    icon="sortUp"
                    label={t.earlier(nameOf(id))}
                    onClick={() =>
                      onChange({ ...layer, people: [...people.slice(0, at - 1), id, people[at - 1] ?? '', ...people.slice(at + 1)] })
                    }
                  />
                )}
                <IconButton
                  small
                  icon="close"
                  label={t.removePerson(nameOf(id))}
                  onClick={() => onChange({ ...layer, people: people.filter((_one, index) => index !== at) })}
                />
              </>
            )}
          </li>
        ))}
      </ol>
      {!disabled && (
        <AddPerson
          label={t.addPerson}
          disabled={disabled}
          onAdd={(id, name) => {
            onNamed(id, name);
            onChange({ ...layer, people: [...people, id] });
          }}
        />
      )}
      {!disabled && people.length > 0 && (
        <Button small icon="plus" onClick={() => onChange({ ...layer, people: [...people, nobody] })}>
          {t.addNobody}
        </Button>
      )}
    </div>
  );
}

function LayerForm(props: LayerProps) {
  const { layer, timeZone, disabled, onChange } = props;
  return (
    <div className="form-grid">
      <TextField
        label={t.name}
        value={layer.name}
        maxLength={100}
        readOnly={disabled}
        onChange={(next) => onChange({ ...layer, name: next })}
      />
      <TextField
        label={t.start}
        help={timeZone}
        className="num"
        type="datetime-local"
        value={layer.start}
        readOnly={disabled}
        onChange={(next) => onChange({ ...layer, start: next.slice(0, 16) })}
      />
      <TextField
        label={t.until}
        help={t.untilHelp}
        className="num"
        type="datetime-local"
        value={layer.until ?? ''}
        readOnly={disabled}
        onChange={(next) => onChange({ ...layer, until: next === '' ? undefined : next.slice(0, 16) })}
      />
      <Field label={t.every}>
        {(aria) => (
          <span className="row">
            <input
              className="input num"
              inputMode="numeric"
              {...aria}
              value={String(layer.every)}
              readOnly={disabled}
              onChange={(event) => onChange({ ...layer, every: Number(event.target.value.replaceAll(/\D/g, '').slice(0, 4)) })}
            />
            <Select
              aria-label={t.unit}
              value={layer.unit}
              disabled={disabled}
              choices={choicesOf(rotationUnits, t.units)}
              onChange={(unit) => onChange({ ...layer, unit })}
            />
          </span>
        )}
      </Field>
      <Field label={t.holidays}>
        {(aria) => (
          <Select
            {...aria}
            value={layer.holidays}
            disabled={disabled}
            choices={choicesOf(holidayUses, t.holidayUses)}
            onChange={(holidays) => onChange({ ...layer, holidays })}
          />
        )}
      </Field>
      <People {...props} />
      <WeekHours
        label={t.restrictions}
        hours={layer.restrictions}
        initial={office}
        disabled={disabled}
        onChange={(restrictions) => onChange({ ...layer, restrictions })}
      />
    </div>
  );
}

/** Names of the people of the schedule, and of people who were added in the form. */
function useNames(id: string | undefined) {
  const [added, setAdded] = useState<Record<string, string>>({});
  const { data } = useShifts(id);
  const nameById = new Map(data?.people.map(({ personId, name }) => [personId, name]));
  return {
    nameOf: (personId: string): string =>
      (personId === nobody ? onCallTexts.nobody : added[personId]) ?? nameById.get(personId) ?? personId,
    onNamed: (personId: string, name: string) => setAdded((now) => ({ ...now, [personId]: name })),
  };
}

export function LayersInput({ value, values, onChange, disabled, row }: InputProps<typeof onCallSchedules>) {
  const layers = (value ?? []) as Layer[];
  const names = useNames(row?.onCallScheduleId);
  const replace = (at: number, layer: Layer | undefined) =>
    onChange(layers.flatMap((item, index) => (index === at ? (layer ?? []) : item)));
  return (
    <div className="layers">
      <p className="faint">{t.help}</p>
      {layers.map((layer, at) => (
        <fieldset key={at} className="layer">
          <legend className="row">
            <strong>{layer.name}</strong>
            {!disabled && at > 0 && (
              <IconButton
                small
                icon="sortUp"
                label={t.up(layer.name)}
                onClick={() => onChange([...layers.slice(0, at - 1), layer, layers[at - 1], ...layers.slice(at + 1)])}
              />
            )}
            {!disabled && <IconButton small icon="trash" label={t.remove(layer.name)} onClick={() => replace(at, undefined)} />}
          </legend>
          <LayerForm layer={layer} timeZone={row?.timeZone} disabled={disabled} {...names} onChange={(changed) => replace(at, changed)} />
        </fieldset>
      ))}
      {!disabled && (
        <Button small icon="plus" onClick={() => onChange([...layers, newLayer(layers.length + 1)])}>
          {t.add}
        </Button>
      )}
      {!disabled && <LayersPreview layers={layers} values={values} nameOf={names.nameOf} />}
    </div>
  );
}

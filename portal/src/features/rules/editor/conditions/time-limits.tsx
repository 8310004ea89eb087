/** When the rule applies: at any time, or only within a range, on some days, at some hours of a time zone. */
import { useId, useState } from 'react';
import { timeZoneLookup } from '@cloudfit/contract/calls.ts';
import { f, optional, type Field as Declared } from '@cloudfit/contract/resource.ts';
import type { TimeConditions } from '@cloudfit/contract/rules/schema.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { useCall } from '../../../../api/call.ts';
import { ComboBox } from '../../../../components/combo-box.tsx';
import { Field } from '../../../../components/field.tsx';
import { TextField } from '../../../../components/fields/text-field.tsx';
import { inputs } from '../../../../forms/inputs.tsx';
import { readDays, writeDays } from './days-of-month.ts';
import { allDays, DaysOfWeek } from './days-of-week.tsx';
import type { RuleEditing } from '../use-rule-editing.ts';

const t = ruleEditorTexts.time;

/** The limits when they are switched on for the first time (RULE-039, RULE-044). */
const firstLimits: TimeConditions = { DaysOfWeek: allDays, TimeZoneId: 'America/New_York' };

interface PartProps {
  editing: RuleEditing;
  time: TimeConditions;
  set: (part: Partial<TimeConditions>) => void;
}

type Name = keyof TimeConditions & string;
const place = (name: Name) => `timeConditions.${name}`;
const rangeFields: readonly (readonly ['StartRange' | 'EndRange', Declared])[] = [
  ['StartRange', optional(f.timestamp(t.from))],
  ['EndRange', optional(f.timestamp(t.to))],
];

function Range({ editing, time, set }: PartProps) {
  return rangeFields.map(([name, field]) => (
    <Field key={name} label={field.label} help={t.rangeHelp} error={editing.problemAt(place(name))}>
      {(aria) => (
        <inputs.datetime
          field={field}
          name={name}
          aria={aria}
          value={time[name] ?? null}
          values={{}}
          disabled={editing.readOnly}
          onChange={(value) => set({ [name]: value })}
          onBlur={() => editing.touch(place(name))}
          setValue={() => undefined}
        />
      )}
    </Field>
  ));
}

function DailyTimes({ editing, time, set }: PartProps) {
  const { DailyStartTime: start, DailyEndTime: end } = time;
  const wraps = Boolean(start && end && end < start);
  return (['DailyStartTime', 'DailyEndTime'] as const).map((name) => (
    <TextField
      key={name}
      label={name === 'DailyStartTime' ? t.start : t.end}
      help={wraps && name === 'DailyEndTime' ? t.wraps : undefined}
      error={editing.problemAt(place(name))}
      className="num"
      type="time"
      value={time[name] ?? ''}
      readOnly={editing.readOnly}
      onBlur={() => editing.touch(place(name))}
      onChange={(next) => set({ [name]: next || null })}
    />
  ));
}

function DaysOfMonth({ editing, time, set }: PartProps) {
  const [typed, setTyped] = useState(() => writeDays(time));
  // Shows values that somebody else saved, but keeps the text that is being typed.
  const saved = { DaysOfMonth: time.DaysOfMonth ?? null, LastDayOfMonth: time.LastDayOfMonth ?? false };
  const text = JSON.stringify(readDays(typed)) === JSON.stringify(saved) ? typed : writeDays(time);
  return (
    <TextField
      label={t.daysOfMonth}
      help={t.daysOfMonthHelp}
      error={editing.problemAt(place('DaysOfMonth'))}
      className="num"
      value={text}
      readOnly={editing.readOnly}
      onBlur={() => editing.touch(place('DaysOfMonth'))}
      onChange={(next) => {
        setTyped(next);
        set(readDays(next));
      }}
    />
  );
}

function Zone({ editing, time, set }: PartProps) {
  const { data = [], isLoading } = useCall(timeZoneLookup, {}, { refreshedBy: 'lookup', staleTime: Infinity });
  const id = time.TimeZoneId;
  return (
    <Field label={t.zone} required help={t.zoneHelp} error={editing.problemAt(place('TimeZoneId'))}>
      {(aria) => (
        <ComboBox
          choices={data.map((zone) => ({ value: zone.id, label: zone.name }))}
          value={id ? { value: id, label: id.replaceAll('_', ' ') } : null}
          loading={isLoading}
          clearable
          disabled={editing.readOnly}
          aria={aria}
          onBlur={() => editing.touch(place('TimeZoneId'))}
          onChange={(choice) => set({ TimeZoneId: choice ? String(choice.value) : '' })}
        />
      )}
    </Field>
  );
}

export function TimeLimits({ editing }: { editing: RuleEditing }) {
  const { values, change, problemAt, readOnly } = editing;
  const id = useId();
  const time = values.timeConditions;
  // Switching the limits off and on again restores them.
  const [last, setLast] = useState(firstLimits);
  const set = (part: Partial<TimeConditions>) => time && change({ timeConditions: { ...time, ...part } });
  const toggle = (on: boolean) => {
    if (time) setLast(time);
    change({ timeConditions: on ? last : null });
  };
  const problem = problemAt('timeConditions');
  const parts = time && { editing, time, set };
  return (
    <section className="form-section" aria-label={t.title}>
      <h3>{t.title}</h3>
      <div className="time-toggle">
        <input
          id={id}
          type="checkbox"
          role="switch"
          className="switch"
          checked={time !== null}
          disabled={readOnly}
          {...(problem ? { 'aria-invalid': true, 'aria-describedby': `${id}-note` } : {})}
          onChange={(event) => toggle(event.target.checked)}
        />
        <label htmlFor={id}>{t.toggle}</label>
      </div>
      {problem && (
        <p id={`${id}-note`} className="notice error" role="alert">
          {problem}
        </p>
      )}
      {parts && (
        <div className="form-grid time-limits">
          <DaysOfWeek
            value={time.DaysOfWeek ?? allDays}
            disabled={readOnly}
            error={problemAt(place('DaysOfWeek'))}
            onChange={(days) => set({ DaysOfWeek: days })}
          />
          <DailyTimes {...parts} />
          <Zone {...parts} />
          <DaysOfMonth {...parts} />
          <Range {...parts} />
        </div>
      )}
    </section>
  );
}

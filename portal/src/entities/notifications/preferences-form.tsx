/** Edits when and by which channels a person is notified: on the person's own page, and on the page of administrators. */
import { useState } from 'react';
import { severities } from '@cloudfit/contract/enums.ts';
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import {
  alwaysUrgent,
  channels,
  type ChannelStep,
  type NotificationPreferences,
  type Severity,
} from '@cloudfit/contract/on-call/preferences.ts';
import type { DigestTime } from '@cloudfit/contract/on-call/digest.ts';
import type { Restriction } from '@cloudfit/contract/on-call/shifts.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import { WeekHours } from '../../components/week-hours.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { DigestChoice, type MailAddress } from './digest-choice.tsx';
import './preferences.css';

export interface EditedPreferences extends NotificationPreferences {
  phone: string | null;
  digest: DigestTime | null;
}

/** Errors from the server; `target` names the field. */
export type PreferenceFaults = readonly { target?: string; message?: string }[];

interface PreferencesFormProps {
  initial: EditedPreferences & MailAddress;
  /** Whether the preferences are those of the signed-in person. The phone number of another person is shown, not edited. */
  isOwn: boolean;
  disabled: boolean;
  /** The heading level of the form's parts: h2 on the page of the preferences, h3 in a panel, which has a heading itself. */
  heading: 'h2' | 'h3';
  onSave: (changed: EditedPreferences) => Promise<PreferenceFaults>;
}

/** Removes the separators with which people write phone numbers; null for an empty text. */
const phoneOf = (typed: string | null): string | null => typed?.replaceAll(/[\s()/.-]/g, '') || null;

const night: Restriction = { days: [0, 1, 2, 3, 4, 5, 6], from: '22:00', to: '07:00' };

function Severities({
  label,
  values,
  fixed = [],
  disabled,
  onChange,
}: {
  label: string;
  values: readonly Severity[];
  fixed?: readonly Severity[];
  disabled: boolean;
  onChange: (values: Severity[]) => void;
}) {
  return (
    <span className="severities" role="group" aria-label={label}>
      {severities.map((severity) => (
        <Checkbox
          key={severity}
          label={severity}
          checked={values.includes(severity) || fixed.includes(severity)}
          disabled={disabled || fixed.includes(severity)}
          onChange={(checked) => onChange(severities.filter((other) => (other === severity ? checked : values.includes(other))))}
        />
      ))}
    </span>
  );
}

function Step({
  step,
  at,
  disabled,
  onChange,
}: {
  step: ChannelStep;
  at: number;
  disabled: boolean;
  onChange: (step: ChannelStep | undefined) => void;
}) {
  return (
    <li className="notify-step">
      <Select
        aria-label={t.channel}
        value={step.channel}
        disabled={disabled}
        choices={choicesOf(channels, t.channels)}
        onChange={(channel) => onChange({ ...step, channel })}
      />
      <span className="row">
        <input
          className="input num"
          inputMode="numeric"
          aria-label={t.after}
          title={t.after}
          value={String(step.afterMinutes)}
          readOnly={disabled}
          onChange={(event) => onChange({ ...step, afterMinutes: Number(event.target.value.replaceAll(/\D/g, '').slice(0, 4)) })}
        />
        <span className="muted">{t.minutes}</span>
      </span>
      <Severities
        label={t.severities}
        values={step.severities}
        disabled={disabled}
        onChange={(chosen) => onChange({ ...step, severities: chosen })}
      />
      {!disabled && <IconButton small icon="trash" label={t.removeStep(at + 1)} onClick={() => onChange(undefined)} />}
    </li>
  );
}

export function PreferencesForm({ initial, isOwn, disabled, heading: Heading, onSave }: PreferencesFormProps) {
  const [edited, setEdited] = useState(initial);
  const [isSaving, setSaving] = useState(false);
  const [faults, setFaults] = useState<PreferenceFaults>([]);
  const faultOf = (field: string) => faults.find(({ target }) => target === field)?.message;
  const others = faults.flatMap(({ target, message }) => (message && target !== 'phone' && target !== 'timeZone' ? [message] : []));
  const change = (part: Partial<EditedPreferences>) => setEdited((now) => ({ ...now, ...part }));
  const { steps, quietHours, urgent, timeZone, phone, digest } = edited;
  return (
    <form
      className="preferences-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setSaving(true);
        void onSave({ ...edited, phone: phoneOf(phone) })
          .then(setFaults)
          .finally(() => setSaving(false));
      }}
    >
      <section className="form-section" aria-label={t.order}>
        <Heading>{t.order}</Heading>
        <p className="faint">{t.orderHelp}</p>
        <ol className="notify-steps">
          {steps.map((step, at) => (
            <Step
              key={at}
              step={step}
              at={at}
              disabled={disabled}
              onChange={(replaced) => change({ steps: steps.flatMap((step, index) => (index === at ? (replaced ?? []) : step)) })}
            />
          ))}
        </ol>
        {!disabled && (
          <Button
            small
            icon="plus"
            onClick={() => change({ steps: [...steps, { channel: 'Mail', afterMinutes: 10, severities: [...severities] }] })}
          >
            {t.add}
          </Button>
        )}
        <TextField
          label={t.phone}
          help={isOwn ? t.phoneHelp : t.phoneOfOther}
          error={faultOf('phone')}
          className="num"
          type="tel"
          autoComplete="tel"
          value={phone ?? (isOwn ? '' : t.noPhone)}
          readOnly={disabled || !isOwn}
          onChange={(next) => change({ phone: next })}
        />
      </section>
      <section className="form-section" aria-label={t.quiet}>
        <Heading>{t.quiet}</Heading>
        <p className="faint">{t.quietHelp}</p>
        {quietHours.length === 0 && <p className="muted">{t.noQuiet}</p>}
        <WeekHours
          label={t.quietTimes}
          hours={quietHours}
          initial={night}
          disabled={disabled}
          onChange={(hours) => change({ quietHours: hours })}
        />
        <TextField
          label={t.timeZone}
          error={faultOf('timeZone')}
          value={timeZone}
          readOnly={disabled}
          onChange={(next) => change({ timeZone: next })}
        />
        <div className="field">
          <span className="field-head">{t.urgent}</span>
          <Severities
            label={t.urgent}
            values={urgent}
            fixed={alwaysUrgent}
            disabled={disabled}
            onChange={(chosen) => change({ urgent: chosen })}
          />
        </div>
      </section>
      <section className="form-section" aria-label={isOwn ? t.digest : t.digestOfOther}>
        <Heading>{isOwn ? t.digest : t.digestOfOther}</Heading>
        <p className="faint">{t.digestHelp}</p>
        <DigestChoice
          digest={digest}
          timeZone={timeZone}
          address={initial}
          disabled={disabled}
          onChange={(chosen) => change({ digest: chosen })}
        />
      </section>
      {others.length > 0 && (
        <div className="notice error" role="alert">
          {[...new Set(others)].map((message) => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
      {!disabled && (
        <Button type="submit" look="primary" disabled={isSaving}>
          {t.save}
        </Button>
      )}
    </form>
  );
}

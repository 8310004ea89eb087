/** Chooses on which days and at which hour a mail says what is new in the inbox. */
import { preferenceTexts as t } from '@cloudfit/contract/messages/notification-preferences.en.ts';
import { firstDigestTime, type DigestTime } from '@cloudfit/contract/on-call/digest.ts';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { weekDays } from '../../theme/locale.ts';
import { hourText } from '../../theme/times.ts';

/** The address to which the mail goes, if it is known to be the person's. */
export interface MailAddress {
  email: string | null;
  emailVerified: boolean;
}

interface DigestChoiceProps {
  digest: DigestTime | null;
  timeZone: string;
  address: MailAddress;
  disabled: boolean;
  onChange: (digest: DigestTime | null) => void;
}

const everyDay = 'every';
const days = [
  { value: everyDay, label: t.digestDaily },
  ...weekDays.map((day) => ({ value: String(day), label: t.digestWeekly[day] ?? '' })),
];
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: hour, label: hourText(hour) }));

export function DigestChoice({ digest, timeZone, address: { email, emailVerified }, disabled, onChange }: DigestChoiceProps) {
  const choose = (chosen: string) =>
    onChange(chosen === '' ? null : { ...(digest ?? firstDigestTime), day: chosen === everyDay ? null : Number(chosen) });
  return (
    <>
      <div className="digest-choice">
        <Field label={t.digestDays}>
          {(aria) => (
            <Select
              {...aria}
              none={t.digestOff}
              choices={days}
              value={digest === null ? '' : digest.day === null ? everyDay : String(digest.day)}
              disabled={disabled}
              onChange={choose}
            />
          )}
        </Field>
        {digest && (
          <Field label={t.digestHour} help={t.digestZone(timeZone)}>
            {(aria) => (
              <Select
                {...aria}
                choices={hours}
                value={digest.hour}
                disabled={disabled}
                onChange={(hour) => onChange({ ...digest, hour })}
              />
            )}
          </Field>
        )}
      </div>
      {digest && !emailVerified && (
        <p className="notice" role="status">
          {email === null ? t.noAddress : t.notVerified(email)}
        </p>
      )}
    </>
  );
}

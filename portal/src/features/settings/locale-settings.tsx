/** The language and region of the signed-in person. */
import { changeOwnLocale } from '@cloudfit/contract/calls.ts';
import { formats, languages, noLocale, weekStarts, type Locale } from '@cloudfit/contract/messages/language.ts';
import { localeTexts as t } from '@cloudfit/contract/messages/locale.en.ts';
import { timeZoneLookup } from '@cloudfit/contract/rules/lookups.ts';
import { call } from '../../api/call.ts';
import { currentUserKey, useCurrentUser } from '../../api/lookups.ts';
import { currentImpersonation } from '../../api/see-as.ts';
import { useCommand } from '../../calls/command.ts';
import { Field } from '../../components/field.tsx';
import { choicesOf, Select, type SelectChoice } from '../../components/fields/select.tsx';
import { adoptLocale } from '../../theme/locale.ts';

const zones = timeZoneLookup().map(({ id, name }) => ({ value: id, label: name }));

interface LocaleChoiceProps<V extends string | number> {
  label: string;
  choices: readonly SelectChoice<V>[];
  none: string;
  value: V | null;
  disabled: boolean;
  onChange: (value: V | null) => void;
}

function Choice<V extends string | number>({ label, choices, none, value, disabled, onChange }: LocaleChoiceProps<V>) {
  const choose = (chosen: V | '') => onChange(chosen === '' ? null : chosen);
  return (
    <Field label={label}>
      {(aria) => <Select<V> {...aria} choices={choices} none={none} value={value ?? ''} disabled={disabled} onChange={choose} />}
    </Field>
  );
}

export function LocaleSettings() {
  const { data: user } = useCurrentUser();
  const { run, isBusy } = useCommand((locale: Locale) => call(changeOwnLocale, locale, { quiet: true }), {
    failed: t.failed,
    refreshes: currentUserKey,
  });
  const locale = user?.locale ?? noLocale;
  const isOwn = currentImpersonation() === undefined;
  const change = async (part: Partial<Locale>) => {
    const saved = await run({ ...locale, ...part });
    if (saved) adoptLocale(saved.answer);
  };
  const disabled = isBusy || !user || !isOwn;
  return (
    <section className="form-section settings" aria-label={t.title}>
      <h3>{t.title}</h3>
      <Choice
        label={t.language}
        choices={choicesOf(languages, t.languages)}
        none={t.ofBrowser}
        value={locale.language}
        disabled={disabled}
        onChange={(language) => void change({ language })}
      />
      <Choice
        label={t.timeZone}
        choices={zones}
        none={t.ofBrowser}
        value={locale.timeZone}
        disabled={disabled}
        onChange={(timeZone) => void change({ timeZone })}
      />
      <Choice
        label={t.weekStart}
        choices={choicesOf(weekStarts, t.weekStarts)}
        none={t.byLanguage}
        value={locale.weekStart}
        disabled={disabled}
        onChange={(weekStart) => void change({ weekStart })}
      />
      <Choice
        label={t.format}
        choices={choicesOf(formats, t.formats)}
        none={t.byLanguage}
        value={locale.format}
        disabled={disabled}
        onChange={(format) => void change({ format })}
      />
      <p className="faint">{isOwn ? t.hint : t.viewOnly}</p>
    </section>
  );
}

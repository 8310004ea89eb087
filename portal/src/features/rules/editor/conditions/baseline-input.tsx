/** Which hours of the past a condition on a baseline compares with. */
import { longestBaselineWeeks } from '@cloudfit/contract/rules/schema.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { Field } from '../../../../components/field.tsx';
import type { ConditionDraft } from '../rule-draft.ts';

const t = ruleEditorTexts.conditions.baseline;

const weeks = Array.from({ length: longestBaselineWeeks }, (_, i) => i + 1);

interface BaselineInputProps {
  condition: ConditionDraft;
  disabled: boolean;
  onChange: (condition: ConditionDraft) => void;
}

export function BaselineInput({ condition, disabled, onChange }: BaselineInputProps) {
  const { Baseline } = condition;
  return (
    <span className="window baseline">
      <span className="faint" aria-hidden>
        {t.against}
      </span>
      <Field label={t.hour} labelHidden>
        {(aria) => (
          <select
            className="input"
            {...aria}
            value={Baseline.Hour}
            disabled={disabled}
            onChange={(event) => onChange({ ...condition, Baseline: { ...Baseline, Hour: event.target.value as typeof Baseline.Hour } })}
          >
            <option value="OfWeek">{t.ofWeek}</option>
            <option value="OfDay">{t.ofDay}</option>
          </select>
        )}
      </Field>
      <Field label={t.weeks} labelHidden>
        {(aria) => (
          <select
            className="input"
            {...aria}
            value={Baseline.Weeks}
            disabled={disabled}
            onChange={(event) => onChange({ ...condition, Baseline: { ...Baseline, Weeks: Number(event.target.value) } })}
          >
            {weeks.map((count) => (
              <option key={count} value={count}>
                {t.lastWeeks(count)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </span>
  );
}

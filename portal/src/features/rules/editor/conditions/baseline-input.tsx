/** Which hours of the past a condition on a baseline compares with. */
import { longestBaselineWeeks } from '@cloudfit/contract/rules/schema.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { Field } from '../../../../components/field.tsx';
import { Select } from '../../../../components/fields/select.tsx';
import type { ConditionDraft } from '../rule-draft.ts';

const t = ruleEditorTexts.conditions.baseline;

const hours = [
  { value: 'OfWeek', label: t.ofWeek },
  { value: 'OfDay', label: t.ofDay },
] as const;
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
          <Select
            {...aria}
            value={Baseline.Hour}
            disabled={disabled}
            choices={hours}
            onChange={(Hour) => onChange({ ...condition, Baseline: { ...Baseline, Hour } })}
          />
        )}
      </Field>
      <Field label={t.weeks} labelHidden>
        {(aria) => (
          <Select
            {...aria}
            value={Baseline.Weeks}
            disabled={disabled}
            choices={weeks.map((count) => ({ value: count, label: t.lastWeeks(count) }))}
            onChange={(Weeks) => onChange({ ...condition, Baseline: { ...Baseline, Weeks } })}
          />
        )}
      </Field>
    </span>
  );
}

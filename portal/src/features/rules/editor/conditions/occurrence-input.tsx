/** How often a condition must hold, and the window of its operand. */
import { weeksNeeded } from '@cloudfit/contract/rules/baselines/baseline.ts';
import { occurrenceLookup } from '@cloudfit/contract/rules/lookups.ts';
import { looksBack, operandOf } from '@cloudfit/contract/rules/operands.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { Field } from '../../../../components/field.tsx';
import { TextField } from '../../../../components/fields/text-field.tsx';
import { Select } from '../../../../components/fields/select.tsx';
import { defaultAheadSeconds, lookBackSeconds, withPattern, type ConditionDraft, type PatternDraft } from '../rule-draft.ts';
import { BaselineInput } from './baseline-input.tsx';
import { SpanInput } from './span-input.tsx';

const t = ruleEditorTexts.conditions;

interface OccurrenceInputProps {
  condition: ConditionDraft;
  /** The place of the condition: `conditions[0]`. */
  place: string;
  disabled: boolean;
  problemAt: (target: string) => string | undefined;
  touch: (target: string) => void;
  onChange: (condition: ConditionDraft) => void;
}

export function OccurrenceInput({ condition, place, disabled, problemAt, touch, onChange }: OccurrenceInputProps) {
  const { OccurrencePattern: pattern, LeftOperand, AheadSeconds } = condition;
  const kind = pattern?.Kind ?? 'EveryTime';
  const needs = occurrenceLookup.find((candidate) => candidate.id === kind)?.needs ?? [];
  const [target, windowTarget] = [`${place}.OccurrencePattern`, `${place}.WindowSeconds`];
  const problem = problemAt(target);
  const operand = operandOf(LeftOperand ?? -1);
  const isLong = looksBack(operand) || operand?.baseline !== undefined;
  const leave = () => touch(target);
  const setNumber = (part: Partial<PatternDraft>) => pattern && onChange({ ...condition, OccurrencePattern: { ...pattern, ...part } });
  return (
    <div className={needs.length > 0 || isLong ? 'occurrence long' : 'occurrence'}>
      {operand?.baseline && <BaselineInput condition={condition} disabled={disabled} onChange={onChange} />}
      {needs.includes('Times') && (
        <TextField
          label={t.times}
          labelHidden
          error={problem}
          className="num times"
          inputMode="numeric"
          value={pattern?.Times ?? ''}
          readOnly={disabled}
          maxLength={4}
          onBlur={leave}
          onChange={(next) => {
            const digits = next.replaceAll(/\D/g, '');
            setNumber({ Times: digits === '' ? null : Number(digits) });
          }}
        />
      )}
      <Field label={t.occurrence} labelHidden>
        {(aria) => (
          <Select
            {...aria}
            value={kind}
            disabled={disabled}
            choices={occurrenceLookup.map(({ id }) => ({ value: id, label: t.occurrences[id] }))}
            onChange={(next) => onChange(withPattern(condition, next))}
          />
        )}
      </Field>
      {needs.includes('Seconds') && (
        <Field label={t.period} labelHidden error={needs.includes('Times') ? undefined : problem}>
          {(aria) => (
            <SpanInput
              label={t.period}
              aria={aria}
              value={pattern?.Seconds}
              disabled={disabled}
              onBlur={leave}
              onChange={(Seconds) => setNumber({ Seconds })}
            />
          )}
        </Field>
      )}
      {looksBack(operand) && (
        <span className="window">
          <span className="faint" aria-hidden>
            {t.window}
          </span>
          <Field label={t.window} labelHidden error={problemAt(windowTarget)}>
            {(aria) => (
              <SpanInput
                label={t.window}
                aria={aria}
                value={lookBackSeconds(condition)}
                disabled={disabled}
                onBlur={() => touch(windowTarget)}
                onChange={(seconds) => onChange({ ...condition, WindowSeconds: seconds ?? 0 })}
              />
            )}
          </Field>
        </span>
      )}
      {operand?.measure === 'forecast' && (
        <span className="window">
          <span className="faint" aria-hidden>
            {t.ahead}
          </span>
          <Field label={t.ahead} labelHidden error={problemAt(`${place}.AheadSeconds`)}>
            {(aria) => (
              <SpanInput
                label={t.ahead}
                aria={aria}
                value={AheadSeconds ?? defaultAheadSeconds}
                disabled={disabled}
                onBlur={() => touch(`${place}.AheadSeconds`)}
                onChange={(seconds) => onChange({ ...condition, AheadSeconds: seconds ?? 0 })}
              />
            )}
          </Field>
        </span>
      )}
      {operand?.baseline && <p className="muted baseline-help">{t.baseline.needed(weeksNeeded(condition.Baseline))}</p>}
    </div>
  );
}

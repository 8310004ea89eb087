/** A tenant's own constants of a rule: one field for each constant, empty as for all. */
import { useId } from 'react';
import { ruleExceptionTexts as t } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import type { ruleExceptions } from '@cloudfit/contract/resources/rule-exceptions.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { describeCondition } from '@cloudfit/contract/rules/describe.ts';
import { builtWords } from '@cloudfit/contract/rules/rule-words.ts';
import { constantsOf, type OwnValues } from '@cloudfit/contract/rules/own-values.ts';
import type { InputProps } from '../../../forms/form-types.ts';
import { useRow } from '../../../rows/use-rows.ts';

export function OwnValuesInput({ value, onChange, disabled, values, row }: InputProps<typeof ruleExceptions>) {
  const id = useId();
  // The rule of an exception that exists cannot be changed, so the form has no value of it.
  const chosen = row?.ruleId ?? values.ruleId;
  const ruleId = typeof chosen === 'string' ? chosen : '';
  const { data: rule } = useRow(rules, ruleId, { enabled: ruleId !== '' });
  const ownValues = (value ?? {}) as OwnValues;
  if (ruleId === '') return <p className="faint">{t.noRule}</p>;
  if (!rule) return null;
  const constants = constantsOf(rule.conditions);
  if (constants.length === 0) return <p className="faint">{t.noConstants}</p>;
  const change = (key: string, text: string) => {
    const { [key]: _before, ...others } = ownValues;
    const next = text === '' ? others : { ...others, [key]: text };
    onChange(Object.keys(next).length > 0 ? next : null);
  };
  return (
    <div className="own-values">
      {constants.map(({ key, condition }, at) => (
        <div key={key}>
          <label htmlFor={`${id}-${at}`}>{describeCondition(condition, builtWords)}</label>
          <input
            id={`${id}-${at}`}
            className="input"
            value={ownValues[key] ?? ''}
            placeholder={t.asForAll(condition.RightOperand ?? '')}
            readOnly={disabled}
            onChange={(event) => change(key, event.target.value)}
          />
        </div>
      ))}
    </div>
  );
}

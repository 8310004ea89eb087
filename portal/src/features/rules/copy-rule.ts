import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleActionTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { fieldValue } from '../../rows/row.ts';
import type { Rule } from './use-rules.ts';

const nameField = rules.fields.name;

/** A copy of the rule: disabled, named as a copy, and without an id until it is saved (RULE-020..022). */
export function copyOf(rule: Rule): Partial<Rule> {
  const values = Object.fromEntries(
    Object.entries(rules.fields).flatMap(([name, field]) =>
      field.write === 'always' && name in rule ? [[name, fieldValue(rule, name)]] : [],
    ),
  ) as Partial<Rule>;
  const room = (nameField.max ?? rule.name.length) - t.copySuffix.length;
  return { ...values, enabled: false, name: `${rule.name.slice(0, room)}${t.copySuffix}` };
}

/** The problems of a rule in the form, by field: `conditions[0].RightOperand`. */
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleEditorTexts as t } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { ruleProblems, type PatternProblem, type RuleDraft } from '@cloudfit/contract/rules/problems.ts';
import { fieldProblem } from '../../../forms/form-model.ts';
import { wireOf, type RuleValues } from './rule-draft.ts';

export type Problems = ReadonlyMap<string, string>;
export const ruleTabs = ['details', 'conditions', 'actions'] as const;
export type RuleTab = (typeof ruleTabs)[number];

const { fields } = rules;
const single = [
  'name',
  'description',
  'ruleTypeId',
  'tenantId',
  'tenantGroupId',
  'subscriptionId',
  'color',
  'protocolId',
  'runbookId',
  'matchLifetime',
  'reopenHours',
  'reopenAfter',
  'repeatEvery',
  'acknowledgedFor',
  'clearFor',
  'countBy',
  'countTag',
  'groupTag',
  'groupWindow',
  'groupSummary',
  'stormLimit',
] as const;
const lists = ['matchActions', 'expirationActions'] as const;
const whole = ['timeConditions', 'conditions', 'recoveryConditions', ...lists] as const;

/** Formats a path: `['conditions', 0, 'RightOperand']` becomes `conditions[0].RightOperand`. */
const targetOf = (path: readonly PropertyKey[]) =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)),
    '',
  );

export function tabOf(target: string): RuleTab {
  if (/^(conditions|recoveryConditions|timeConditions)\b/.test(target)) return 'conditions';
  return /^(match|expiration)Actions\b/.test(target) ? 'actions' : 'details';
}

/** The field that a path belongs to. */
export const fieldOf = (target: string): string => /^\w+/.exec(target)?.[0] ?? '';

export function problemsOf(values: RuleValues, patternProblem: PatternProblem): Problems {
  const problems = new Map<string, string>();
  const add = (target: string, message: string) => {
    if (!problems.has(target)) problems.set(target, message);
  };
  const wire = wireOf(values);
  // Checked first, because `add` ignores further problems of the same field.
  const lifetime = values.matchLifetime === '' ? undefined : fields.matchLifetime.schema().safeParse(values.matchLifetime);
  if (lifetime && !lifetime.success) add('matchLifetime', lifetime.error.issues[0]?.message ?? '');
  for (const { target, message } of ruleProblems(wire as RuleDraft, patternProblem)) add(target, message);
  for (const name of single) {
    const message = fieldProblem(fields[name], wire[name]);
    if (message) add(name, message);
  }
  for (const list of lists)
    for (const [at, { ActionDefinitionId }] of values[list].entries())
      if (!ActionDefinitionId) add(`${list}[${at}].ActionDefinitionId`, t.actions.required);
  if (values.timeConditions?.DaysOfMonth?.some((day) => !Number.isInteger(day) || day < 1 || day > 31))
    add('timeConditions.DaysOfMonth', t.time.daysOfMonthWrong);
  for (const name of whole) {
    const result = fields[name].schema().safeParse(wire[name]);
    for (const issue of result.success === false ? result.error.issues : []) {
      const target = targetOf([name, ...issue.path]);
      // An error of a field hides the errors of its parts.
      if (![...problems.keys()].some((other) => target.startsWith(other) || other.startsWith(target))) add(target, issue.message);
    }
  }
  return problems;
}

import { evaluatedRuleTypes, ruleTypes } from '@cloudfit/contract/enums.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import { notify } from '../../db/notify.ts';
import { serve, type Wrong } from '../../resources/served.ts';

const evaluated: readonly number[] = Object.values(evaluatedRuleTypes);

/** An enabled rule that nothing evaluates would look like one that never matches. */
function notEvaluated(rule: { enabled: boolean; ruleTypeId: number }): Wrong[] {
  if (!rule.enabled || evaluated.includes(rule.ruleTypeId)) return [];
  const type = ruleTypes.find((t) => t.value === rule.ruleTypeId)?.label ?? '';
  return [{ target: 'enabled', message: `Rules of type ${type} are not evaluated in this version; save this one disabled.` }];
}

export const servedRules = serve(rules, 'rule', {
  check: (_ctx, { verb, after }) => (verb === 'delete' ? [] : [...validateRule(after), ...notEvaluated(after)]),
  after: (ctx, { after }) => notify(ctx.db, 'rules', [after.ruleId]),
});

export const servedRuleMatches = serve(ruleMatches, 'rule_match');

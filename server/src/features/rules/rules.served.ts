import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { validateRule } from '@cloudfit/contract/rules/validate.ts';
import { notify } from '../../db/notify.ts';
import { serve } from '../../resources/served.ts';

export const servedRules = serve(rules, 'rule', {
  check: (_ctx, { verb, after }) => (verb === 'delete' ? [] : validateRule(after)),
  after: (ctx, { after }) => notify(ctx.db, 'rules', [after.ruleId]),
});

export const servedRuleMatches = serve(ruleMatches, 'rule_match');

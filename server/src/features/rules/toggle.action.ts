import { toggleRule } from '@cloudfit/contract/actions/toggles.ts';
import { implement } from '../../resources/action.ts';
import { update } from '../../resources/update.ts';
import { servedRules } from './rules.served.ts';

export const toggleRuleAction = implement(toggleRule, (ctx, { id }) =>
  update(ctx, servedRules, id, (rule) => ({ enabled: !rule.enabled })),
);

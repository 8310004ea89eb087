import { toggleRule } from '@cloudfit/contract/actions/toggles.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { implement } from '../../resources/action.ts';
import { update } from '../../resources/update.ts';
import { servedOf } from '../../resources/served.ts';

export const toggleRuleAction = implement(toggleRule, (ctx, { id }) =>
  update(ctx, servedOf(rules), id, (rule) => ({ enabled: !rule.enabled })),
);

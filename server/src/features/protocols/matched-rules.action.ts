import { matchedRules } from '@cloudfit/contract/actions/automation.ts';
import { implementList } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedProtocols } from './protocols.served.ts';
import { assignedRules } from './uses.ts';

export const matchedRulesAction = implementList(matchedRules, async (ctx, { id }, t) => {
  await get(ctx, servedProtocols, id);
  return assignedRules(id, t);
});

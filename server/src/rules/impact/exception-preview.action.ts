/** For which devices an exception would hold, before it is saved. */
import { previewRuleException } from '@cloudfit/contract/rules/exceptions/calls.ts';
import { compiledOrNone } from '@cloudfit/contract/rules/compile.ts';
import { selects } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import { exceptionChooser } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { servedRules } from '../../features/rules/rules.served.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { exceptionsInForce, type PastException } from '../past/exceptions.ts';
import type { Entity } from '../run/entity.ts';
import { devicesOf, viewedTenants } from './of-rule.ts';

const shownFirst = 5;
/** Sorts after every id, as a new row does. */
const newId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export const previewRuleExceptionAction = implement(previewRuleException, async (ctx, { ruleId, ruleExceptionId, ...input }) => {
  const rule = await get(ctx, servedRules, ruleId);
  const compiled = compiledOrNone({ ...rule, tenantId: '' });
  const now = ctx.now().toISOString();
  const draft: PastException = {
    ruleExceptionId: ruleExceptionId ?? newId,
    ruleId,
    appliesTo: input.appliesTo,
    tenantId: input.tenantId ?? null,
    tenantGroupId: input.tenantGroupId ?? null,
    subscriptionId: input.subscriptionId ?? null,
    locationId: input.locationId ?? null,
    tag: input.tag ?? null,
    entityName: input.entityName ?? null,
    deviceId: input.deviceId ?? null,
    rank: input.rank,
    isOff: false,
    ownValues: null,
    matchLifetime: null,
    severityId: null,
    reason: '',
    modifiedBy: '',
    until: null,
    created: now,
    modified: now,
  };
  const concerned: Entity[] = [];
  const others = new Map<PastException, number>();
  const ofRule = await viewedTenants(ctx, rule);
  for (const tenantId of await viewedTenants(ctx, draft)) {
    if (!compiled || !ofRule.has(tenantId)) continue;
    const exceptions = (await exceptionsInForce(ctx.db, tenantId, ruleId)).filter(
      (stored) => stored.ruleExceptionId !== draft.ruleExceptionId,
    );
    const [fits, choose] = [exceptionChooser([draft]), exceptionChooser([...exceptions, draft])];
    for (const device of await devicesOf(ctx, tenantId, false)) {
      if (!fits(device) || !selects({ ...compiled, tenantId }, device)) continue;
      const chosen = choose(device);
      if (chosen === draft || !chosen) concerned.push(device);
      else others.set(chosen, (others.get(chosen) ?? 0) + 1);
    }
  }
  return {
    devices: concerned.length,
    first: concerned.slice(0, shownFirst).map(({ id, name, tenantId }) => ({ id, name, tenantId })),
    yieldsTo: [...others].map(([{ ruleExceptionId: id, appliesTo, tag, entityName }, devices]) => ({
      ruleExceptionId: id,
      appliesTo,
      target: tag ?? entityName,
      devices,
    })),
  };
});

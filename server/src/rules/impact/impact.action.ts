/** Returns what a change touches before it is saved. */
import { notFound } from '@cloudfit/contract/errors.ts';
import { impactOf } from '@cloudfit/contract/impact/calls.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { packageVersions } from '@cloudfit/contract/resources/package-versions.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { tenants } from '@cloudfit/contract/resources/tenants.ts';
import { may } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedOf } from '../../resources/served.ts';
import { impactOfRule } from './of-rule.ts';
import { impactOfAction, impactOfCustomFields, impactOfPackage, impactOfProtocol, impactOfVersion } from './of-uses.ts';

export const impactAction = implement(impactOf, async (ctx, { entity, id, change, rule, enabled, fields }) => {
  switch (entity) {
    case 'rules': {
      const before = await get(ctx, servedOf(rules), id);
      if (rule && !may(ctx, 'CloudFit.CFS.Rules:view', rule.tenantId ?? undefined)) throw notFound('Tenant');
      const isGone = change === 'delete' || !enabled;
      return { groups: await impactOfRule(ctx, before, isGone ? undefined : rule ? { ...rule, ruleId: id } : before) };
    }
    case 'actionDefinitions':
      return { groups: await impactOfAction(ctx, { id, tenantId: (await get(ctx, servedOf(actionDefinitions), id)).tenantId }) };
    case 'protocols':
      return { groups: await impactOfProtocol(ctx, { id, tenantId: (await get(ctx, servedOf(protocols), id)).tenantId }) };
    case 'packages':
      return { groups: await impactOfPackage(ctx, { id, tenantId: (await get(ctx, servedOf(packages), id)).tenantId }) };
    case 'packageVersions':
      return { groups: await impactOfVersion(ctx, { id, tenantId: (await get(ctx, servedOf(packageVersions), id)).tenantId }) };
    case 'tenants':
      await get(ctx, servedOf(tenants), id);
      return { groups: await impactOfCustomFields(ctx, id, fields) };
  }
});

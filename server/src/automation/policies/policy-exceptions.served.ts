/** Exceptions of devices from policies: who may make them, what is refused, and that the device is compared at once and at the end. */
import { thingsOf, type PolicyContent } from '@cloudfit/contract/policies/effective.ts';
import { policyExceptions } from '@cloudfit/contract/resources/policies.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actorName, type Ctx } from '../../context/ctx.ts';
import { changed as noted } from '../../db/changed.ts';
import { serve, type FieldError } from '../../resources/served.ts';
import { requestChecks } from './checks.ts';
import { labelsOf } from './labels.ts';
import { policyColumns } from './policies-of-device.ts';

type PolicyExceptionRow = Row<typeof policyExceptions>;

async function tenantOf(ctx: Ctx, deviceId: string): Promise<string | undefined> {
  const [device] = await ctx.db.query<{ tenantId: string }>({
    name: 'policy-exception-device',
    text: 'select tenant_id as "tenantId" from device where device_id = $1 and not is_deleted',
    values: [deviceId],
  });
  return device?.tenantId;
}

// The lock lasts until the exception is written, so that the policy is not deleted meanwhile.
const policyText = `select ${policyColumns}, p.tenant_id is not distinct from $2 or rule_is_for(p.tenant_id, p.tenant_group_id, $2) as "isFor"
from device_policy p where p.policy_id = $1 and not p.is_deleted for key share`;

type PolicyOfException = PolicyContent & { isFor: boolean | null };

async function policyOf(
  ctx: Ctx,
  { policyId, tenantId }: Pick<PolicyExceptionRow, 'policyId' | 'tenantId'>,
): Promise<PolicyOfException | undefined> {
  const [policy] = await ctx.db.query<PolicyOfException>({
    name: 'policy-exception-policy',
    text: policyText,
    values: [policyId, tenantId],
  });
  return policy;
}

const sameText = `select reason from policy_exception where policy_id = $1 and device_id = $2 and (thing is null or $3::text is null or thing = $3)
  and (until is null or until > $4::timestamptz) limit 1`;

async function problems(ctx: Ctx, exception: PolicyExceptionRow): Promise<FieldError[]> {
  const { policyId, deviceId, tenantId } = exception;
  if (!tenantId) return [{ target: 'deviceId', message: 'Device was not found.' }];
  const policy = await policyOf(ctx, exception);
  if (!policy) return [{ target: 'policyId', message: 'Policy was not found.' }];
  if (!policy.isFor) return [{ target: 'policyId', message: `${policy.name} is not for the tenant of this device.` }];
  const thing = exception.thing ?? null;
  if (thing !== null && !thingsOf(policy).some(({ key }) => key === thing))
    return [
      { target: 'thing', message: `${policy.name} does not set this. Leave the thing out to except the device from all of the policy.` },
    ];
  const [same] = await ctx.db.query<{ reason: string }>({
    name: 'policy-exception-same',
    text: sameText,
    values: [policyId, deviceId, thing, ctx.now().toISOString()],
  });
  return same ? [{ target: 'deviceId', message: `This is excepted already: ${same.reason}. Change that exception.` }] : [];
}

const isPast = (ctx: Ctx, until: string | null | undefined): boolean =>
  typeof until === 'string' && Date.parse(until) <= ctx.now().getTime();

const againText = `with again as (
  update policy_exception set is_over = false where policy_exception_id = $1 and is_over returning tenant_id, policy_exception_id
)
${noted(policyExceptions, 'update', 'again', '$2')}`;

export const servedPolicyExceptions = serve(policyExceptions, 'policy_exception', {
  fill: async (ctx, { verb, after }) => {
    if (verb !== 'create') return {};
    const tenantId = await tenantOf(ctx, after.deviceId);
    const by = { createdBy: actorName(ctx) };
    if (tenantId === undefined || !after.thing) return { ...by, ...(tenantId === undefined ? {} : { tenantId }) };
    const policy = await policyOf(ctx, { policyId: after.policyId, tenantId });
    const thing = policy && thingsOf(policy).find(({ key }) => key === after.thing);
    const labels = thing ? await labelsOf(ctx.db, [thing]) : undefined;
    return { ...by, tenantId, label: labels?.get(after.thing) ?? null };
  },
  check: async (ctx, { verb, after, changed }) => {
    if (verb === 'delete') return [];
    if ((verb === 'create' || changed.includes('until')) && isPast(ctx, after.until))
      return [{ target: 'until', message: 'The end of an exception is in the future. To end it now, remove it.' }];
    return verb === 'create' ? problems(ctx, after) : [];
  },
  after: async (ctx, { verb, after }) => {
    // An end that was moved is carried out again.
    if (verb === 'update')
      await ctx.db.query({
        name: 'policy-exception-again',
        text: againText,
        values: [after.policyExceptionId, ctx.correlationId],
      });
    await requestChecks(ctx, [after.deviceId]);
  },
});

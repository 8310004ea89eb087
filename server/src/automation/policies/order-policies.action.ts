/** The order in which policies win: what another one would change, and putting it into force. Devices are compared again at once on request. */
import { mendPolicy, orderPolicies, previewPolicyOrder } from '@cloudfit/contract/policies/calls.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { inOrder } from '@cloudfit/contract/policies/effective.ts';
import { ranksInOrder } from '@cloudfit/contract/policies/order.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { actorName, inTransaction, may, requirePermission, tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { update } from '../../resources/update.ts';
import { requestMending } from './checks.ts';
import { planOrder } from './plan.ts';
import { servedPolicies } from './policies.served.ts';
import { servedOf } from '../../resources/served.ts';

interface StoredPolicy {
  policyId: string;
  name: string;
  rank: number;
  tenantId: string | null;
  isGoingOut: boolean;
}

const policiesText = `select p.policy_id as "policyId", p.name, p.rank, p.tenant_id as "tenantId",
  exists (select from policy_rollout r where r.policy_id = p.policy_id and r.ended is null) as "isGoingOut"
from device_policy p where p.policy_id = any($1::uuid[]) and not p.is_deleted`;

/** The new ranks, and the policies by id. */
async function ranksOf(ctx: Ctx, ids: readonly string[]) {
  const rows = await ctx.db.query<StoredPolicy>({ name: 'policies-ordered', text: policiesText, values: [ids] });
  const byId = new Map(rows.map((row) => [row.policyId, row]));
  const problem = (message: string) => validationFailed([{ target: 'policyIds', message }]);
  if (new Set(ids).size !== ids.length) throw problem('A policy is in the order twice. Send each of them once.');
  const order = ids.map((id) => {
    const policy = byId.get(id);
    if (!policy) throw problem('A policy of the order was not found. Load the list again.');
    return { ...policy, isFixed: policy.isGoingOut || !may(ctx, permission('Devices', 'edit'), policy.tenantId) };
  });
  if (inOrder(order).every(({ policyId }, at) => policyId === ids[at])) return { ranks: new Map<string, number>(), byId };
  const ranks = ranksInOrder(order);
  if (!ranks)
    throw problem(
      'This order would move a policy that is going out in rings, or that you may not edit, or there is no number between two of these. Choose another place.',
    );
  return { ranks, byId };
}

export const previewOrder = implement(previewPolicyOrder, async (ctx, { policyIds }) => {
  const { ranks, byId } = await ranksOf(ctx, policyIds);
  return {
    ranks: [...ranks].map(([policyId, rank]) => {
      const { name = '', rank: before = rank } = byId.get(policyId) ?? {};
      return { policyId, name, rank, before };
    }),
    changes: ranks.size === 0 ? [] : await planOrder(ctx, ranks),
  };
});

export const putInOrder = implement(orderPolicies, (ctx, { policyIds }) =>
  inTransaction(ctx, async (ctx) => {
    const { ranks } = await ranksOf(ctx, policyIds);
    // In one order for all, so that two people who order at once do not lock each other out.
    for (const [policyId, rank] of [...ranks].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      await update(ctx, servedOf(policies), policyId, { rank });
    return { changed: ranks.size };
  }),
);

export const mend = implement(mendPolicy, (ctx, { id, deviceId = null }) =>
  inTransaction(ctx, async (ctx) => {
    const policy = await get(ctx, servedPolicies, id);
    const edit = permission('Devices', 'edit');
    if (deviceId !== null) {
      const device = await get(ctx, servedDevices, deviceId);
      requirePermission(ctx, 'Devices', 'edit', device.tenantId);
    }
    const scope = tenantScopeWith(ctx, [edit]);
    const tenants = policy.tenantId ? (may(ctx, edit, policy.tenantId) ? [policy.tenantId] : []) : scope === 'all' ? null : [...scope];
    const devices = await requestMending(ctx, id, policy.deviceSelectionId, { deviceId, tenants });
    if (deviceId !== null && devices === 0)
      throw validationFailed([{ target: 'deviceId', message: `The device has nothing from ${policy.name}.` }]);
    await recordAudit(ctx.db, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'mend',
      entity: 'policies',
      entityId: id,
      tenantId: policy.tenantId ?? null,
      after: { deviceId, devices },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return { devices };
  }),
);

/** What saving a policy would change on its devices. Devices with the same policies are calculated once. */
import type { z } from 'zod';
import type { previewPolicy, previewPolicyOrder } from '@cloudfit/contract/policies/calls.ts';
import {
  effectiveItems,
  inOrder,
  setsSame,
  thingsOf,
  type EffectiveItem,
  type PolicyContent,
  type PolicyThing,
} from '@cloudfit/contract/policies/effective.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { TenantPlace } from '../places.ts';
import { labelsOf } from './labels.ts';
import { policyColumns } from './policies-of-device.ts';

export type PolicyPlan = z.infer<NonNullable<(typeof previewPolicy)['output']>>;

export interface PlannedPolicy extends PolicyContent, TenantPlace {
  deviceSelectionId: string;
  enabled: boolean;
}

/** The policies that are in force. */
const othersText = `select ${policyColumns}, s.device_selection_id as "deviceSelectionId", p.tenant_id as "tenantId", p.tenant_group_id as "tenantGroupId", p.enabled
from device_policy p join device_selection s on s.device_selection_id = p.device_selection_id where p.enabled and not p.is_deleted`;

/** $1: the selections that the policy is for before and after, $2: all selections of policies. */
const groupsText = `select tenant_id as "tenantId", selections, exceptions, count(*)::int as devices, (array_agg(device_id::text order by device_id))[1:3] as some from (
  select m.tenant_id, m.device_id, array_agg(m.device_selection_id::text order by m.device_selection_id) as selections,
    (select array_agg(concat(x.policy_id, ' ', coalesce(x.thing, '*')) order by 1) from policy_exception x
      where x.tenant_id = m.tenant_id and x.device_id = m.device_id and (x.until is null or x.until > now())) as exceptions
  from selection_member m where m.device_selection_id = any($2::uuid[])
    and m.device_id in (select device_id from selection_member where device_selection_id = any($1::uuid[]))
  group by m.tenant_id, m.device_id) d group by 1, 2, 3`;

/** Devices with the same policies and exceptions. */
interface DeviceGroup {
  tenantId: string;
  selections: string[];
  exceptions: string[] | null;
  devices: number;
  /** A few of them. */
  some: string[];
}

/** The policies that hold for the devices of a group, without what they except. */
function holding<P extends PlannedPolicy>(
  policies: readonly P[],
  { tenantId, selections, exceptions }: DeviceGroup,
  isIn: (place: TenantPlace, tenantId: string) => boolean,
): (P & { except: readonly string[] })[] {
  const of = (policyId: string) =>
    (exceptions ?? []).flatMap((text) => (text.startsWith(`${policyId} `) ? text.slice(policyId.length + 1) : []));
  return policies.flatMap((policy) => {
    const except = of(policy.policyId);
    const holds = policy.enabled && selections.includes(policy.deviceSelectionId) && isIn(policy, tenantId) && !except.includes('*');
    return holds ? [{ ...policy, except }] : [];
  });
}

const groupTenantsText = `select tenant_group_id as id, tenant_ids as tenants from tenant_group where tenant_group_id = any($1::uuid[])`;

/** Returns whether a place has a tenant. */
async function placesOf(ctx: Ctx, all: readonly TenantPlace[]): Promise<(place: TenantPlace, tenantId: string) => boolean> {
  const ids = all.flatMap(({ tenantGroupId }) => tenantGroupId ?? []);
  const groups =
    ids.length === 0
      ? []
      : await ctx.db.query<{ id: string; tenants: string[] }>({ name: 'policy-plan-groups', text: groupTenantsText, values: [ids] });
  const members = new Map(groups.map(({ id, tenants }) => [id, new Set(tenants)]));
  return ({ tenantId, tenantGroupId }, of) =>
    tenantId ? tenantId === of : tenantGroupId ? (members.get(tenantGroupId)?.has(of) ?? false) : true;
}

type Counted = Map<string, { thing: PolicyThing; devices: number }>;

function count(to: Counted, thing: PolicyThing, devices: number): void {
  to.set(thing.key, { thing, devices: (to.get(thing.key)?.devices ?? 0) + devices });
}

/** What the devices have with `after` in place of `before`, of the things that they have from policies. */
export async function planPolicy(ctx: Ctx, planned: PlannedPolicy): Promise<PolicyPlan> {
  const stored = await ctx.db.query<PlannedPolicy>({ name: 'policy-plan-others', text: othersText });
  const before = stored.find(({ policyId }) => policyId === planned.policyId);
  const others = stored.filter(({ policyId }) => policyId !== planned.policyId);
  const selections = [planned.deviceSelectionId, ...(before ? [before.deviceSelectionId] : [])];
  const all = [...new Set([...selections, ...others.map(({ deviceSelectionId }) => deviceSelectionId)])];
  const groups = await ctx.db.query<DeviceGroup>({ name: 'policy-plan-devices', text: groupsText, values: [selections, all] });
  const isIn = await placesOf(ctx, [planned, ...stored]);

  const [gains, losses, changes]: Counted[] = [new Map(), new Map(), new Map()] as [Counted, Counted, Counted];
  const conflicts = new Map<string, { thing: PolicyThing; devices: number; other: PlannedPolicy; wins: boolean }>();
  const totals = { devices: 0, before: 0 };
  const things = thingsOf(planned);
  for (const group of groups) {
    const { devices } = group;
    const rest = holding(others, group, isIn);
    const [had] = before ? holding([before], group, isIn) : [];
    const [has] = holding([planned], group, isIn);
    if (!had && !has) continue;
    if (has) totals.devices += devices;
    if (had) totals.before += devices;
    const was = effectiveItems(had ? [...rest, had] : rest);
    const now = effectiveItems(has ? [...rest, has] : rest);
    compare(was, now, (kind, thing) => count(kind === 'gain' ? gains : kind === 'loss' ? losses : changes, thing, devices));
    if (!has) continue;
    const order = inOrder([...rest, has]);
    for (const other of rest) {
      const theirs = new Map(thingsOf(other).map((thing) => [thing.key, thing]));
      for (const thing of things) {
        const their = theirs.get(thing.key);
        if (!their || setsSame(their, thing) || has.except.includes(thing.key) || other.except.includes(thing.key)) continue;
        const key = `${thing.key} ${other.policyId}`;
        const wins = order.indexOf(has) < order.indexOf(other);
        conflicts.set(key, { thing, other, wins, devices: (conflicts.get(key)?.devices ?? 0) + devices });
      }
    }
  }
  const labels = await labelsOf(
    ctx.db,
    [...gains, ...losses, ...changes, ...conflicts].map(([, item]) => item.thing),
  );
  const reported = ({ thing: { kind, key }, devices }: { thing: PolicyThing; devices: number }) => ({
    kind,
    key,
    label: labels.get(key) ?? key,
    devices,
  });
  const listed = (counted: Counted) =>
    [...counted.values()].map(reported).toSorted((a, b) => b.devices - a.devices || (a.key < b.key ? -1 : 1));
  return {
    ...totals,
    gains: listed(gains),
    losses: listed(losses),
    changes: listed(changes),
    conflicts: [...conflicts.values()].map(({ other, wins, ...item }) => ({
      ...reported(item),
      policyId: other.policyId,
      policyName: other.name,
      wins,
    })),
  };
}

function compare(
  was: ReadonlyMap<string, EffectiveItem>,
  now: ReadonlyMap<string, EffectiveItem>,
  tell: (kind: 'gain' | 'loss' | 'change', thing: PolicyThing) => void,
): void {
  for (const [key, item] of now) {
    const old = was.get(key);
    if (!old) tell('gain', item);
    else if (!setsSame(old, item)) tell('change', item);
  }
  // A device keeps what a policy sets that says so.
  for (const [key, item] of was) if (!now.has(key) && item.onLeave === 'Remove') tell('loss', item);
}

type PlannedOrder = z.infer<NonNullable<(typeof previewPolicyOrder)['output']>>['changes'];

/** What devices have otherwise when policies get these ranks. */
export async function planOrder(ctx: Ctx, ranks: ReadonlyMap<string, number>): Promise<PlannedOrder> {
  const stored = await ctx.db.query<PlannedPolicy>({ name: 'policy-plan-others', text: othersText });
  const moved = stored.map((policy) => ({ ...policy, rank: ranks.get(policy.policyId) ?? policy.rank }));
  const selections = [...new Set(stored.map(({ deviceSelectionId }) => deviceSelectionId))];
  const groups = await ctx.db.query<DeviceGroup>({ name: 'policy-plan-devices', text: groupsText, values: [selections, selections] });
  const isIn = await placesOf(ctx, stored);
  const names = new Map(stored.map(({ policyId, name }) => [policyId, name]));
  const changes = new Map<string, { thing: EffectiveItem; insteadOf: string; devices: number; some: string[] }>();
  for (const group of groups) {
    const was = effectiveItems(holding(stored, group, isIn));
    for (const [key, item] of effectiveItems(holding(moved, group, isIn))) {
      const old = was.get(key);
      if (!old || setsSame(old, item)) continue;
      const id = `${key} ${item.policyId} ${old.policyId}`;
      const change = changes.get(id) ?? { thing: item, insteadOf: old.policyId, devices: 0, some: [] };
      changes.set(id, { ...change, devices: change.devices + group.devices, some: [...change.some, ...group.some].slice(0, 3) });
    }
  }
  const all = [...changes.values()];
  const labels = await labelsOf(
    ctx.db,
    all.map(({ thing }) => thing),
  );
  const rows = await ctx.db.query<{ id: string; name: string }>({
    name: 'policy-plan-names',
    text: 'select device_id as id, name from device where device_id = any($1::uuid[])',
    values: [all.flatMap(({ some }) => some)],
  });
  const devices = new Map(rows.map(({ id, name }) => [id, name]));
  return all
    .map(({ thing: { kind, key, policyId }, insteadOf, devices: count, some }) => ({
      kind,
      key,
      label: labels.get(key) ?? key,
      devices: count,
      names: some.flatMap((id) => devices.get(id) ?? []),
      policyName: names.get(policyId) ?? '',
      insteadOf: names.get(insteadOf) ?? '',
    }))
    .toSorted((a, b) => b.devices - a.devices || (a.key < b.key ? -1 : 1));
}

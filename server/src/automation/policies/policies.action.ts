/** The calls about selections and policies: who would be in, what would change, and what a device has. */
import { previewPolicy, previewSelection, policyStateOfDevice } from '@cloudfit/contract/policies/calls.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { effectiveItems } from '@cloudfit/contract/policies/effective.ts';
import type { ItemValue } from '@cloudfit/contract/policies/effective.ts';
import type { policies } from '@cloudfit/contract/resources/policies.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { requirePermission, type Ctx } from '../../context/ctx.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { list } from '../../resources/list.ts';
import { inPlace } from '../places.ts';
import { devicesOfFilter } from '../selections/members.ts';
import { reasonsOf } from '../selections/reasons.ts';
import { itemsOfDevice, policiesOfDevice } from './policies-of-device.ts';
import { planPolicy } from './plan.ts';
import { mend, previewOrder, putInOrder } from './order-policies.action.ts';
import { policyOfCampaign, rollOut } from './roll-out.action.ts';
import { fromTemplate } from './from-template.action.ts';
import { policyProblems, servedPolicies } from './policies.served.ts';

/** The number of devices that a preview names. */
const namedMax = 20;

const selection = implement(previewSelection, async (ctx, { tenantId, tenantGroupId, filter }) => {
  if (/\bselections\//.test(filter))
    throw validationFailed([
      { target: 'filter', message: 'The filter of a selection names no other selection. Write the conditions of that one instead.' },
    ]);
  try {
    const place = { tenantId, tenantGroupId };
    const { count } = await devicesOfFilter(ctx, { ...place, filter });
    const { value } = await list(
      ctx,
      servedDevices,
      `$filter=${encodeURIComponent(filter)}&$expand=tenant($select=name)&$top=${namedMax}&$orderby=name`,
      {
        narrow: inPlace(place),
      },
    );
    const devices = value.map((row) => ({
      deviceId: row.deviceId,
      name: row.name,
      tenantId: row.tenantId,
      tenantName: (row as typeof row & { tenant?: { name: string } | null }).tenant?.name ?? '',
    }));
    return { count, devices };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 403) throw error;
    throw validationFailed([{ target: 'filter', message: error.details[0]?.message ?? error.message }]);
  }
});

const draftId = '00000000-0000-0000-0000-000000000000';

const plan = implement(previewPolicy, async (ctx, input) => {
  requirePermission(ctx, 'Devices', 'edit', input.tenantId ?? null);
  const stored = input.policyId ? await get(ctx, servedPolicies, input.policyId) : undefined;
  const planned = {
    name: stored?.name ?? '',
    onLeave: stored?.onLeave ?? ('Remove' as const),
    ...input,
    policyId: stored?.policyId ?? draftId,
    tenantId: input.tenantId ?? null,
    tenantGroupId: input.tenantGroupId ?? null,
    operations: input.operations ?? [],
    packages: input.packages ?? [],
    tags: input.tags ?? null,
    heartbeatInterval: input.heartbeatInterval ?? null,
    ruleValues: input.ruleValues ?? null,
    forbidsOthers: input.forbidsOthers ?? false,
  };
  const problems = await policyProblems(ctx, planned as unknown as Row<typeof policies>);
  if (problems.length > 0) throw validationFailed([...problems]);
  return planPolicy(ctx, planned);
});

const stateText = `select (select problem from policy_check where device_id = $1) as problem, exists (select from policy_check where device_id = $1) as "isPending"`;

interface Excepted {
  policyExceptionId: string;
  policyName: string;
  label: string | null;
  until: string | null;
  reason: string;
}

const exceptionsText = `select x.policy_exception_id as "policyExceptionId", p.name as "policyName", x.label,
  to_char(x.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as until, x.reason
from policy_exception x join device_policy p on p.policy_id = x.policy_id and not p.is_deleted
where x.device_id = $1 and (x.until is null or x.until > now()) order by p.name, x.policy_exception_id`;

const versionsText = 'select package_version_id as id, version from package_version where package_version_id = any($1::uuid[])';

/** The value of each item in words. */
async function valuesOf(
  ctx: Ctx,
  items: readonly { key: string; kind: ItemValue['kind']; value: ItemValue['of'] }[],
): Promise<Map<string, string>> {
  const things = items.map(({ key, kind, value }) => ({ key, kind, of: value }) as ItemValue & { key: string });
  const ids = things.flatMap((thing) => (thing.kind === 'Package' ? (thing.of.packageVersionId ?? []) : []));
  const versions = new Map(
    (ids.length === 0
      ? []
      : await ctx.db.query<{ id: string; version: string }>({ name: 'policy-state-versions', text: versionsText, values: [ids] })
    ).map(({ id, version }) => [id, version]),
  );
  return new Map(
    things.map((thing) => {
      switch (thing.kind) {
        case 'Operation':
          return [thing.key, thing.of.interval];
        case 'OtherOperation':
          return [thing.key, ''];
        case 'Package':
          return [
            thing.key,
            thing.of.packageVersionId === null
              ? thing.of.preReleases
                ? 'PreReleases'
                : ''
              : (versions.get(thing.of.packageVersionId) ?? ''),
          ];
        case 'Tag':
          return [thing.key, thing.of];
        case 'Heartbeat':
          return [thing.key, String(thing.of)];
        case 'RuleValue':
          return [thing.key, thing.of.value];
      }
    }),
  );
}

const state = implement(policyStateOfDevice, async (ctx, { id }) => {
  const device = await get(ctx, servedDevices, id);
  const [policies, items, [check], selections, exceptions] = await Promise.all([
    policiesOfDevice(ctx.db, id),
    itemsOfDevice(ctx.db, id),
    ctx.db.query<{ problem: string | null; isPending: boolean }>({ name: 'policy-state', text: stateText, values: [id] }),
    reasonsOf(ctx, device),
    ctx.db.query<Excepted>({ name: 'policy-state-exceptions', text: exceptionsText, values: [id] }),
  ]);
  const effective = effectiveItems(policies);
  const names = new Map(policies.map(({ policyId, name }) => [policyId, name]));
  // Until a device has been compared, it may have things of a policy that no longer holds.
  const others = items.flatMap(({ policyId }) => (names.has(policyId) ? [] : [policyId]));
  if (others.length > 0) for (const [policyId, name] of await namesOf(ctx, others)) names.set(policyId, name);
  const values = await valuesOf(ctx, items);
  return {
    isPending: check?.isPending ?? false,
    problem: check?.problem ?? null,
    selections,
    exceptions,
    policies: policies.map(({ policyId, name, rank, deviceSelectionId, onLeave, rollout }) => ({
      policyId,
      name,
      rank,
      deviceSelectionId,
      onLeave,
      rollout,
    })),
    items: items.map(({ kind, key, label, state, detail, since, mended, mendedOn, policyId }) => ({
      kind,
      key,
      label,
      value: values.get(key) ?? '',
      state,
      detail,
      since,
      mended,
      mendedOn,
      policyId,
      policyName: names.get(policyId) ?? '',
      over: (effective.get(key)?.over ?? []).map((other) => names.get(other) ?? ''),
    })),
  };
});

async function namesOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await ctx.db.query<{ id: string; name: string }>({
    name: 'policy-names',
    text: 'select policy_id as id, name from device_policy where policy_id = any($1::uuid[])',
    values: [[...new Set(ids)]],
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export const policyActions: readonly ImplementedAction[] = [
  selection,
  plan,
  previewOrder,
  putInOrder,
  mend,
  fromTemplate,
  state,
  rollOut,
  policyOfCampaign,
];

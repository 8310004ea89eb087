/**
 * Gives a device what its policies say, and takes from it what they no longer say: in one transaction, by the functions behind what people do
 * on one device, so that the same checks, records and announcements apply. A second run changes nothing.
 */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { effectiveItems, inOrder, setsSame, type EffectiveItem } from '@cloudfit/contract/policies/effective.ts';
import { policyItems } from '@cloudfit/contract/resources/policies.ts';
import type { Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { logDevice } from '../../features/devices/log.served.ts';
import { get } from '../../resources/get.ts';
import { update } from '../../resources/update.ts';
import type { Applied, Device } from './applied.ts';
import { fieldsWith, fieldsWithout, isDeviceField } from './device-fields.ts';
import { labelsOf } from './labels.ts';
import { applyOperation, applyOther, leaveOperation, otherOperations } from './operation-item.ts';
import { applyPackage, leavePackage } from './package-item.ts';
import { itemsOfDevice, policiesOfDevice, type StoredItem } from './policies-of-device.ts';

/** Does the work on one thing; if the server refuses it, undoes that and returns why. */
async function attempt<T>(ctx: Ctx, work: () => Promise<T>): Promise<{ done: T } | { refused: string }> {
  await ctx.db.query({ text: 'savepoint policy_thing' });
  try {
    return { done: await work() };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    await ctx.db.query({ text: 'rollback to savepoint policy_thing' });
    return { refused: error.details[0]?.message ?? error.message };
  }
}

function applyThing(ctx: Ctx, device: Device, item: EffectiveItem, before: StoredItem | undefined): Promise<Applied> {
  if (item.kind === 'Operation') return applyOperation(ctx, device, item.of, before);
  if (item.kind === 'OtherOperation') return applyOther(ctx, item.of, before);
  if (item.kind === 'Package') return applyPackage(ctx, device, item.of, before);
  throw new Error(`A ${item.kind} is a field of the device.`);
}

/** The item if the device has had it from a policy already, so that what it had before is stored. */
const setBefore = (item: StoredItem | undefined): StoredItem | undefined =>
  item && item.state !== 'Kept' && (item.state === 'Set' || item.had !== null || item.deviceOperationId !== null) ? item : undefined;

/**
 * The changed fields of the device are written once, for all of its policies. `stays` is called with what would leave if the server refuses
 * that.
 */
async function applyFields(
  ctx: Ctx,
  device: Device,
  effective: readonly EffectiveItem[],
  stored: readonly StoredItem[],
  stays: (item: StoredItem, why: string) => Promise<void>,
) {
  const results = new Map<string, Applied | { refused: string }>();
  const leaving = stored.filter(
    (item) => isDeviceField(item.kind) && item.onLeave === 'Remove' && !effective.some(({ key }) => key === item.key),
  );
  let fields = fieldsWithout(device, leaving);
  for (const item of effective) {
    if (!isDeviceField(item.kind)) continue;
    const { after, had } = fieldsWith({ ...device, ...fields }, item);
    const isChanged = Object.entries(after).some(([name, value]) => ({ ...device, ...fields })[name as keyof Device] !== value);
    const before = setBefore(stored.find(({ key }) => key === item.key));
    results.set(item.key, { isChanged, ...(before ? {} : { had }) });
    fields = { ...fields, ...after };
  }
  const isNew = Object.entries(fields).some(([name, value]) => device[name as keyof Device] !== value);
  if (!isNew) return results;
  const written = await attempt(ctx, () => update(ctx, servedDevices, device.deviceId, fields));
  if ('refused' in written) {
    for (const key of results.keys()) results.set(key, written);
    for (const item of leaving) await stays(item, written.refused);
  }
  return results;
}

const write = `with gone as (
  delete from policy_item where device_id = $1 and not key = any($2::text[]) and not key = any($7::text[]) returning tenant_id, policy_item_id
), kept as (
  update policy_item set state = 'Kept', since = $4::timestamptz, detail = null where device_id = $1 and key = any($7::text[]) and state <> 'Kept'
  returning tenant_id, policy_item_id
), written as (
  insert into policy_item as i (tenant_id, policy_id, device_id, kind, key, label, value, had, device_operation_id, on_leave, state, detail, since, mended, mended_on)
  select $3, n.policy_id, $1, n.kind, n.key, n.label, n.value, n.had, n.device_operation_id, n.on_leave, n.state, n.detail, $4::timestamptz, 0, null
  from jsonb_to_recordset($5::jsonb) as n (policy_id uuid, kind text, key text, label text, value jsonb, had jsonb, device_operation_id uuid, on_leave text, state text, detail text)
  on conflict (device_id, key) do update set tenant_id = excluded.tenant_id, policy_id = excluded.policy_id, label = excluded.label, value = excluded.value, had = case when i.state = 'Kept' then excluded.had else coalesce(i.had, excluded.had) end,
    device_operation_id = coalesce(excluded.device_operation_id, i.device_operation_id), on_leave = excluded.on_leave, state = excluded.state, detail = excluded.detail,
    since = case when i.state <> 'Kept' and i.value = excluded.value and i.policy_id = excluded.policy_id then i.since else excluded.since end
  where (i.tenant_id, i.policy_id, i.label, i.value, i.on_leave, i.state, i.detail) is distinct from (excluded.tenant_id, excluded.policy_id, excluded.label, excluded.value, excluded.on_leave, excluded.state, excluded.detail)
    or excluded.device_operation_id is not null and i.device_operation_id is distinct from excluded.device_operation_id
  returning i.tenant_id, i.policy_item_id
), noted as (
  ${changed(policyItems, 'delete', 'gone', '$6')}
), noted_too as (
  ${changed(policyItems, 'update', 'kept', '$6')}
)
${changed(policyItems, 'update', 'written', '$6')}`;

const mend = `with again as (
  update policy_item set mended = mended + 1, mended_on = $3 where device_id = $1 and key = any($2::text[]) returning tenant_id, policy_item_id
)
${changed(policyItems, 'update', 'again', '$4')}`;

interface WrittenItem {
  policy_id: string;
  kind: string;
  key: string;
  label: string;
  value: unknown;
  had: unknown;
  device_operation_id: string | null;
  on_leave: string;
  state: string;
  detail: string | null;
}

/** Applies the policies to one device, in the transaction of `ctx`, whose scope is the tenant of the device. */
export async function applyPolicies(ctx: Ctx, deviceId: string): Promise<void> {
  const device = await get(ctx, servedDevices, deviceId, { lock: 'edit' });
  const policies = await policiesOfDevice(ctx.db, deviceId);
  const set = [...effectiveItems(policies).values()];
  const effective = [...set, ...(await otherOperations(ctx, device, policies, set))];
  const stored = await itemsOfDevice(ctx.db, deviceId);
  if (effective.length === 0 && stored.length === 0) return;
  const before = new Map(stored.map((item) => [item.key, item]));
  const isWanted = new Set(effective.map(({ key }) => key));
  const leaving = stored.filter((item) => !isWanted.has(item.key) && item.onLeave === 'Remove');
  /** What a device that left keeps stays in the list of its things, so that people see where it comes from. */
  const leftBehind = stored.filter((item) => !isWanted.has(item.key) && item.onLeave === 'Keep' && item.state !== 'Failed');
  const names = new Map(inOrder(policies).map(({ policyId, name }) => [policyId, name]));
  const by = (policyId: string): Ctx => ({
    ...ctx,
    actor: { kind: 'system', id: null, name: `Policy ${names.get(policyId) ?? ''}`.trim() },
  });

  const refusedToLeave = new Set<string>();
  const stays = async (item: StoredItem, why: string) => {
    refusedToLeave.add(item.key);
    await logDevice(ctx, { tenantId: device.tenantId, deviceId, detail: `${item.label} of a policy stays: ${why}` });
  };
  const leave = async (item: StoredItem, work: () => Promise<void>) => {
    const result = await attempt(ctx, work);
    if ('refused' in result) await stays(item, result.refused);
  };
  for (const item of leaving) if (item.kind.endsWith('Operation')) await leave(item, () => leaveOperation(by(item.policyId), item));

  const labels = await labelsOf(ctx.db, effective);
  const results = await applyFields({ ...ctx, actor: { kind: 'system', id: null, name: 'Policies' } }, device, effective, stored, stays);
  // Packages come before the operations that need them, which otherwise would request the newest version.
  for (const kind of ['Package', 'Operation', 'OtherOperation'] as const)
    for (const item of effective) {
      if (item.kind !== kind) continue;
      const result = await attempt(ctx, () => applyThing(by(item.policyId), device, item, setBefore(before.get(item.key))));
      results.set(item.key, 'done' in result ? result.done : result);
    }
  for (const item of leaving) if (item.kind === 'Package') await leave(item, () => leavePackage(by(item.policyId), device, item));

  const written = effective.map((item): WrittenItem => {
    const result = results.get(item.key) ?? { refused: 'This kind of thing is not set.' };
    const isRefused = 'refused' in result;
    return {
      policy_id: item.policyId,
      kind: item.kind,
      key: item.key,
      label: labels.get(item.key) ?? item.key,
      value: item.of,
      had: isRefused ? null : (result.had ?? null),
      device_operation_id: isRefused ? null : (result.deviceOperationId ?? null),
      on_leave: item.onLeave,
      state: isRefused ? 'Failed' : 'Set',
      detail: isRefused ? result.refused : null,
    };
  });
  await ctx.db.query({
    name: 'policy-items-write',
    text: write,
    values: [
      deviceId,
      [...isWanted, ...refusedToLeave],
      device.tenantId,
      ctx.now().toISOString(),
      JSON.stringify(written),
      ctx.correlationId,
      leftBehind.map(({ key }) => key),
    ],
  });
  await recordMending(ctx, device, effective, before, results, labels);
}

/** Counts and logs what had been changed on the device although its policies said the same as now. */
async function recordMending(
  ctx: Ctx,
  { tenantId, deviceId }: Device,
  effective: readonly EffectiveItem[],
  before: ReadonlyMap<string, StoredItem>,
  results: ReadonlyMap<string, Applied | { refused: string }>,
  labels: ReadonlyMap<string, string>,
): Promise<void> {
  const mended = effective.filter((item) => {
    const [was, result] = [before.get(item.key), results.get(item.key)];
    if (!was || was.state !== 'Set' || !result || 'refused' in result || !result.isChanged) return false;
    return was.policyId === item.policyId && setsSame({ kind: item.kind, of: was.value } as EffectiveItem, item);
  });
  if (mended.length === 0) return;
  const keys = mended.map(({ key }) => key);
  await ctx.db.query({ name: 'policy-items-mended', text: mend, values: [deviceId, keys, ctx.now().toISOString(), ctx.correlationId] });
  const what = keys.map((key) => labels.get(key) ?? key).join(', ');
  await logDevice(ctx, { tenantId, deviceId, detail: `Set again as the policies say: ${what}.` });
}

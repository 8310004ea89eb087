/**
 * Orders to agents to uninstall themselves. An order is a row that the sign-in of the machine answers, signed; it outlives the device and
 * the customer, so that a machine that was off is told when it comes back.
 */
import type { Ctx } from '../../context/ctx.ts';

/** How long a machine that is off is told when it comes back. */
const uninstallDays = 90;

const order = `insert into uninstall_order (tenant_id, device_id, offboarding_id, registration_id, public_key, audience, until)
select d.tenant_id, d.device_id, $2, p.pending_device_id, p.public_key, p.audience, $3::timestamptz + make_interval(days => $4)
from device d join pending_device p on p.device_id = d.device_id and p.tenant_id = d.tenant_id
where d.device_id = any($1::uuid[]) and not d.is_deleted and p.public_key is not null and p.audience is not null
on conflict (registration_id) do update set uninstall_order_id = uuidv7(), device_id = excluded.device_id, offboarding_id = excluded.offboarding_id, public_key = excluded.public_key,
  audience = excluded.audience, until = excluded.until, report = null, reported_on = null, created = now()
returning device_id as id`;

/**
 * Orders the agents of these devices to uninstall themselves when they next sign in; returns the devices that have an agent. The caller
 * cuts the devices off in the same transaction. `from`: when the days begin in which machines are told.
 */
export async function orderUninstalls(
  ctx: Ctx,
  deviceIds: readonly string[],
  { offboardingId = null, from }: { offboardingId?: string | null; from: string },
): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string | null }>({
    name: 'uninstall-order',
    text: order,
    values: [deviceIds, offboardingId, from, uninstallDays],
  });
  return rows.flatMap(({ id }) => id ?? []);
}

/** Withdraws an order that no agent has reported to have carried out. */
export async function withdrawUninstall(ctx: Ctx, deviceId: string): Promise<void> {
  await ctx.db.query({
    name: 'uninstall-withdraw',
    text: 'delete from uninstall_order where device_id = $1 and reported_on is null',
    values: [deviceId],
  });
}

/** What is left of the orders of a customer that is being deleted says nothing of it. Those that are done go with its rows. */
export async function keepOpenOrders(ctx: Ctx, tenantId: string): Promise<void> {
  await ctx.db.query({
    name: 'uninstall-keep',
    text: `update uninstall_order set tenant_id = null, device_id = null, until = $2::timestamptz + make_interval(days => $3) where tenant_id = $1 and reported_on is null`,
    values: [tenantId, ctx.now().toISOString(), uninstallDays],
  });
}

/** What a device depends on: another device of its tenant, without a cycle. */
import type { Ctx } from '../../context/ctx.ts';
import type { FieldError } from '../../resources/served.ts';

interface Dependent {
  deviceId: string;
  name: string;
  tenantId: string;
  parentDeviceId: string | null;
}

const longestChain = 20;

const chain = `with recursive up as (
  select device_id, name, tenant_id, parent_device_id, 1 as depth from device where device_id = $1
  union all
  select d.device_id, d.name, d.tenant_id, d.parent_device_id, u.depth + 1 from up u join device d on d.device_id = u.parent_device_id where u.depth <= ${longestChain} and u.device_id <> $2
)
select device_id as "deviceId", name, tenant_id as "tenantId" from up order by depth`;

/**
 * Returns what is wrong with the chosen parent. Requests that set parents in one tenant are serialised, so that together they
 * cannot make a cycle.
 */
export async function dependencyFaults(ctx: Ctx, { deviceId, name, tenantId, parentDeviceId }: Dependent): Promise<FieldError[]> {
  if (parentDeviceId === null) return [];
  await ctx.db.query({ name: 'dependency-lock', text: 'select pg_advisory_xact_lock(hashtextextended($1, 171))', values: [tenantId] });
  const above = await ctx.db.query<{ deviceId: string; name: string; tenantId: string }>({
    name: 'dependency-chain',
    text: chain,
    values: [parentDeviceId, deviceId],
  });
  const fault = (message: string): FieldError[] => [{ target: 'parentDeviceId', message }];
  const [parent] = above;
  if (parent?.deviceId === deviceId) return fault('A device cannot depend on itself.');
  if (parent && parent.tenantId !== tenantId) return fault(`${parent.name} belongs to another tenant.`);
  if (above.some((device) => device.deviceId === deviceId)) return fault(`${parent?.name ?? ''} depends on ${name} already.`);
  return above.length > longestChain ? fault(`A chain of dependencies has at most ${longestChain} devices.`) : [];
}

const dependents = `select count(*)::int as count, min(name) as name from device where parent_device_id = $1 and not is_deleted`;

/** Returns an error if other devices depend on the device, so that it cannot be deleted or moved to another tenant. */
export async function dependentFaults(ctx: Ctx, device: Pick<Dependent, 'deviceId' | 'name'>, target: string): Promise<FieldError[]> {
  const [row] = await ctx.db.query<{ count: number; name: string | null }>({
    name: 'dependents',
    text: dependents,
    values: [device.deviceId],
  });
  if (!row || row.count === 0) return [];
  const who = row.count === 1 ? `${row.name ?? ''} depends` : `${row.count} devices depend`;
  return [{ target, message: `${who} on ${device.name}: change what they depend on first.` }];
}

/** The operations that a new device of a fitting platform runs from its promotion on. Their packages come with the server. */
import { frequencyType } from '@cloudfit/contract/enums.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { create } from '../../../resources/create.ts';
import { servedDeviceOperations } from './device-operations.served.ts';

/** Package and operation, by the names of their manifests. */
const standard: readonly [packageName: string, operation: string][] = [
  ['System metrics', 'System metrics'],
  ['Inventory', 'Inventory'],
];

interface StandardOperation {
  operation_id: string;
  name: string;
  interval: string;
}

/**
 * Adds the standard operations to a device, and requests the packages of these operations. People may change or remove these
 * operations like any other.
 */
export async function addStandardOperations(ctx: Ctx, deviceId: string): Promise<void> {
  const rows = await ctx.db.query<StandardOperation>({
    name: 'standard-operations',
    text: `select o.operation_id, o.name, lpad((o.default_interval / 3600)::text, 2, '0') || to_char(make_interval(secs => o.default_interval % 3600), ':MI:SS') as interval
      from device d, unnest($2::text[], $3::text[]) as s(package_name, operation_name)
      join package p on p.name = s.package_name and p.is_built_in and p.tenant_id is null
      join operation o on o.package_id = p.package_id and o.name = s.operation_name and not o.is_deleted
      where d.device_id = $1 and (p.operating_system_rids_id in (0, 7) or p.operating_system_rids_id & d.operating_system_id <> 0)
      order by o.name collate natural_order`,
    values: [deviceId, standard.map(([packageName]) => packageName), standard.map(([, operation]) => operation)],
  });
  for (const { operation_id: operationId, name, interval } of rows) {
    const frequencyTypeId = frequencyType.recurring;
    const input = { deviceId, operationId, label: name, enabled: true, frequencyTypeId, interval, parameters: [] };
    const { deviceOperationId } = await create(ctx, servedDeviceOperations, input);
    await ctx.db.query({
      text: 'update device_operation set is_standard = true where device_operation_id = $1',
      values: [deviceOperationId],
    });
  }
}

import { executableTypes, frequencyType, frequencyTypes, labelOf, operationTypes, packageTypes } from '@cloudfit/contract/enums.ts';
import { parameterFaults, type ParameterDefinition } from '@cloudfit/contract/packages/parameters.ts';
import { formatsOfBuiltIn } from '@cloudfit/contract/packages/value-formats.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may, type Ctx } from '../../../context/ctx.ts';
import { serve, type FieldError } from '../../../resources/served.ts';
import { securedEntries } from './agent-secrets.ts';
import { announceConfiguration } from '../announce.ts';
import { wishForOperation } from '../installations/wish.ts';
import { followRequest } from './operation-runs.served.ts';

export type DeviceOperationRow = Row<typeof deviceOperations>;

interface Facts {
  tenant_id: string;
  operation_tenant_id: string | null;
  fits: boolean;
  parameter_definitions: ParameterDefinition[];
  frequency_definitions: number[];
  package_name: string;
  is_built_in: boolean;
  package_type_id: number;
  executable_type_id: number;
  operation_type_id: number;
}

/**
 * Returns the facts about a device and an operation, and locks both against deletion until the end of the transaction. The
 * lock of the device is as strong as the update of the device at the end needs: two transactions that shared a weaker lock
 * would deadlock at this update.
 */
async function factsOf(
  ctx: Ctx,
  { deviceId, operationId }: Pick<DeviceOperationRow, 'deviceId' | 'operationId'>,
): Promise<Facts | undefined> {
  const [facts] = await ctx.db.query<Facts>({
    name: 'device-operation-facts',
    text: `select d.tenant_id, o.tenant_id as operation_tenant_id, o.parameter_definitions, o.frequency_definitions, o.operation_type_id,
        p.name as package_name, p.is_built_in and p.tenant_id is null as is_built_in, p.package_type_id, p.executable_type_id,
        p.operating_system_rids_id in (0, 7) or p.operating_system_rids_id & d.operating_system_id <> 0 as fits
      from device d, operation o join package p on p.package_id = o.package_id
      where d.device_id = $1 and o.operation_id = $2 and not d.is_deleted and not o.is_deleted
      for no key update of d for share of o`,
    values: [deviceId, operationId],
  });
  return facts;
}

function faultsOf(
  ctx: Ctx,
  facts: Facts,
  { verb, after, changed }: { verb: string; after: DeviceOperationRow; changed: readonly string[] },
): FieldError[] {
  const errors: FieldError[] = [];
  const isNew = verb === 'create';
  if (isNew && !facts.fits)
    errors.push({ target: 'operationId', message: "The operation's package does not run on the operating system of the device." });
  if ((isNew || changed.includes('frequencyTypeId')) && !facts.frequency_definitions.includes(after.frequencyTypeId)) {
    const offered = facts.frequency_definitions.map((id) => labelOf(frequencyTypes, id)).join(', ');
    errors.push({ target: 'frequencyTypeId', message: `This operation runs ${offered} only.` });
  }
  if (isNew || changed.includes('parameters'))
    errors.push(
      ...parameterFaults(facts.parameter_definitions, after.parameters, facts.is_built_in ? formatsOfBuiltIn(facts.package_name) : {}).map(
        (message) => ({ target: 'parameters', message }),
      ),
    );
  // A person who chooses the program that gets a secret can read the secret, so this needs the permission to edit the tenant.
  if (
    (isNew || changed.includes('parameters')) &&
    securedEntries(after.parameters).length > 0 &&
    !may(ctx, permission('Tenants', 'edit'), facts.tenant_id)
  )
    errors.push({ target: 'parameters', message: 'Only a person who may edit the tenant may use its secrets in an operation.' });
  return errors;
}

/** Returns the tenant of the device, so that the error can say whether the device or the operation does not exist. */
async function tenantOf(ctx: Ctx, deviceId: string): Promise<Partial<DeviceOperationRow>> {
  const [device] = await ctx.db.query<{ tenantId: string }>({
    text: 'select tenant_id as "tenantId" from device where device_id = $1 and not is_deleted',
    values: [deviceId],
  });
  return device ?? {};
}

export const servedDeviceOperations = serve(deviceOperations, 'device_operation', {
  fill: async (ctx, { verb, before, after, changed }) => {
    // Runs are requested with the frequency on demand only: another frequency drops the request.
    const leaves = verb === 'update' && changed.includes('frequencyTypeId') && before?.frequencyTypeId === frequencyType.onDemand;
    if (verb !== 'create') return leaves ? { completionToken: null, queuedUntil: null, operationComplete: false } : {};
    const facts = await factsOf(ctx, after);
    if (!facts) return tenantOf(ctx, after.deviceId);
    return {
      tenantId: facts.tenant_id,
      packageName: facts.package_name,
      packageType: labelOf(packageTypes, facts.package_type_id) as DeviceOperationRow['packageType'],
      packageExecutableType: labelOf(executableTypes, facts.executable_type_id) as DeviceOperationRow['packageExecutableType'],
      operationType: labelOf(operationTypes, facts.operation_type_id) as DeviceOperationRow['operationType'],
    };
  },
  check: async (ctx, change) => {
    if (change.verb === 'delete') return [];
    const facts = await factsOf(ctx, change.after);
    return facts ? faultsOf(ctx, facts, change) : [{ target: 'operationId', message: 'Operation was not found.' }];
  },
  after: async (ctx, { verb, before, after, changed }) => {
    await followRequest(ctx, before, verb === 'delete' ? { ...after, isDeleted: true } : after);
    await announceConfiguration(ctx, after.deviceId, [after.deviceOperationId]);
    if (after.enabled && (verb === 'create' || (verb === 'update' && changed.includes('enabled'))))
      await wishForOperation(ctx, after, after.operationId);
  },
});

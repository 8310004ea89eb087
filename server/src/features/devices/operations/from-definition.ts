/** Adds an operation to a device from its definition alone: on demand, with the parameters' default values. */
import { frequencyType, parameterSource } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { parameterFaults, type ParameterDefinition, type ParameterValue } from '@cloudfit/contract/packages/parameters.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { create } from '../../../resources/create.ts';
import { servedDeviceOperations } from './device-operations.served.ts';

interface OperationDefinition {
  name: string;
  interval: string;
  parameter_definitions: ParameterDefinition[];
  frequency_definitions: number[];
}

async function definitionOf(ctx: Ctx, operationId: string): Promise<OperationDefinition> {
  const [definition] = await ctx.db.query<OperationDefinition>({
    name: 'operation-definition',
    text: `select name, lpad((default_interval / 3600)::text, 2, '0') || to_char(make_interval(secs => default_interval % 3600), ':MI:SS') as interval,
        parameter_definitions, frequency_definitions
      from operation where operation_id = $1 and not is_deleted`,
    values: [operationId],
  });
  if (!definition) throw new ApiError('ValidationFailed', 'The operation was deleted.');
  return definition;
}

const defaultsOf = (definitions: readonly ParameterDefinition[]): ParameterValue[] =>
  definitions.flatMap(({ Name, Source, DefaultValue }) =>
    DefaultValue === '' || Source === parameterSource.securedValue ? [] : [{ Name, Source, Value: DefaultValue }],
  );

/** Returns why an operation cannot be added from its definition alone; undefined if it can. */
export async function definitionFault(ctx: Ctx, operationId: string): Promise<string | undefined> {
  const { name, parameter_definitions: definitions, frequency_definitions: frequencies } = await definitionOf(ctx, operationId);
  if (!frequencies.includes(frequencyType.onDemand)) return `${name} does not run on demand.`;
  const faults = parameterFaults(definitions, defaultsOf(definitions));
  return faults.length === 0
    ? undefined
    : `${name} needs values: ${faults.join(' ')} Add it to one device with its values, and copy it from there.`;
}

/** Adds the operation and returns the id of the new device operation. */
export async function addFromDefinition(ctx: Ctx, deviceId: string, operationId: string, label: string | null): Promise<string> {
  const { name, interval, parameter_definitions: definitions } = await definitionOf(ctx, operationId);
  const added = await create(ctx, servedDeviceOperations, {
    deviceId,
    operationId,
    label: label ?? name,
    enabled: true,
    frequencyTypeId: frequencyType.onDemand,
    interval,
    parameters: defaultsOf(definitions),
  });
  return added.deviceOperationId;
}

/** Refuses packets for what their entity is: asked when a packet is accepted, and again when one of a stream is written. */
import { blockType } from '@cloudfit/contract/enums.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { Entity } from '../rules/run/entity.ts';
import type { PacketRefusal } from './refusals.ts';

const smallTextLength = 200;

/** Why the entity takes no packets, or not this one; undefined if it does. */
export function refusalByEntity(entity: Entity, message: PacketMessage): PacketRefusal | undefined {
  if (entity.tenantDisabled) return { code: 'TenantDisabled', message: 'The tenant is disabled.' };
  if (!entity.enabled)
    return {
      code: 'EntityDisabled',
      message: entity.kind === 'operation' ? 'The device operation is disabled.' : 'The device is disabled.',
    };
  const problem = entity.kind === 'block' ? blockValueProblem(entity, message.Value) : undefined;
  return problem === undefined ? undefined : { code: 'InvalidBlockValue', message: problem };
}

/** The problem of a value for the type of its block; undefined when there is none. */
function blockValueProblem(entity: Entity, value: PacketMessage['Value']): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (entity.block?.blockTypeId === blockType.numeric)
    return typeof value === 'number' ? undefined : 'A numeric block takes a number as its Value.';
  return String(value).length <= smallTextLength
    ? undefined
    : `A smallText block takes at most ${smallTextLength} characters as its Value.`;
}

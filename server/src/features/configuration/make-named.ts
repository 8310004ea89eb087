/** Makes people and devices that a configuration names and that this installation lacks. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { mailAddress } from '@cloudfit/contract/mail-address.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { shippedSets } from '../../auth/shipped.ts';
import type { Ctx } from '../../context/ctx.ts';
import { create } from '../../resources/create.ts';
import { servedOf } from '../../resources/served.ts';
import type { Keys } from './keys.ts';
import type { MissingRow } from './named.ts';
import { rowsIn } from './rows-in.ts';

const [people, grants, devices, subscriptions] = ['people', 'grants', 'devices', 'subscriptions'].map(requireResource) as [
  Resource,
  Resource,
  Resource,
  Resource,
];

export const canBeMade = ({ resource }: MissingRow): boolean => resource === people.name || resource === devices.name;

/** A device is made in the subscription that has the name, or in the only one of its tenant. */
async function subscriptionFor(ctx: Ctx, { name, of }: MissingRow, tenantId: unknown): Promise<unknown> {
  const all = await rowsIn(ctx, subscriptions, 'tenantId', [tenantId]);
  const named = of ? all.filter((row) => String(row['name']).toLowerCase() === of.toLowerCase()) : all;
  if (named.length === 1) return named[0]?.[subscriptions.key];
  throw new ApiError(
    'ValidationFailed',
    of
      ? `The device ${name} is missing here, and so is its subscription ${of}. Create the subscription first.`
      : `The device ${name} is missing here, and its tenant has ${all.length} subscriptions. Create the device first.`,
  );
}

/**
 * Makes the device, or the person, who may read these tenants: whoever is on call in a tenant needs a right there. Returns the key.
 */
export async function makeNamed(ctx: Ctx, row: MissingRow, keys: Keys, tenants: Iterable<string | null>): Promise<string> {
  const { name } = row;
  if (row.resource === people.name) {
    const email = mailAddress.test(name) ? { email: name } : {};
    const personId = String((await create(ctx, servedOf(people), { name, userName: name, ...email }))[people.key]);
    for (const tenantId of tenants)
      await create(ctx, servedOf(grants), { personId, permissionSetId: shippedSets.reader.id, tenantId: keys.translate(tenantId) });
    return personId;
  }
  const tenantId = keys.translate(row.tenantId ?? null);
  const body = { name, tenantId, subscriptionId: await subscriptionFor(ctx, row, tenantId) };
  return String((await create(ctx, servedOf(devices), body))[devices.key]);
}

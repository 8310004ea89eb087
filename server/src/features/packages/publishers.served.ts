import { publishers } from '@cloudfit/contract/resources/publishers.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { serve, type FieldError, type RowChange } from '../../resources/served.ts';
import { readPublisherKey } from './publisher-keys.ts';

/**
 * Refuses an invalid key, and a key that is stored already: if the key had two rows, it would stay trusted after one of them is
 * removed.
 */
async function faultsOf(ctx: Ctx, { verb, after }: RowChange<Row<typeof publishers>>): Promise<readonly FieldError[]> {
  if (verb !== 'create') return [];
  const target = 'publicKey';
  const read = readPublisherKey(after.publicKey);
  if ('fault' in read) return [{ target, message: read.fault }];
  const [same] = await ctx.db.query<{ name: string }>({
    text: 'select name from publisher where tenant_id is not distinct from $1 and public_key = $2',
    values: [after.tenantId, read.publicKey],
  });
  return same ? [{ target, message: `This is the key of ${same.name}, who is trusted already.` }] : [];
}

export const servedPublishers = serve(publishers, 'publisher', {
  fill: (_ctx, { verb, after }) => {
    const read = verb === 'create' ? readPublisherKey(after.publicKey) : undefined;
    return read && 'publicKey' in read ? read : {};
  },
  check: faultsOf,
  // Wakes the agents of the tenant, which check signatures by the keys of their configuration.
  after: (ctx, { after: { tenantId } }) => notify(ctx.db, 'publishers', tenantId === null ? [] : [tenantId]),
});

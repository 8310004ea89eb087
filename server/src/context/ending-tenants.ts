/** A tenant that is being offboarded takes no changes: what is written after its archive would be deleted, and nobody would have it. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from './ctx.ts';

/** The names of the tenants that are being offboarded, by id. */
export async function endingTenants({ db }: Ctx): Promise<ReadonlyMap<unknown, string>> {
  const rows = await db.query<{ id: string; name: string }>({
    name: 'ending-tenants',
    text: "select customer_id as id, customer_name as name from offboarding where state in ('Running', 'Waiting', 'Deleting')",
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export class TenantIsEnding extends ApiError {
  constructor(name: string) {
    super('Conflict', `${name} is being offboarded. Stop its offboarding to change anything of it.`);
  }
}

/** Throws 409 when one of these tenants is among those that are being offboarded. */
export function requireNotEnding(ending: ReadonlyMap<unknown, string>, ...tenantIds: readonly unknown[]): void {
  for (const id of tenantIds) {
    const name = ending.get(id);
    if (name !== undefined) throw new TenantIsEnding(name);
  }
}

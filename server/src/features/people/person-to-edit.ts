import { requirePermission, type Ctx } from '../../context/ctx.ts';
import { get } from '../../resources/get.ts';
import { servedPeople } from './people.served.ts';

/** Returns the id of a person whom the caller may edit. People belong to no tenant, so this needs the permission in all tenants. */
export async function personToEdit(ctx: Ctx, id: string): Promise<string> {
  const { personId } = await get(ctx, servedPeople, id);
  requirePermission(ctx, 'People', 'edit', null);
  return personId;
}

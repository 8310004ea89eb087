/** What other transactions may do to a row, and to rows that refer to it, while the row is locked for writing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../context/ctx.ts';
import { servedNamed } from './served.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { get } from './get.ts';

let world: TestWorld;
let tenantId: string;
beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
});
afterAll(() => world.close());

/** Whether another connection can run the statement without waiting while the work unit is locked. */
async function mayMeanwhile(lock: 'edit' | 'remove', statement: string): Promise<boolean> {
  const body = { title: 'Locked', severityId: 'Sev1', workUnitTypeId: 1, tenantId };
  const workUnitId = Number((await world.call(holder([tenantId]), 'PUT', '/v1/workunits', body)).body['workUnitId']);
  return inTransaction(world.system, async (ctx) => {
    await get(ctx, servedNamed('workUnits'), workUnitId, { lock });
    return world.database
      .scoped('all')
      .transaction(async (db) => {
        await db.query({ text: 'set local lock_timeout = 50' });
        await db.query({ text: statement, values: [workUnitId] });
      })
      .then(
        () => true,
        () => false,
      );
  });
}

const note = `insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
  select $1, tenant_id, 'Done.', 'Note', 'A worker', gen_random_uuid() from work_unit where work_unit_id = $1`;
const edit = 'update work_unit set title = title where work_unit_id = $1';

describe('a locked row', () => {
  it('is not edited by others, who go on writing what refers to it', async () => {
    expect([await mayMeanwhile('edit', note), await mayMeanwhile('edit', edit)]).toEqual([true, false]);
  });

  it('that is about to be deleted gets nothing new either', async () => {
    expect([await mayMeanwhile('remove', note), await mayMeanwhile('remove', edit)]).toEqual([false, false]);
  });
});

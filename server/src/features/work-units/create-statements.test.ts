/** What creating a work unit costs: the statements of its transaction. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db, Statement } from '../../db/db.ts';
import { create } from '../../resources/create.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { tellInbox } from './inbox/tell.ts';
import { servedWorkUnits } from './work-units.served.ts';

let world: TestWorld;
let tenantId: string;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
});
afterAll(() => world.close());

/**
 * Wraps the database: adds to `sent` the statements that are awaited, those sent with the commit, and the end of the
 * transaction.
 */
function counted(db: Db, sent: string[]): Db {
  const nameOf = ({ name, text }: Statement): string => (name && /^[a-z-]+$/.test(name) ? name : text.trim().split(/\s+/, 3).join(' '));
  return {
    query: (statement) => {
      sent.push(nameOf(statement));
      return db.query(statement);
    },
    defer: (statement) => {
      sent.push(`later: ${nameOf(statement)}`);
      return db.defer(statement);
    },
    last: (statement) => {
      sent.push(`last: ${nameOf(statement)}`);
      return db.last(statement);
    },
    transaction: (work) => db.transaction((tx) => work(counted(tx, sent))),
  };
}

it('sends one statement, and a notification after it', async () => {
  const sent: string[] = [];
  const ctx = world.ctx(holder([tenantId]));
  const input = { title: 'Pump 7 is silent', severityId: 'Sev2', workUnitTypeId: 1, tenantId } as const;
  // The first unit reads the service levels of the tenant, which count for the next seconds.
  await create(ctx, servedWorkUnits, input);
  const unit = await create({ ...ctx, db: counted(ctx.db, sent) }, servedWorkUnits, input);
  expect(sent).toEqual(['later: notify', 'last: with written as']);
  const [row] = await world.system.db.query<{ audits: number; changes: number; notes: number; jobs: number }>({
    text: `select (select count(*)::int from audit where entity = 'workUnits' and entity_id = $1) as audits,
      (select count(*)::int from change where entity = 'workUnits' and entity_id = $1) as changes,
      (select count(*)::int from work_unit_note where work_unit_id = $1::bigint) as notes,
      (select count(*)::int from job where name = 'work-unit-event' and payload->>'workUnitId' = $1) as jobs`,
    values: [String(unit.workUnitId)],
  });
  expect(row).toEqual({ audits: 1, changes: 1, notes: 1, jobs: 1 });
});

it('takes its locks on tables and indexes without those that connections share', async () => {
  const ctx = world.ctx(holder([tenantId]));
  const input = { title: 'Pump 8 is silent', severityId: 'Sev2', workUnitTypeId: 1, tenantId } as const;
  const locks = await ctx.db.transaction(async (db) => {
    await create({ ...ctx, db }, servedWorkUnits, input);
    const [row] = await db.query<{ quick_locks: number; shared_locks: number }>({
      text: `select count(*) filter (where fastpath)::int as quick_locks, count(*) filter (where not fastpath)::int as shared_locks
        from pg_locks where pid = pg_backend_pid() and locktype = 'relation'`,
    });
    return row;
  });
  expect(locks?.quick_locks).toBeGreaterThan(50);
  // Other transactions that change tables at the same moment turn some of the locks into shared ones.
  expect(locks?.shared_locks).toBeLessThan(20);
});

it('plans the statement that tells an assignee once, not for each unit', async () => {
  const ctx = world.ctx(holder([tenantId]));
  const unit = await create(ctx, servedWorkUnits, { title: 'Pump 9 is silent', severityId: 'Sev2', workUnitTypeId: 1, tenantId });
  const plans = await world.system.db.transaction(async (tx) => {
    const now = { ...tx, defer: async (statement: Statement) => void (await tx.query(statement)) };
    // PostgreSQL plans the first five for their values.
    for (let n = 0; n < 7; n += 1) await tellInbox({ ...ctx, db: now }, unit.workUnitId, { assigned: `person${n}@example.com` });
    return tx.query<{ for_all: number }>({
      text: "select generic_plans as for_all from pg_prepared_statements where name = 'tell-inbox'",
    });
  });
  expect(plans[0]?.for_all).toBeGreaterThanOrEqual(2);
});

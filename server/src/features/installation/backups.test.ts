/** What administrators see of backups and restore trials. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const state = async (who = holder('all')) => (await world.call(who, 'GET', '/v1/installation/backups')).body;
const write = (text: string, values: unknown[] = []) => world.system.db.query({ text, values });
const audit = (verb: string, at: string, after: object) =>
  write(
    `insert into audit (at, actor_kind, actor_name, verb, entity, entity_id, after, correlation_id)
      values ($2, 'system', 'command line', $1, 'installation', 'backup', $3, gen_random_uuid())`,
    [verb, at, JSON.stringify(after)],
  );

it('says that nothing was backed up yet, then when, and how the last trial of restoring ended', async () => {
  expect(await state()).toEqual({ isVisible: true, backupAt: null, baseCopyAt: null, restoreDrill: null });
  await audit('backup', '2026-11-20T10:00:00Z', { rows: 5 });
  await write(`insert into setting (name, value) values ('baseCopy', '{"at": "2026-11-21T02:00:00Z", "bytes": 9}'),
    ('restoreDrill', '{"at": "2026-11-21T03:00:00Z", "what": "the base copy", "rows": 5}')`);
  await audit('verify', '2026-11-19T03:00:00Z', { failed: 'An older trial.' });
  expect(await state()).toEqual({
    isVisible: true,
    backupAt: '2026-11-20T10:00:00.000Z',
    baseCopyAt: '2026-11-21T02:00:00.000Z',
    restoreDrill: { at: '2026-11-21T03:00:00.000Z', what: 'the base copy' },
  });
  await audit('verify', '2026-11-22T03:00:00Z', { failed: 'The table device differs.' });
  expect(await state()).toMatchObject({
    restoreDrill: { at: '2026-11-22T03:00:00.000Z', failed: 'The table device differs.' },
  });
});

it('shows them only to those who may edit the settings of all tenants', async () => {
  const { tenantId } = await world.tenant();
  expect(await state(holder([tenantId]))).toEqual({ isVisible: false, backupAt: null, baseCopyAt: null, restoreDrill: null });
});

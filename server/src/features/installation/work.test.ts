/** Backups, trial restores and licences by button: who may, one at a time, and what remains of one whose process was killed. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { InstallationRun } from '@cloudfit/contract/actions/installation-work.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { endRun, reportRun, runSetting } from './run.ts';

let world: TestWorld;
let fail: (why: string | undefined) => void;
const started: Pick<InstallationRun, 'id' | 'kind' | 'folder'>[] = [];

beforeAll(async () => {
  world = await createWorld({
    installationWork: {
      backupFolder: '/backups',
      folderFor: (kind) => Promise.resolve(kind === 'backup' ? '/backups/1' : null),
      start: (run) => {
        started.push(run);
        return new Promise((done) => (fail = done));
      },
    },
  });
});
afterAll(() => world.close());
beforeEach(async () => {
  started.length = 0;
  await world.system.db.query({ text: 'delete from setting where name = $1', values: [runSetting] });
});

const all = holder('all');
const start = (body: object, who = all) => world.call(who, 'POST', '/v1/installation/work', body);
const state = async () =>
  (await world.call(all, 'GET', '/v1/installation/work')).body as { run: InstallationRun | null; backupFolder: string };

it('starts one at a time, audits who did, and tells everybody how far it is', async () => {
  expect(await state()).toEqual({ run: null, backupFolder: '/backups' });
  const { status, body } = await start({ kind: 'backup' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ kind: 'backup', state: 'running', by: 'person@example.com', folder: '/backups/1', step: 'start' });
  const id = String(body['id']);
  expect(started).toEqual([{ id, kind: 'backup', folder: '/backups/1' }]);
  const second = await start({ kind: 'drill' });
  expect([second.status, second.text]).toEqual([409, expect.stringContaining('is under way. Wait until it has ended.')]);
  expect(started).toHaveLength(1);
  const entries = await world.system.db.query({
    text: "select actor_name, after from audit where verb = 'start' and entity = 'installation' and entity_id = $1",
    values: [id],
  });
  expect(entries).toEqual([{ actor_name: 'person@example.com', after: { kind: 'backup', folder: '/backups/1' } }]);
  await reportRun(world.system.db, id, { step: 'copy', done: 3, all: 9 });
  expect((await state()).run).toMatchObject({ id, state: 'running', step: 'copy', done: 3, all: 9 });
  await endRun(world.system.db, id, 'done', 'Backup of 5 rows.');
  fail(undefined);
  expect((await state()).run).toMatchObject({ id, state: 'done', outcome: 'Backup of 5 rows.' });
  expect((await start({ kind: 'drill' })).body).toMatchObject({ kind: 'drill', folder: null });
});

it('of two at the same moment starts one', async () => {
  const statuses = (await Promise.all([start({ kind: 'backup' }), start({ kind: 'drill' })])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 409]);
  expect(started).toHaveLength(1);
});

it('says why a process failed that had no time to say so, and keeps the outcome of one that had', async () => {
  await start({ kind: 'drill' });
  fail('There is no archive.');
  await expect.poll(async () => (await state()).run).toMatchObject({ state: 'failed', outcome: 'There is no archive.' });
});

it('takes a run whose process gives no sign of life for ended, and starts another', async () => {
  const { body } = await start({ kind: 'backup' });
  await world.system.db.query({
    text: "update setting set value = value || jsonb_build_object('beatAt', now() - interval '61 seconds') where name = $1",
    values: [runSetting],
  });
  expect((await state()).run).toMatchObject({
    id: body['id'],
    state: 'failed',
    outcome: 'Its process was stopped before it had an outcome.',
  });
  expect((await start({ kind: 'backup' })).status).toBe(200);
});

it('installs a licence that this product signed, and refuses any other text', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const payload = Buffer.from(
    JSON.stringify({ customer: 'Acme', issued: '2026-01-01T00:00:00.000Z', expires: '2030-01-01T00:00:00.000Z' }),
  );
  const text = JSON.stringify({ payload: payload.toString('base64url'), signature: sign(null, payload, privateKey).toString('base64url') });
  const install = (body: object, who = all) => world.call(who, 'POST', '/v1/installation/licence', body);
  const refused = await install({ text });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('This is not a licence of this product');
  expect((await install({ text: 'x'.repeat(10_001) })).body).toMatchObject({ error: { details: [{ target: 'text' }] } });
  expect(await world.system.db.query({ text: "select 1 from setting where name = 'licence'" })).toEqual([]);
});

it('are for people who may edit the settings of all tenants', async () => {
  const { tenantId } = await world.tenant();
  for (const [method, path, body] of [
    ['GET', 'work', undefined],
    ['POST', 'work', { kind: 'backup' }],
    ['POST', 'licence', { text: '{}' }],
  ] as const) {
    const call = (who: Parameters<TestWorld['call']>[0]) => world.call(who, method, `/v1/installation/${path}`, body);
    expect((await call(null)).status).toBe(401);
    expect((await call(holder([tenantId]))).status).toBe(403);
    expect((await call(holder('all', ['CloudFit.CFS.Settings:view']))).status).toBe(403);
  }
  expect((await start({ kind: 'other' })).body).toMatchObject({ error: { details: [{ target: 'kind' }] } });
  expect(started).toEqual([]);
});

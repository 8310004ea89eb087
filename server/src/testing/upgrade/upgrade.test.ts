/**
 * A data folder of each released version, with data, is opened by this version: everything is readable and continues to work.
 * `preview` is from before version 1.0.0.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { runAdmin } from '../../admin/run.ts';
import { startEmbedded } from '../../db/embedded/embedded.ts';
import { compareSchemas, readSchema, recordedSchema, releasedSchema } from '../../db/schema.ts';
import { Browser } from '../browser.ts';
import { testDatabase } from '../database.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { comparedLists, fixturePort, type UpgradeFacts } from './facts.ts';

describe.each(['preview', '1.0.0'])('a data folder of version %s', (version) => {
  let server: ServerProcess;
  let facts: UpgradeFacts;

  beforeAll(async () => {
    // The fixture's packets are older than the default retention. The names of its cookies contain the port of the server.
    server = await serverProcess({ env: { PACKET_RETENTION_DAYS: '3650' }, port: fixturePort });
    mkdirSync(server.dataDir, { mode: 0o711 });
    const archive = zstdDecompressSync(readFileSync(join(import.meta.dirname, `${version}.tar.zst`)));
    const home = join(server.dataDir, '..');
    const { status, stderr } = spawnSync('tar', ['-x', '-p', '--no-same-owner', '-C', home], { input: archive, encoding: 'utf8' });
    if (status !== 0) throw new Error(`The fixture cannot be unpacked: ${stderr}`);
    facts = JSON.parse(readFileSync(join(home, 'facts.json'), 'utf8')) as UpgradeFacts;
    await postponeSessions();
    await server.start();
  }, 120_000);
  afterAll(() => server.remove());

  async function call(
    method: string,
    path: string,
    body?: unknown,
    token = facts.token,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  /** Reads the rows of `before` again, with the fields of `before` only: a later version may add fields and shipped rows. */
  async function rowsAgain(path: string, before: readonly Record<string, unknown>[]): Promise<Record<string, unknown>[]> {
    const { status, body } = await call('GET', `${path}${path.includes('?') ? '&' : '?'}$top=1000`);
    expect({ path, status }).toEqual({ path, status: 200 });
    const rows = body['value'] as Record<string, unknown>[];
    const { key } = requireResource(path.replace(/^.v1.|[?].*/g, ''));
    return before.map((row) => {
      const after = rows.find((candidate) => candidate[key] === row[key]) ?? {};
      return Object.fromEntries(Object.keys(row).map((name) => [name, after[name]]));
    });
  }

  /** By list: fields that may differ, because the start of this version or the tests change them. */
  const moving: Readonly<Record<string, readonly string[]>> = {
    // The match expired after the fixture was made; the worker of this version records its end.
    '/v1/ruleMatches': ['closed', 'completionProcessed', 'modified'],
    // A newer version of a package that comes with the server replaces the one before as the current version.
    '/v1/packageVersions': ['packageVersionStatusId', 'modified'],
    // Built-in operations, built-in actions and shipped permission sets change with the version.
    '/v1/operations': ['parameterDefinitions', 'description', 'modified'],
    '/v1/actionDefinitions': ['inputParameters', 'description', 'modified'],
    '/v1/permissionSets?$orderby=name': ['permissions', 'modified', 'description'],
  };

  it.each(comparedLists)('answers %s as the released version did', async (path) => {
    const before = facts.lists[path] ?? [];
    expect(before.length).toBeGreaterThan(0);
    const without = (rows: readonly Record<string, unknown>[]) =>
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !moving[path]?.includes(name) && !name.startsWith('@'))));
    expect(without(await rowsAgain(path, before))).toEqual(without(before));
  });

  it('has the history of a work unit', async () => {
    const rows = facts.lists['/v1/workUnitNotes'] ?? [];
    expect(rows.map((row) => row['detail'])).toContain('The bearing is warm.');
    expect(rows.filter((row) => row['field'] === 'title' || row['field'] === 'stateId').length).toBeGreaterThanOrEqual(2);
  });

  it('decrypts a secret', async () => {
    const { status, body } = await call('GET', `/v1/tenants/${facts.tenantId}/secrets/${facts.secret.id}/versions/latest`);
    expect({ status, value: body['value'] }).toEqual({ status: 200, value: facts.secret.value });
  });

  it('has the bytes of an uploaded package', async () => {
    const answer = await fetch(`${server.url}${facts.packagePath}`, {
      headers: { authorization: `Bearer ${facts.token}` },
    });
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(facts.packageFile);
  });

  it('lets people sign in with their password, and lets those go on who were signed in', async () => {
    const fresh = await new Browser(server.url).signIn(facts.userName, facts.password);
    expect((await call('GET', '/v1/currentUser', undefined, fresh.access_token)).status).toBe(200);
    const browser = new Browser(server.url);
    for (const [name, cookie] of facts.cookies) browser.cookies.set(name, cookie);
    // The session is still valid, so the provider redirects to the callback without a sign-in page.
    const { page, verifier } = await browser.openSignIn();
    const again = await browser.finish(page, verifier);
    expect((await call('GET', '/v1/currentUser', undefined, again.access_token)).status).toBe(200);
    const refreshed = await browser.refresh(facts.refreshToken);
    expect(refreshed.status).toBe(200);
    const { access_token } = (await refreshed.json()) as { access_token: string };
    expect((await call('GET', '/v1/currentUser', undefined, access_token)).status).toBe(200);
  });

  /** Extends the sessions of the fixture, which ended a day after the release. */
  async function postponeSessions(): Promise<void> {
    const database = await startEmbedded({ dataDir: server.dataDir, log: () => undefined });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`update identity_item set expires_at = now() + interval '1 day',
    payload = payload || jsonb_build_object('exp', extract(epoch from now())::bigint + 86400)
      || case when model = 'RefreshToken' then jsonb_build_object('iat', extract(epoch from now())::bigint) else '{}' end
    where model in ('Session', 'Grant', 'RefreshToken')`);
    await client.end();
    await database.stop();
  }

  it('takes packets of a token, opens matches, and changes work units', async () => {
    const now = Date.now();
    const packets = [0, 1, 2].map((n) => ({
      entityId: facts.deviceId,
      timestamp: new Date(now - 3_000 + n * 1_000).toISOString(),
      message: { Metrics: { Cpu: 99 } },
    }));
    const { status, body } = await call('POST', '/v1/packets', packets, facts.probe);
    expect({ status, body }).toMatchObject({ status: 200 });
    const matches = async () => (await call('GET', '/v1/ruleMatches')).body['value'] as { lastMatch: string }[];
    await expect.poll(async () => (await matches()).some(({ lastMatch }) => Date.parse(lastMatch) > now - 10_000)).toBe(true);
    const [unit] = facts.lists['/v1/workUnits?$expand=workUnitType'] ?? [];
    const path = `/v1/workUnits/${String(unit?.['workUnitId'])}`;
    expect((await call('POST', path, { title: 'After the upgrade' })).body).toMatchObject({ title: 'After the upgrade' });
    const notes = (await call('GET', `/v1/workUnitNotes?$filter=workUnitId eq ${String(unit?.['workUnitId'])}`)).body['value'] as {
      newValue: string;
    }[];
    expect(notes.map(({ newValue }) => newValue)).toContain('After the upgrade');
  });

  it('has kept a copy from before, which this version restores and brings up to date', async () => {
    const [now, released] = [await recordedSchema(), await releasedSchema()];
    // The schema of the last release is also the schema of this version until a migration is added.
    if (version === released.version && Object.keys(now.migrations).length === Object.keys(released.migrations).length)
      return expect(readdirSync(server.dataDir)).not.toContain('upgrades');
    const [name = ''] = readdirSync(join(server.dataDir, 'upgrades'));
    const copy = join(server.dataDir, 'upgrades', name);
    expect(server.output()).toContain(`are in ${copy}; npm run admin -- restore reads them.`);
    const [target, fresh] = [await testDatabase(), await testDatabase()];
    const [there, other] = [new pg.Client({ connectionString: target.url }), new pg.Client({ connectionString: fresh.url })];
    try {
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      const env = { DATABASE_URL: target.url, DATA_DIR: server.dataDir };
      expect({
        code: await runAdmin(['restore', copy], env, { out: write, err: write, readInput: () => Promise.resolve('') }),
        lines,
      }).toMatchObject({ code: 0, lines: [expect.stringContaining('Restored')] });
      await Promise.all([there.connect(), other.connect()]);
      expect(compareSchemas(await readSchema(other), await readSchema(there))).toEqual({ missing: [], different: [], extra: [] });
      const titles = await there.query<{ title: string }>('select title from work_unit order by work_unit_id');
      const before = facts.lists['/v1/workUnits?$expand=workUnitType'] ?? [];
      expect(titles.rows.map(({ title }) => title).toSorted()).toEqual(before.map((row) => row['title'] as string).toSorted());
      const walls = await there.query(
        "select relname from pg_class where relrowsecurity and not relforcerowsecurity and relnamespace = 'public'::regnamespace and not relispartition",
      );
      expect(walls.rows).toEqual([]);
      const ran = await there.query('select name from migration order by name');
      expect(ran.rows).toEqual((await other.query('select name from migration order by name')).rows);
    } finally {
      await Promise.all([there.end(), other.end()]);
      await Promise.all([target.close(), fresh.close()]);
    }
  });
});

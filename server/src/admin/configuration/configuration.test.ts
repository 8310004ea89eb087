/** `export` and `import` on the command line, between two installations. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { shippedSets } from '../../auth/shipped.ts';
import { openDatabase, type Database } from '../../db/connection.ts';
import { loadConfig } from '../../platform/config.ts';
import { create } from '../../resources/create.ts';
import { servedOf } from '../../resources/served.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { packageZip } from '../../testing/packages/zip.ts';
import { commandCtx } from '../command-ctx.ts';
import { runAdmin } from '../run.ts';
import { uploadPackage } from '../upload-package.ts';

let from: TestDatabase;
let to: TestDatabase;
let target: Database;
let folder: string;

async function admin(database: TestDatabase, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const output = { out: '', err: '' };
  const code = await runAdmin(
    args,
    { DATABASE_URL: database.url, DATA_DIR: join(folder, 'data') },
    {
      out: (text) => (output.out += text),
      err: (text) => (output.err += text),
      readInput: () => Promise.resolve(''),
    },
  );
  return { code, ...output };
}

beforeAll(async () => {
  [from, to] = [await testDatabase(), await testDatabase()];
  target = openDatabase({ url: to.url, max: 1, onError: () => undefined });
  folder = await mkdtemp(join(tmpdir(), 'cloudfit-configuration-'));
  await admin(from, 'tenant', 'add', '--name', 'Northwind');
  await admin(from, 'tenant', 'add', '--name', 'Southwind');
});
afterAll(async () => {
  await target.close();
  await Promise.all([from.close(), to.close()]);
  await rm(folder, { recursive: true, force: true });
});

const tenants = () => target.scoped('all').query({ text: 'select name from tenant order by name' });

describe('export and import', () => {
  it('carry an installation to another: tried first, then done, then nothing more to do', async () => {
    const file = join(folder, 'all.json');
    expect((await admin(from, 'export', file)).out).toMatch(/2 tenants, .*2 subscriptions/);
    const tried = await admin(to, 'import', file, '--dry-run');
    expect({ code: tried.code, err: tried.err }).toEqual({ code: 0, err: '' });
    expect(tried.out).toContain('+ tenants Northwind');
    expect(tried.out).toMatch(/Nothing was changed\. It would be: \d+ added, \d+ changed, \d+ unchanged\.$/);
    expect(await tenants()).toEqual([]);
    const { out } = await admin(to, 'import', file, '--json');
    expect(JSON.parse(out)).toMatchObject({ dryRun: false });
    expect(await tenants()).toEqual([{ name: 'Northwind' }, { name: 'Southwind' }]);
    expect((await admin(to, 'import', file)).out).toMatch(/^0 added, 0 changed, \d+ unchanged\.$/);
    const audited = await target
      .scoped('all')
      .query({ text: "select 1 from audit where entity = 'tenants' and verb = 'create' and actor_name like 'command line (%)'" });
    expect(audited).toHaveLength(2);
  });

  it('take one tenant into another', async () => {
    const file = join(folder, 'one.json');
    await admin(from, 'export', file, '--tenant', 'northwind');
    expect((JSON.parse(await readFile(file, 'utf8')) as { rows: { tenants: unknown[] } }).rows.tenants).toHaveLength(1);
    expect((await admin(to, 'import', file, '--tenant', 'Southwind')).out).toMatch(/^0 added, 0 changed/);
  });

  it('take a NIST OSCAL catalog', async () => {
    const file = join(folder, 'catalog.json');
    const controls = [{ id: 'ac-1', title: 'Policy and Procedures', parts: [{ name: 'statement', prose: 'Develop a policy.' }] }];
    const catalog = {
      uuid: '74c8ba1e-5cd4-4ad1-bbfd-d888e2f6c724',
      metadata: { title: 'A small catalog', 'last-modified': '2026-01-01T00:00:00Z', version: '1', 'oscal-version': '1.1.2' },
      groups: [{ id: 'ac', title: 'Access Control', controls }],
    };
    await writeFile(file, JSON.stringify({ catalog }));
    expect((await admin(to, 'import', file, '--dry-run')).out).toContain('+ controlSets A small catalog');
    expect((await admin(to, 'import', file)).out).toMatch(/1 added, 0 changed, 0 unchanged\.$/);
    expect((await admin(to, 'import', file)).out).toBe('0 added, 0 changed, 1 unchanged.');
    const whole = join(folder, 'with-sets.json');
    await admin(to, 'export', whole);
    expect((await admin(from, 'import', whole)).out).toContain('+ controlSets A small catalog');
    expect((await admin(from, 'import', whole)).out).toMatch(/^0 added, 0 changed/);
  });

  it('say in one line what is wrong', async () => {
    const file = join(folder, 'wrong.json');
    for (const [text, message] of [
      ['not json', /is not JSON/],
      ['{}', /This is not a CloudFit configuration/],
      [
        JSON.stringify({ cloudfit: 'configuration', version: 1, rows: { locations: [{ name: '' }] } }),
        /^locations\[0\]: Name is required\.$/,
      ],
    ] as const) {
      await writeFile(file, text);
      const { code, err } = await admin(to, 'import', file);
      expect([text, code]).toEqual([text, 1]);
      expect(err).toMatch(message);
    }
    expect((await admin(to, 'import', join(folder, 'none.json'))).err).toContain('cannot be read');
    expect((await admin(to, 'import', '--help')).out).toContain('--dry-run');
  });

  it('write a folder of files that an empty installation becomes equal to, byte for byte', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    expect((await admin(from, 'config', 'export', first)).out).toMatch(/^\d+ files written/);
    const text = await readFile(join(first, 'northwind', 'subscriptions', 'default.yaml'), 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/\.\.\/\.schema\/subscriptions\.json\nkind: subscriptions\n/);
    expect(text).toContain('tenantId: Northwind\n');
    const empty = await testDatabase();
    try {
      expect((await admin(empty, 'config', 'plan', first)).out).toContain('+ tenants Northwind');
      expect((await admin(empty, 'config', 'apply', first, '--note', 'commit 1')).err).toBe('');
      expect((await admin(empty, 'config', 'apply', first)).out).toMatch(/^0 added, 0 changed, \d+ unchanged\.$/);
      await admin(empty, 'tenant', 'add', '--name', 'Eastwind');
      const path = join(first, 'northwind', 'tenant.yaml');
      await writeFile(path, `${await readFile(path, 'utf8')}assignmentGroups: Night desk\n`);
      const { out } = await admin(empty, 'config', 'plan', first);
      expect(out).toContain('assignmentGroups: nothing -> Night desk');
      expect(out).not.toContain('Eastwind');
      await writeFile(path, 'kind: nothing');
      expect((await admin(empty, 'config', 'plan', first)).err).toContain('there is no kind nothing');
      await admin(from, 'config', 'export', first);
      await admin(empty, 'config', 'export', second, '--tenant', 'Northwind');
      const files = (await readdir(second, { recursive: true })).filter((file) => file.endsWith('.yaml'));
      expect(files.length).toBeGreaterThan(5);
      for (const file of files)
        expect([file, await readFile(join(second, file), 'utf8')]).toEqual([file, await readFile(join(first, file), 'utf8')]);
    } finally {
      await empty.close();
    }
  });

  it('carry what the checks of devices and the schedules need: packages, devices and people', async () => {
    const database = openDatabase({ url: from.url, max: 2, onError: () => undefined });
    const ctx = await commandCtx(database);
    const config = loadConfig({ DATABASE_URL: from.url, DATA_DIR: join(folder, 'data') });
    await uploadPackage(ctx, config, { label: 'Test', fileName: 'metrics.zip', content: await packageZip() });
    const add = (name: string, body: object) => create(ctx, servedOf(requireResource(name)), { ...body });
    const [tenant] = await ctx.db.query<{ tenantId: string; subscriptionId: string; operationId: string }>({
      text: `select tenant_id as "tenantId", subscription_id as "subscriptionId", (select operation_id from operation where name = 'Disk space') as "operationId"
        from tenant join subscription using (tenant_id) where tenant.name = 'Northwind'`,
    });
    const { tenantId, subscriptionId, operationId } = tenant ?? { tenantId: '', subscriptionId: '', operationId: '' };
    const { deviceId } = await add('devices', { tenantId, subscriptionId, name: 'pump-1' });
    const parameters = [{ Name: 'Path', Source: 1, Value: '/srv' }];
    await add('deviceOperations', { deviceId, operationId, label: 'Disk', frequencyTypeId: 1, interval: '00:05:00', parameters });
    const { personId } = await add('people', { name: 'Mara', userName: 'mara@example.com' });
    await add('grants', { personId, tenantId, permissionSetId: shippedSets.reader.id });
    const layer = {
      name: 'Nights',
      people: [personId],
      start: '2026-05-04T09:00',
      unit: 'Weeks',
      every: 1,
      restrictions: [],
      holidays: 'Same',
    };
    await add('onCallSchedules', { name: 'Nights', tenantId, timeZone: 'Europe/Berlin', layers: [layer] });
    await database.close();
    const [first, second] = [join(folder, 'whole'), join(folder, 'again')];
    expect((await admin(from, 'config', 'export', first)).out).toMatch(/, and 1 package\.$/);
    const empty = await testDatabase();
    try {
      const refused = await admin(empty, 'config', 'apply', first);
      expect(refused.code).toBe(1);
      expect(refused.err.split('\n')).toEqual(
        expect.arrayContaining([expect.stringContaining('The person mara@example.com is missing here. Make it, map it')]),
      );
      expect((await admin(empty, 'config', 'apply', first, '--make')).err).toBe('');
      expect((await admin(empty, 'config', 'apply', first)).out).toMatch(/^0 added, 0 changed, \d+ unchanged\.$/);
      const marks = async () => {
        const there = openDatabase({ url: empty.url, max: 1, onError: () => undefined });
        const rows = await there.scoped('all').query<{ resource: string; source: string; is_protected: boolean }>({
          text: 'select distinct resource, source, is_protected from managed_row order by resource',
        });
        await there.close();
        return rows;
      };
      expect(await marks()).toContainEqual({ resource: 'onCallSchedules', source: 'whole', is_protected: false });
      // What is protected can be applied again by its folder, and no longer is when that says so.
      expect((await admin(empty, 'config', 'apply', first, '--protect')).err).toBe('');
      expect((await marks()).every((row) => row.is_protected)).toBe(true);
      const tenantFile = join(first, 'northwind', 'tenant.yaml');
      const before = await readFile(tenantFile, 'utf8');
      await writeFile(tenantFile, `${before}assignmentGroups: Night desk\n`);
      expect((await admin(empty, 'config', 'apply', first)).out).toMatch(/0 added, 1 changed/);
      expect((await marks()).some((row) => row.is_protected)).toBe(false);
      await writeFile(tenantFile, before);
      expect((await admin(empty, 'config', 'apply', first)).err).toBe('');
      await admin(empty, 'config', 'export', second);
      const files = (await readdir(first, { recursive: true })).filter((file) => /\.(yaml|zip)$/.test(file));
      expect(files.filter((file) => file.endsWith('.zip'))).toEqual([join('global', 'packages', 'system-metrics-1.0.0.zip')]);
      for (const file of files) expect([file, await readFile(join(second, file))]).toEqual([file, await readFile(join(first, file))]);
    } finally {
      await empty.close();
    }
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import { verifyPassword } from '../auth/sign-in/passwords.ts';
import { testDatabase, type TestDatabase } from '../testing/database.ts';
import { sampleDirectory } from '../testing/sample-directory.ts';
import { runAdmin } from './run.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'admin-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 2, onError: () => undefined });
});

afterAll(async () => {
  await database.close();
  await test.close();
});

async function admin(line: string, input = ''): Promise<{ code: number; out: string; err: string }> {
  const output = { out: '', err: '' };
  const code = await runAdmin(
    [...line.matchAll(/"([^"]*)"|\S+/g)].map(([whole, quoted]) => quoted ?? whole),
    { DATABASE_URL: test.url, DATA_DIR: dataDir, PUBLIC_URL: 'https://ops.example.org' },
    { out: (text) => (output.out += text), err: (text) => (output.err += text), readInput: () => Promise.resolve(input) },
  );
  return { code, ...output };
}

const rows = (text: string, values: unknown[] = []) => database.scoped('all').query({ text, values });

async function json(line: string, input?: string): Promise<Record<string, unknown>> {
  const { code, out, err } = await admin(`${line} --json`, input);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Record<string, unknown>;
}

describe('npm run admin', () => {
  it('explains itself, and wrong use in one line with exit code 1', async () => {
    expect((await admin('--help')).out).toContain('tenant add');
    expect((await admin('token add --help')).out).toContain('--years NUMBER');
    const wrong: [string, RegExp][] = [
      ['nothing', /^There is no command "nothing"/],
      ['tenant add', /^--name is missing/],
      ['tenant add --nam x', /^Unknown option '--nam'/],
      ['tenant add --name', /^Option '--name <value>' argument missing/],
      ['person link', /^USER is missing/],
      ['person link a b', /^"b" is too much/],
      ['person link nobody@example.org', /^Nobody has the user name nobody@example.org/],
      ['grant --set Reader --person a', /^Give either --tenant or --all-tenants/],
      ['grant --set Reader --all-tenants', /^Give either --person or --claim/],
      ['token add --name x --all-tenants', /needs --set/],
    ];
    for (const [line, message] of wrong) {
      const { code, err } = await admin(line);
      expect({ line, code }).toEqual({ line, code: 1 });
      expect(err).toMatch(message);
      expect(err).not.toContain('\n');
    }
  });

  it('adds a tenant with a subscription, a person, a grant and a token, each with its audit entry', async () => {
    const tenant = await json('tenant add --name "Acme Power"');
    expect((await admin('tenant add --name "acme power"')).err).toContain('exists already');
    const person = await json('person add --email ada@example.org --name Ada');
    expect(person['link']).toMatch(/^https:\/\/ops\.example\.org\/idp\/set-password\/[\w-]{43}$/);
    const grantResult = await json('grant --person ADA@example.org --set "service desk" --tenant "Acme Power"');
    expect(grantResult).toMatchObject({ tenantId: tenant['tenantId'], created: true });
    expect(await json('grant --person ada@example.org --set "service desk" --tenant "Acme Power"')).toMatchObject({ created: false });
    const token = await json(`token add --tenant ${String(tenant['tenantId'])} --name probe --set Reader`);
    expect(token['token']).toMatch(/^cfst_/);
    // A token for agents lies on each machine, so it cannot send packets of other devices.
    expect(token['scopes']).toEqual(['agent']);
    expect(await rows('select name from subscription where tenant_id = $1', [tenant['tenantId']])).toEqual([{ name: 'Default' }]);
    for (const [entity, id] of [
      ['tenants', tenant['tenantId']],
      ['people', person['personId']],
      ['grants', grantResult['grantId']],
      ['tokens', token['tokenId']],
    ]) {
      const audit = await rows(
        "select verb, actor_kind from audit where entity = $1 and entity_id = $2 and actor_name like 'command line (%)'",
        [entity, id],
      );
      expect(audit).toEqual([{ verb: 'create', actor_kind: 'system' }]);
      expect(await rows('select 1 from change where entity = $1 and entity_id = $2', [entity, id])).toHaveLength(1);
    }
    expect(JSON.stringify(await rows('select after from audit'))).not.toContain(token['token']);
  });

  it('takes a password from the standard input, renews links and locks out', async () => {
    expect((await admin('person add --email bo@example.org --name Bo --password-stdin', 'short\n')).err).toContain('at least 12');
    await json('person add --email bo@example.org --name Bo --password-stdin', 'violet tractor lantern\n');
    const db = database.scoped('all');
    expect(await verifyPassword(db, 'BO@example.org', 'violet tractor lantern')).toMatchObject({
      userName: 'bo@example.org',
      enabled: true,
    });
    expect((await admin('person link bo@example.org')).out).toContain('/idp/set-password/');
    await json('person disable bo@example.org');
    expect(await verifyPassword(db, 'bo@example.org', 'violet tractor lantern')).toMatchObject({ enabled: false });
    expect((await admin('person link bo@example.org')).err).toContain('is disabled');
    expect(
      await rows('select 1 from one_time_link where used_on is null and person_id = (select person_id from person where user_name = $1)', [
        'bo@example.org',
      ]),
    ).toHaveLength(0);
  });

  it('fills a new installation with a world in which controls have a status', async () => {
    const { made: counts } = (await json('demo --seed 3 --at 2026-11-02T12:00:00Z')) as Record<'made', Record<string, number>>;
    expect(counts).toMatchObject({ tenants: 3, devices: 40, 'work units': 500 });
    expect(counts['control statuses']).toBeGreaterThan(0);
    expect((await admin('demo --seed 3')).err).toMatch(/^The world of seed 3 is in this database already/);
  });
});

describe('directories', () => {
  it('marks an emergency account, and moves people into a directory', async () => {
    await rows(sampleDirectory, ['contoso']);
    await rows("update directory set kind = 'Oidc' where prefix = 'contoso'");
    await json('person add --email glass@example.com --name Glass');
    await json('person add --email mover@example.com --name Mover --password-stdin', 'violet tractor lantern');
    const { out } = await admin('person emergency glass@example.com');
    expect(out).toContain('is an emergency account');
    expect(out).toContain('person link glass@example.com');
    expect((await admin('person adopt glass@example.com --directory contoso')).err).toContain('emergency account');
    expect((await admin('person adopt mover@example.com --directory nowhere')).err).toContain('no directory nowhere');
    expect((await admin('person adopt mover@example.com --directory Contoso')).out).toContain('belongs to the directory Contoso now');
    expect((await admin('person adopt mover@example.com --directory contoso')).out).toContain('already');
    // From now on, the directory alone signs the person in.
    expect(await verifyPassword(database.scoped('all'), 'mover@example.com', 'violet tractor lantern')).toBeUndefined();
    expect((await admin('person emergency mover@example.com')).err).toContain('belongs to the directory Contoso');
    expect(await json('person emergency glass@example.com --off')).toMatchObject({ isEmergency: false });
  });
});

/** `config plan` and `config apply` with folders as people and other programs write them. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { create } from '../../resources/create.ts';
import { servedOf } from '../../resources/served.ts';
import { openDatabase, type Database } from '../../db/connection.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { commandCtx } from '../command-ctx.ts';
import { runAdmin } from '../run.ts';

let installation: TestDatabase;
let database: Database;
let root: string;
let folder: string;

async function admin(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const output = { out: '', err: '' };
  const code = await runAdmin(
    args,
    { DATABASE_URL: installation.url, DATA_DIR: join(root, 'data') },
    { out: (text) => (output.out += text), err: (text) => (output.err += text), readInput: () => Promise.resolve('') },
  );
  return { code, ...output };
}

async function write(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}
const plan = () => admin('config', 'plan', folder);
const apply = (...options: string[]) => admin('config', 'apply', folder, ...options);
const location = (name: string, more = ''): string => `kind: locations\nname: ${name}\ntenantId: Northwind\n${more}`;
const locations = async (): Promise<string[]> => {
  const rows = await database
    .scoped('all')
    .query<{ name: string; city: string | null }>({ text: 'select name, city from location order by name' });
  return rows.map(({ name, city }) => `${name}: ${city ?? ''}`);
};

beforeAll(async () => {
  installation = await testDatabase();
  database = openDatabase({ url: installation.url, max: 2, onError: () => undefined });
  root = await mkdtemp(join(tmpdir(), 'cloudfit-folders-'));
  await admin('tenant', 'add', '--name', 'Northwind');
});
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'folder-'));
});
afterAll(async () => {
  await database.close();
  await installation.close();
  await rm(root, { recursive: true, force: true });
});

it('reads what editors write: CRLF, UTF-16, anchors, several documents in a file, links, YML', async () => {
  await write('crlf.yaml', location('Mill', 'city: Bergen\n').replaceAll('\n', '\r\n'));
  await write('utf16.yml', Buffer.from(`\ufeff${location('Büro')}`, 'utf16le'));
  await write('both.YAML', `# two\n${location('Dock', 'city: Oslo\n')}---\n${location('Pier', 'city: Oslo\n')}`);
  await write('anchors.yaml', `kind: locations\n<<: &place { tenantId: Northwind, city: Lund }\nname: Yard\n---\n`);
  await writeFile(join(root, 'elsewhere.yaml'), location('Linked'));
  await symlink(join(root, 'elsewhere.yaml'), join(folder, 'linked.yaml'));
  // What is in the installation and not in the folder can be named.
  expect(await plan()).toMatchObject({ code: 0, err: '', out: expect.stringContaining('It would be: 6 added') });
  expect((await apply()).err).toBe('');
  expect(await locations()).toEqual(['Büro: ', 'Dock: Oslo', 'Linked: ', 'Mill: Bergen', 'Pier: Oslo', 'Yard: Lund']);
  expect((await apply()).out).toMatch(/^0 added, 0 changed, 6 unchanged\.$/);
});

it.each([
  ['a tab', 'kind: locations\nname: A\n\tcity: B\n', /^The file odd\.yaml cannot be read as YAML: Tabs are not allowed .* at line 3/],
  ['a name twice', 'kind: locations\nname: A\nname: B\n', /^The file odd\.yaml cannot be read as YAML: Map keys must be unique at line 3/],
  ['an unknown tag', 'kind: locations\nname: !vault A\n', /^The file odd\.yaml cannot be read as YAML: Unresolved tag: !vault/],
  ['an alias to nothing', 'kind: locations\nname: *nobody\n', /^The file odd\.yaml cannot be read as YAML: Unresolved alias/],
  ['a list', '- kind: locations\n', /^The file odd\.yaml has no kind\. Begin it with a line such as: kind: rules/],
  ['another kind', 'kind: Deployment\n', /^odd\.yaml: there is no kind Deployment\. There are actionDefinitions, .*rules/],
  ['one of a kind', 'kind: rule\nname: A\n', /^odd\.yaml: there is no kind rule\. Write rules\./],
  ['a kind with capitals', 'kind: On Call Schedule\n', /there is no kind On Call Schedule/],
  ['a name of JavaScript', 'kind: __proto__\n', /^odd\.yaml: there is no kind __proto__/],
  ['a field that no thing has', location('A', 'citty: B\n'), /odd\.yaml: .*citty/],
  [
    'a number as name',
    'kind: locations\nname: 007\ntenantId: Northwind\n',
    /^odd\.yaml: Name must be text, and YAML reads a number, 7\. Write name: "\.\.\." with quotes\./,
  ],
  ['a boolean as city', location('A', 'city: true\n'), /^odd\.yaml: City must be text, and YAML reads a boolean, true\./],
  [
    'a tenant with other capitals',
    location('A').replace('Northwind', 'NORTHWIND'),
    /^odd\.yaml: names the tenants NORTHWIND, which is neither in these files nor here\. Write Northwind\.$/,
  ],
  [
    'a tenant that nothing has',
    location('A').replace('Northwind', 'Nordwind'),
    /^odd\.yaml: names the tenants Nordwind, which is neither in these files nor here/,
  ],
  [
    'a huge file',
    `kind: locations\nname: A\n# ${'x'.repeat(6_000_000)}\n`,
    /^The file odd\.yaml cannot be read as YAML: it has 6 MiB; a thing has at most 5 MiB/,
  ],
])('refuses %s by the name of the file, and changes nothing', async (_what, content, message) => {
  await write('odd.yaml', content);
  await write('right.yaml', location('Right'));
  const { code, err } = await apply();
  expect(code).toBe(1);
  expect(err).toMatch(message);
  expect(await locations()).not.toContain('Right: ');
});

it('refuses a bomb of aliases', async () => {
  const levels = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(', ')}]`);
  await write('bomb.yaml', `kind: locations\na0: &a0 [x]\n${levels.join('\n')}\n`);
  expect((await plan()).err).toMatch(/^The file bomb\.yaml cannot be read as YAML: Excessive alias count/);
});

it('follows names, not files: a renamed file changes nothing, two swapped names swap what they stand for', async () => {
  await write('a.yaml', location('North', 'city: Umea\n'));
  await write('b.yaml', location('South', 'city: Lund\n'));
  expect((await apply()).err).toBe('');
  await unlink(join(folder, 'b.yaml'));
  await write('c/d.yaml', location('South', 'city: Lund\n'));
  expect((await plan()).out).toContain('0 added, 0 changed, 2 unchanged');
  await write('a.yaml', location('South', 'city: Umea\n'));
  await write('c/d.yaml', location('North', 'city: Lund\n'));
  expect((await apply()).out).toContain('0 added, 2 changed');
  expect(await locations()).toEqual(expect.arrayContaining(['North: Lund', 'South: Umea']));
  await write('c/d.yaml', location('South'));
  expect((await plan()).err).toMatch(/^c\/d\.yaml: a\.yaml has Northwind \/ South, too\. Remove one, or rename it\./);
  // What is deleted from the folder stays, and the plan says so.
  await unlink(join(folder, 'c', 'd.yaml'));
  expect((await plan()).out).toContain('= locations Northwind / North: only here, not in the folder');
});

it('names the secrets that are missing here', async () => {
  const headers = 'headers: Authorization:Bearer {Secret:hook.key}\n';
  const action = `kind: actionDefinitions\nname: Hook\nactionDefinitionTypeId: 4\nendpointUrl: https://example.com/\nhttpMethod: POST\n`;
  await write('hook.yaml', `${action}${headers}tenantId: Northwind\n`);
  const line = '? secrets hook.key: named by actionDefinitions Northwind / Hook. Store it on the page of the tenant Northwind.';
  expect((await plan()).out).toContain(line);
  expect((await apply()).out).toContain(line);
  await database
    .scoped('all')
    .query({ text: "insert into tenant_secret (tenant_id, name) select tenant_id, 'Hook.key' from tenant where name = 'Northwind'" });
  expect((await plan()).out).not.toContain('? secrets');
});

it('leaves files of other programs in the folder of an export', async () => {
  await write('docker-compose.yaml', 'services: {}\n');
  await write('k8s/server.yaml', 'kind: Deployment\n');
  await write('northwind/locations/gone.yaml', location('Gone'));
  expect((await admin('config', 'export', folder)).err).toBe('');
  expect(await readFile(join(folder, 'docker-compose.yaml'), 'utf8')).toBe('services: {}\n');
  expect(await readFile(join(folder, 'k8s', 'server.yaml'), 'utf8')).toBe('kind: Deployment\n');
  await expect(readFile(join(folder, 'northwind', 'locations', 'gone.yaml'))).rejects.toThrow('ENOENT');
});

it('leaves a file as somebody wrote it while it says the same, and says whose comments are lost', async () => {
  expect((await admin('config', 'export', folder)).err).toBe('');
  const mine = '# ours: ask Ann first\ntenantId: Northwind\nname: "Annex" # the old one\nkind: locations\n';
  await write('northwind/locations/annex.yaml', mine);
  expect((await apply()).err).toBe('');
  expect((await admin('config', 'export', folder)).out).not.toContain('lost');
  expect(await readFile(join(folder, 'northwind/locations/annex.yaml'), 'utf8')).toBe(mine);
  await database.scoped('all').query({ text: "update location set city = 'Lund' where name = 'Annex'" });
  expect((await admin('config', 'export', folder)).out).toContain(
    '! northwind/locations/annex.yaml has changed here; the comments that it had are lost.',
  );
});

it('finds what a folder names in a tenant that it has, though the tenant was not made by a folder', async () => {
  const ctx = await commandCtx(database);
  const [home] = await ctx.db.query<{ tenantId: string; subscriptionId: string }>({
    text: `select tenant_id as "tenantId", subscription_id as "subscriptionId" from subscription join tenant using (tenant_id) where tenant.name = 'Northwind'`,
  });
  await create(ctx, servedOf(devices), { name: 'pump / 1', tenantId: home?.tenantId, subscriptionId: home?.subscriptionId });
  await write('tenant.yaml', 'kind: tenants\nname: Northwind\n');
  const page = 'kind: statusPages\ntitle: Pumps\ntenantId: Northwind\ncomponents:\n';
  await write('pumps.yaml', `${page}  - { name: Pump, kind: Block, of: '$(blocks: Northwind / pump // 1)' }\n`);
  const { out, err } = await plan();
  expect([err, out]).toEqual(['', expect.not.stringContaining('missing here')]);
});

it('has names of stars, of all scripts, and of what Windows reserves, each in a file of its own', async () => {
  const names = ['*', '**', '日本', 'Müll', 'Mull', 'MULL', 'con', 'a / b', 'a // b', '$(rules: x)', '☃️'];
  for (const [n, name] of names.entries())
    await write(`${n}.yaml`, location(JSON.stringify(name.replace('$(', '$$$$(')), `city: Place ${n}\n`));
  expect((await apply()).err).toBe('');
  const written = join(folder, 'written');
  expect((await admin('config', 'export', written)).err).toBe('');
  const files = await readdir(join(written, 'northwind', 'locations'));
  expect(files).toEqual(expect.arrayContaining(['日本.yaml', 'mull.yaml', 'mull-2.yaml', 'mull-3.yaml', 'con-.yaml', 'unnamed.yaml']));
  expect((await admin('config', 'plan', written)).out).toMatch(/Nothing was changed\. It would be: 0 added, 0 changed, \d+ unchanged\.$/m);
});

it('reads names whose accents are characters of their own, and words of other versions of YAML', async () => {
  await admin('tenant', 'add', '--name', 'Dünen/Nord');
  const elsewhere = (name: string, tenant: string) => `kind: locations\nname: ${name}\ntenantId: ${tenant}\n`;
  await write('accents.yaml', elsewhere('Bu\u0308ro', 'Du\u0308nen//Nord'));
  for (const name of ['no', 'off', '2026-01-31', '12:30:00', '1_000']) await write(`${name}.yaml`, location(name));
  expect((await apply()).err).toBe('');
  expect(await locations()).toEqual(expect.arrayContaining(['Büro: ', 'no: ', 'off: ', '2026-01-31: ', '12:30:00: ', '1_000: ']));
  await write('slash.yaml', elsewhere('Tower', 'Dünen/Nord'));
  expect((await plan()).err).toContain('Write Dünen//Nord.');
});

it('has a file for each of several things whose names differ little', async () => {
  const names = ['Quay', 'QUAY', 'Quay 2', 'quay-2', 'Quay 3'];
  for (const [n, name] of names.entries()) await write(`${n}.yaml`, location(name, `city: Quay ${n}\n`));
  expect((await apply()).err).toBe('');
  const written = join(folder, 'written');
  expect((await admin('config', 'export', written)).err).toBe('');
  const texts = await Promise.all(
    (await readdir(join(written, 'northwind', 'locations')))
      .filter((file) => file.startsWith('quay'))
      .map((file) => readFile(join(written, 'northwind', 'locations', file), 'utf8')),
  );
  expect(names.filter((_, n) => texts.some((text) => text.includes(`city: Quay ${n}\n`)))).toEqual(names);
});

it('applies the files of one tenant, and leaves those of others, of all, and their marks', async () => {
  await admin('tenant', 'add', '--name', 'Eastwind');
  const ofEast = (city: string) => `kind: locations\nname: East gate\ntenantId: Eastwind\ncity: ${city}\n`;
  const set = (about: string) => `kind: permissionSets\nname: Guards\ndescription: ${about}\npermissions: [CloudFit.CFS.Devices:view]\n`;
  await write('west.yaml', location('West gate', 'city: Lund\n'));
  await write('east.yaml', ofEast('Oslo'));
  await write('set.yaml', set('Doors'));
  expect((await apply('--protect')).err).toBe('');
  const marks = () =>
    database.scoped('all').query<{ file: string | null; is_protected: boolean }>({
      text: "select file, is_protected from managed_row where file in ('west.yaml', 'east.yaml', 'set.yaml') order by file",
    });
  await write('west.yaml', location('West gate', 'city: Kiel\n'));
  await write('east.yaml', ofEast('Bergen'));
  await write('set.yaml', set('Doors and gates'));
  expect((await admin('config', 'plan', folder, '--tenant', 'eastwind')).out).toMatch(/It would be: 0 added, 1 changed, 0 unchanged\.$/m);
  expect((await apply('--tenant', 'eastwind')).err).toBe('');
  expect(await locations()).toEqual(expect.arrayContaining(['East gate: Bergen', 'West gate: Lund']));
  expect(await marks()).toEqual([
    { file: 'east.yaml', is_protected: false },
    { file: 'set.yaml', is_protected: true },
    { file: 'west.yaml', is_protected: true },
  ]);
  expect((await apply('--tenant', 'Westwind')).err).toBe('No file of the folder is of the tenant Westwind.');
});

it('applies the rest with --partly: without kinds of a newer version, and without what names them or nothing', async () => {
  await write('new.yaml', 'kind: holograms\nname: A\n');
  await write('lost.yaml', location('Lost').replace('Northwind', 'Nordwind'));
  await write('one.yaml', location('Once'));
  await write('two.yaml', location('Once', 'city: Lund\n'));
  await write('right.yaml', location('Right one'));
  const { out, err } = await apply('--partly');
  expect(err).toBe('');
  for (const line of [
    /^! holograms new\.yaml: there is no kind holograms\. There are /m,
    /^! locations lost\.yaml: names the tenants Nordwind, which is neither in these files nor here\.$/m,
    /^! locations two\.yaml: one\.yaml has Northwind \/ Once, too\. Remove one, or rename it\.$/m,
    /^2 added, 0 changed, 0 unchanged, 3 left out\.$/m,
  ])
    expect(out).toMatch(line);
  await write('odd.yaml', location('Odd one', `city: ${'x'.repeat(300)}\n`));
  expect((await apply('--partly')).out).toMatch(/^! locations Odd one \(odd\.yaml\): City /m);
});

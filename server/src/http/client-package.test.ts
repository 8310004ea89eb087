/** The package `@cloudfit/client` as others get it: built, installed, compiled, and run against a server. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pino from 'pino';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../db/connection.ts';
import { unusedWatch } from '../testing/unused-watch.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { createChangeFeed, type ChangeFeed } from './change-feed.ts';
import { liveCall } from './live.ts';
import { rawRoutes } from './raw-calls.ts';
import type { RawCall } from './request-steps.ts';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

let world: TestWorld;
let feed: ChangeFeed;
let database: Database;
let tenantId: string;
let folder: string;
let examples: string[];
/** Runs an example of the README in the folder in which the package is installed. */
let runExample: (index: number) => Promise<string>;
/** Runs the command of the package, in the name of a caller of one tenant. */
let cloudfit: (...line: string[]) => Promise<{ stdout: string; stderr: string; code: number }>;

describe('the client package', { timeout: 600_000 }, () => {
  beforeAll(async () => {
    const unused = () => Promise.reject(new Error('Not called here.'));
    const stream: RawCall = (...request) =>
      liveCall(feed, {
        authenticate: (credentials) => world.authenticator.authenticate(credentials),
        onChange: () => () => undefined,
      }).call(...request);
    const raw = rawRoutes({ ingest: unused, watch: unusedWatch, stream, files: {} as never, signIn: unused });
    world = await createWorld({ rawRoutes: raw });
    database = openDatabase({ url: world.url, max: 2, onError: () => undefined });
    feed = await createChangeFeed(database, pino({ level: 'silent' }));
    ({ tenantId } = await world.tenant());
    folder = mkdtempSync(join(tmpdir(), 'cloudfit-client-'));
    await run(process.execPath, [join(root, 'scripts/client/build.mjs'), '--out', join(folder, 'node_modules/@cloudfit/client')], {
      cwd: root,
    });
    symlinkSync(join(root, 'node_modules/zod'), join(folder, 'node_modules/zod'), 'dir');
    mkdirSync(join(folder, 'node_modules/@types'));
    symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'), 'dir');
    symlinkSync(join(root, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'), 'dir');
    const readme = readFileSync(join(folder, 'node_modules/@cloudfit/client/README.md'), 'utf8');
    examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
    examples.forEach((text, index) => writeFileSync(join(folder, `example-${index}.ts`), text));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const { root: server, authorization } = await world.connect(holder([tenantId]));
    const env = { ...process.env, SERVER: server, TOKEN: authorization.replace('Bearer ', '') };
    runExample = async (index) => (await run(process.execPath, [`example-${index}.ts`], { cwd: folder, env })).stdout;
    const named = { ...process.env, CLOUDFIT_SERVER: server, CLOUDFIT_TOKEN: env.TOKEN, XDG_CONFIG_HOME: folder };
    cloudfit = (...line) =>
      run(process.execPath, [join(folder, 'node_modules/@cloudfit/client/cloudfit.mjs'), ...line], { env: named }).then(
        (done) => ({ ...done, code: 0 }),
        (failed: { stdout: string; stderr: string; code: number }) => failed,
      );
  }, 600_000);

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await feed.close();
    await database.close();
    await world.close();
  });

  it('has no code of other packages', () => {
    const files = readdirSync(join(folder, 'node_modules/@cloudfit/client')).filter((file) => file.endsWith('.js'));
    const code = files.map((file) => readFileSync(join(folder, 'node_modules/@cloudfit/client', file), 'utf8')).join('\n');
    expect(files.toSorted()).toEqual(expect.arrayContaining(['calls.js', 'client.js', 'errors.js', 'sign-in.js']));
    expect([...code.matchAll(/(?<=^|[\s;}])(?:from|import) ?["']([^."'\n][^"'\n]*)["']/g)].map(([, name]) => name)).toEqual([]);
    expect(code).not.toMatch(/\bzod\b/i);
  });

  it('compiles its examples in strict mode, and refuses a wrong field, entity, input and answer', async () => {
    const wrong = [
      "await cloudfit.list('workUnits', { select: ['colour'] });",
      "await cloudfit.list('wheels');",
      "await cloudfit.call(resolveWorkUnits, { ids: ['five'], resolution: '' });",
      "const age: number = (await cloudfit.read('devices', 'd')).name;",
      "(await cloudfit.read('devices', 'd', { select: ['deviceId'] })).name;",
    ];
    const lines = wrong.map((line) => `// @ts-expect-error\n${line}`).join('\n');
    const head = "import { createClient } from '@cloudfit/client';\nimport { resolveWorkUnits } from '@cloudfit/client/calls';\n";
    writeFileSync(
      join(folder, 'wrong.ts'),
      `${head}const cloudfit = createClient({ server: 'http://localhost' });\n${lines}\nexport {};\n`,
    );
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', skipLibCheck: true, types: ['node'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiled = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch(
      (error: { stdout: string }) => error,
    );
    expect(compiled.stdout).toBe('');
    expect(examples).toHaveLength(3);
  });

  it('lists rows over pages, as its first example does', async () => {
    for (let n = 0; n < 101; n++)
      await world.call(holder([tenantId]), 'PUT', '/v1/workUnits', { title: `Pump ${n}`, severityId: 'Sev3', workUnitTypeId: 1, tenantId });
    const other = await world.tenant();
    await world.call(holder([other.tenantId]), 'PUT', '/v1/workUnits', {
      title: 'Not theirs',
      severityId: 'Sev3',
      workUnitTypeId: 1,
      tenantId: other.tenantId,
    });
    const lines = (await runExample(0)).trim().split('\n');
    expect(lines).toHaveLength(101);
    expect(lines[0]).toMatch(/ Pump 100$/);
  });

  it('opens, notes and resolves a unit, and says what is refused, as its second example does', async () => {
    expect(await runExample(1)).toMatch(/^400 ValidationFailed Please say how it was resolved/);
    const { body } = await world.call(holder([tenantId]), 'GET', "/v1/workUnits?$filter=title eq 'The backup failed'&$expand=notes");
    expect(body.value).toMatchObject([
      { stateId: 'Resolved', notes: expect.arrayContaining([expect.objectContaining({ detail: 'The disk was full.' })]) },
    ]);
  });

  it('tells a change, as its third example does', async () => {
    let isOver = false;
    const shown = runExample(2).finally(() => (isOver = true));
    const title = 'Made while it listens';
    // One that is made before it listens may be missed, and how long its start takes is not known.
    for (; !isOver; await sleep(500))
      await world.call(holder([tenantId]), 'PUT', '/v1/workUnits', { title, severityId: 'Sev3', workUnitTypeId: 1, tenantId });
    // It also hears of the last minute, where the units of the tests above may be.
    expect(await shown).toMatch(/^(?:Made while it listens New|The backup failed Resolved|Pump \d+ New)\n$/);
  });

  it('has a command that lists, acknowledges, notes and resolves units of the caller alone', async () => {
    const create = async (tenant: string, title: string) => {
      const unit = { title, severityId: 'Sev2', workUnitTypeId: 1, tenantId: tenant };
      return String((await world.call(holder([tenant]), 'PUT', '/v1/workUnits', unit)).body['publicWorkUnitId']);
    };
    const [number, foreign] = [await create(tenantId, 'Command me'), await create((await world.tenant()).tenantId, 'Of others')];
    expect((await cloudfit('units', 'list', '--severity', 'Sev2')).stdout).toMatch(/^NUMBER .*\n\d+ .*Command me\n$/);
    expect(await cloudfit('units', 'ack', number)).toMatchObject({ stdout: `${number}: acknowledged\n`, code: 0 });
    expect((await cloudfit('units', 'note', number, 'Looked at it.')).stdout).toBe(`${number}: noted\n`);
    expect((await cloudfit('units', 'show', number)).stdout).toContain('Looked at it.');
    expect((await cloudfit('why', number)).stdout).toContain('no rule has to do with it');
    const { stdout } = await cloudfit('units', 'resolve', number, 'Done.', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ stateId: 'Resolved', resolution: 'Done.' }]);
    expect(await cloudfit('units', 'ack', foreign)).toMatchObject({
      code: 5,
      stderr: `There is no work unit ${foreign} that you may see.\n`,
    });
    expect(JSON.parse((await cloudfit('tenants', '--json')).stdout)).toMatchObject([{ tenantId }]);
  });

  it('has a command that tells units as they change', async () => {
    // The stream may tell the changes of the tests before too, of which there are more than a hundred.
    const shown = cloudfit('tail', 'units', '--count', '250', '--json');
    const changing = setInterval(() => {
      void world.call(holder([tenantId]), 'PUT', '/v1/workUnits', { title: 'Tail me', severityId: 'Sev3', workUnitTypeId: 1, tenantId });
    }, 20);
    const { stdout } = await shown.finally(() => clearInterval(changing));
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(250);
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ verb: 'create', title: 'Tail me', tenantId }),
    );
  });
});

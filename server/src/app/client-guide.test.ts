/** The commands in docs/CLIENTS.md run as they stand, against a real server. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acceptPackets } from '@cloudfit/contract/actions/ingest.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { rawRoutes } from '../http/raw-calls.ts';
import { openIngest, type Ingest } from '../ingest/accept.ts';
import { insertSample } from '../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';

const project = join(import.meta.dirname, '../../..');
const folder = join(project, 'test-results', `client-guide-${process.pid}`);
const guide = readFileSync(join(project, 'docs/CLIENTS.md'), 'utf8');
const commands = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, command = '']) => command);
const missing = ['/usr/bin/curl', '/bin/bash'].filter((program) => !existsSync(program));

let world: TestWorld;
let ingest: Ingest;
let env: Record<string, string>;

beforeAll(async () => {
  await mkdir(join(folder, 'bin'), { recursive: true });
  // The generator needs the compiler of TypeScript 5, a dependency of another development tool.
  const hook =
    'import{registerHooks}from"node:module";registerHooks({resolve:(s,c,n)=>n(s==="typescript"?"@ts-morph/common/dist/typescript.js":s,c)})';
  const generator = join(dirname(createRequire(import.meta.url).resolve('openapi-typescript/package.json')), 'bin/cli.js');
  const program = join(folder, 'bin/openapi-typescript');
  await writeFile(program, `#!/bin/bash\nexec '${process.execPath}' --import 'data:text/javascript,${hook}' '${generator}' "$@"\n`);
  await chmod(program, 0o755);
  const parts = { ingest: (ctx, body, type) => ingest.ingestBody(ctx, body, type) } satisfies Partial<Parameters<typeof rawRoutes>[0]>;
  const raw = rawRoutes({ ...parts, files: {} } as unknown as Parameters<typeof rawRoutes>[0]);
  world = await createWorld({ rawRoutes: raw.filter(({ action }) => action.path === acceptPackets.path) });
  ingest = await openIngest({ database: world.database, log: pino({ level: 'silent' }) });
  const home = await world.tenant();
  const device = await insertSample(world, requireResource('devices'), home);
  const caller = { kind: 'token', id: crypto.randomUUID(), name: 'program', scopes: ['ingest'] } as const;
  const { root, authorization } = await world.connect({ ...holder([home.tenantId], allPermissions), actor: caller });
  env = {
    PATH: `${folder}/bin:${process.env['PATH'] ?? ''}`,
    SERVER: new URL(root).origin,
    TOKEN: authorization.replace(/^Bearer /, ''),
    TENANT: home.tenantId,
    ENTITY: String(device['deviceId']),
  };
});
afterAll(async () => {
  await ingest.stop();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

it('has commands', () => {
  expect(commands.length).toBeGreaterThan(4);
});

it.skipIf(missing.length > 0).each(commands.map((command) => [command.split('\n')[0] ?? '', command]))(
  '%s',
  async (_first, command) => {
    const { stdout } = await promisify(execFile)('/bin/bash', ['-euo', 'pipefail', '-c', command], { cwd: folder, env });
    // Several commands in a block answer several texts, one after the other.
    const isOne = command.match(/^curl /gm)?.length === 1;
    const answers = isOne ? (JSON.parse(stdout) as { value?: { status?: string }[] }) : {};
    expect((answers.value ?? []).filter(({ status }) => status === 'refused')).toEqual([]);
    if (command.includes('api.ts')) expect(await readFile(join(folder, 'api.ts'), 'utf8')).toContain('listWorkUnits');
    if (command.includes('Idempotency-Key')) expect(answers).toMatchObject({ title: 'The build fails' });
    if (command.includes('/v1/packets')) expect((answers.value ?? []).map(({ status }) => status)).toContain('stored');
  },
  120_000,
);

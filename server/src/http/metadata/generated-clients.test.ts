/** Generators of other projects: what they make of the description compiles strictly, and calls a running server. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '@cloudfit/contract/testing/runs.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

const require = createRequire(import.meta.url);
/** Packages that only this file needs, with a lockfile of their own; `npm test` installs them. */
const packages = join(import.meta.dirname, '../../testing/generators/node_modules');
const isInstalled = existsSync(join(packages, '.package-lock.json'));
const folder = join(import.meta.dirname, '../../../../test-results', `generated-clients-${process.pid}`);

const run = async (...args: string[]): Promise<string> => {
  const env = { ...process.env, NODE_ENV: 'production' };
  return promisify(execFile)(process.execPath, args, { cwd: folder, env, maxBuffer: 2 ** 24 }).then(
    () => '',
    (error: unknown) => `${(error as { stdout: string }).stdout}${(error as { stderr: string }).stderr}`,
  );
};

interface Server {
  /** The address without `/v1`. */
  address: string;
  authorization: string;
  tenantId: string;
}
/** Names and statuses of what a client read, created, changed, added below a row, and tried. */
type Use = (server: Server) => Promise<unknown>;

/** The files that each generator is given, and one that uses its client, whose types must fit too. */
const clients: Record<'orval' | 'heyApi' | 'kubb', { args: string[]; files: Record<string, string> }> = {
  orval: {
    args: [join(packages, 'orval/dist/bin/orval.mjs'), '--input', 'openapi.json', '--output', 'orval/api.ts', '--client', 'fetch'],
    files: {
      // Addresses have no host, because such a client is made for pages of the server itself.
      'use-orval.ts': `import { createLocation, createWorkUnit, listLocations, listWorkUnits, updateLocation } from './orval/api.ts';
        export async function use({ address, authorization, tenantId }: { address: string; authorization: string; tenantId: string }) {
          const hostless = globalThis.fetch;
          globalThis.fetch = (to, options) => hostless(address + String(to), options);
          try {
            const options = { headers: { authorization } };
            const created = await createLocation({ name: 'Made by orval', tenantId }, options);
            if (created.status !== 201) throw new Error(JSON.stringify(created));
            const changed = await updateLocation(created.data.locationId ?? '', { name: 'Changed by orval' }, options);
            const listed = await listLocations({ $filter: "name eq 'Changed by orval'", $count: true }, options);
            const refused = await createWorkUnit({ title: '', tenantId, workUnitTypeId: 1 } as never, options);
            const units = await listWorkUnits({ $top: 1 }, options);
            if (listed.status !== 200 || units.status !== 200 || refused.status !== 400) throw new Error(JSON.stringify([listed, units, refused]));
            // A list may come as CSV, to who accepts that.
            if (typeof listed.data === 'string') throw new Error(listed.data);
            const rows = listed.data.value.map(({ name }) => name);
            return { created: created.data.name, changed: changed.status, rows, count: listed.data['@odata.count'], refused: refused.data.error.code };
          } finally {
            globalThis.fetch = hostless;
          }
        }`,
    },
  },
  heyApi: {
    args: [join(packages, '@hey-api/openapi-ts/bin/run.js'), '-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch'],
    files: {
      'use-heyApi.ts': `import { createLocation, createWorkUnit, listLocations, updateLocation } from './hey';
        import { client } from './hey/client.gen';
        export async function use({ address, authorization, tenantId }: { address: string; authorization: string; tenantId: string }) {
          client.setConfig({ baseUrl: address as never, headers: { authorization } });
          const created = await createLocation({ body: { name: 'Made by heyApi', tenantId }, throwOnError: true });
          const locationId = created.data?.locationId ?? '';
          const changed = await updateLocation({ path: { locationId }, body: { name: 'Changed by heyApi' } });
          const listed = await listLocations({ query: { $filter: "name eq 'Changed by heyApi'", $count: true }, throwOnError: true });
          const refused = await createWorkUnit({ body: { title: '', tenantId, workUnitTypeId: 1 } as never });
          const rows = listed.data.value.map(({ name }) => name);
          const made = created.data?.name;
          return { created: made, changed: changed.response?.status, rows, count: listed.data['@odata.count'], refused: refused.error?.error.code };
        }`,
    },
  },
  kubb: {
    args: [join(packages, '@kubb/cli/bin/kubb.cjs'), 'generate', '--config', 'kubb.config.mjs', '--logLevel', 'silent'],
    files: {
      'kubb.config.mjs': `${['core:defineConfig', 'plugin-oas:pluginOas', 'plugin-ts:pluginTs', 'plugin-client:pluginClient']
        .map((text) => text.split(':') as [string, string])
        .map(([name, it]) => `import { ${it} } from ${JSON.stringify(pathToFileURL(join(packages, '@kubb', name, 'dist/index.js')))};`)
        .join('\n')}
        // Types of all schemas, and calls of some tags: all calls take 20 s.
        const include = [{ type: 'tag', pattern: /^(Locations|Packages|Agents and integrations|Work Units)$/ }];
        export default defineConfig({
          input: { path: './openapi.json' },
          output: { path: './kubb', format: false, lint: false },
          plugins: [
            pluginOas({ generators: [] }),
            pluginTs({ include, output: { path: 'types' } }),
            pluginClient({ include, output: { path: 'clients' }, client: 'fetch', bundle: true }),
          ],
        });`,
      'use-kubb.ts': `import { createLocation, createWorkUnit, listLocations, updateLocation } from './kubb/index.ts';
        export async function use({ address, authorization, tenantId }: { address: string; authorization: string; tenantId: string }) {
          // Its fetch names no type of the body.
          const config = { baseURL: address, headers: { authorization, 'content-type': 'application/json' } };
          const created = await createLocation({ name: 'Made by kubb', tenantId }, undefined, config);
          await updateLocation(created?.locationId ?? '', { name: 'Changed by kubb' }, undefined, config);
          const listed = await listLocations({ $filter: "name eq 'Changed by kubb'", $count: true }, undefined, config);
          const refused = await createWorkUnit({ title: '', tenantId, workUnitTypeId: 1 } as never, undefined, config);
          const rows = listed.value.map(({ name }) => name);
          // Its fetch does not tell a refusal from a success.
          const { error } = refused as unknown as { error: { code: string } };
          return { created: created?.name, rows, count: listed['@odata.count'], refused: error.code };
        }`,
    },
  },
};

/** Each takes many seconds to generate and to compile, so `npm test` has one of them. */
const chosen = Object.entries(clients).filter(([name]) => isLong || name === 'orval');

let world: TestWorld;
let server: Server;

describe.skipIf(!isInstalled)(`generated clients (skipped without ${packages})`, () => {
  beforeAll(async () => {
    world = await createWorld();
    const { tenantId } = await world.tenant();
    const { root, authorization } = await world.connect(holder([tenantId]));
    server = { address: root.replace('/v1', ''), authorization, tenantId };
    await mkdir(folder, { recursive: true });
    const { text } = await world.call(holder([]), 'GET', '/v1/openapi.json');
    const files = chosen.flatMap(([, client]) => Object.entries(client.files));
    for (const [name, content] of [['openapi.json', text], ...files] as const) await writeFile(join(folder, name), content);
    for (const [, { args }] of chosen) {
      const problem = await run(...args);
      if (problem) throw new Error(problem);
    }
  }, 300_000);
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('compile strictly', async () => {
    const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable'];
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions', '--ignoreConfig'];
    const sources = chosen.map(([name]) => `use-${name}.ts`);
    expect(await run(compiler, ...strict, ...modules, ...sources)).toBe('');
  });

  it.each(chosen.map(([name]) => name))('read, create, change and are refused: %s', async (name) => {
    const { use } = (await import(/* @vite-ignore */ join(folder, `use-${name}.ts`))) as { use: Use };
    expect(await use(server)).toMatchObject({
      created: `Made by ${name}`,
      rows: [`Changed by ${name}`],
      count: 1,
      refused: 'ValidationFailed',
    });
  });
});

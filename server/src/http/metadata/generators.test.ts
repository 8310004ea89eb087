/** Tools of other projects that read the description of the API: a linter, and a generator whose types must compile. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { allActions } from '../../testing/all-actions.ts';
import { openApi } from './openapi.ts';

const require = createRequire(import.meta.url);
const project = join(import.meta.dirname, '../../../..');
const folder = join(project, 'test-results', `openapi-${process.pid}`);
const source = JSON.stringify(openApi(resources, allActions(), { version: '1.0.0', publicUrl: 'https://cloudfit.example.com' }));

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

it('redocly finds no error in /v1/openapi.json', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: join(folder, 'openapi.json'), config });
  expect(problems.filter(({ severity }) => severity === 'error').map(({ message, location }) => [message, location[0]?.pointer])).toEqual(
    [],
  );
});

it('openapi-typescript generates types that compile', async () => {
  await writeFile(join(folder, 'openapi.json'), source);
  // The generator needs the compiler of TypeScript 5, a dependency of another development tool.
  const hook =
    'import{registerHooks}from"node:module";registerHooks({resolve:(s,c,n)=>n(s==="typescript"?"@ts-morph/common/dist/typescript.js":s,c)})';
  const generator = join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js');
  const run = promisify(execFile);
  await run(process.execPath, ['--import', `data:text/javascript,${hook}`, generator, 'openapi.json', '-o', 'api.ts'], { cwd: folder });
  await writeFile(
    join(folder, 'use.ts'),
    `import type { components, operations, paths } from './api.ts';
    type Unit = components['schemas']['WorkUnit'];
    export const texts = (unit: Unit): (string | undefined)[] => [unit.title, unit.tenantId, unit.tenant?.name, unit.notes?.[0]?.detail];
    export const bulk: Bulk = { ids: [5], newState: { severityId: 'Sev4' } };
    export const campaign = (answer: operations['startCampaign']['responses'][200]['content']['application/json']): string | undefined => answer.state;
    export type Created = operations['createWorkUnit']['responses'][201]['content']['application/json'];
    export type List = paths['/v1/workUnits']['get']['parameters']['query'];
    export type Bulk = paths['/v1/workUnits']['patch']['requestBody']['content']['application/json'];`,
  );
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const options = [
    '--noEmit',
    '--strict',
    '--allowImportingTsExtensions',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--ignoreConfig',
  ];
  const errors = await run(process.execPath, [compiler, ...options, 'use.ts'], { cwd: folder }).then(
    () => '',
    (error: unknown) => (error as { stdout: string }).stdout,
  );
  expect(errors).toBe('');
}, 120_000);

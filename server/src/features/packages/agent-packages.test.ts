import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentFolders } from '../../platform/agent-files.ts';
import { testPackageKey } from '../../testing/packages/key.ts';
import { manifestOf, zipOf } from '../../testing/packages/zip.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { offerAgentPackages } from './agent-packages.ts';
import { folderStore } from './folder-store.ts';

let folder: string;
let world: TestWorld;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-packages-'));
  world = await createWorld();
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

const file = 'cloudfit-agent-linux-x64';
async function build(version: string): Promise<void> {
  const built = join(folder, 'dist');
  await mkdir(built, { recursive: true });
  const manifest = manifestOf({
    name: 'CloudFit agent for Linux x64',
    version,
    type: 'AgentLogic',
    executable: 'cloudfit-agent',
    executableType: 'Executable',
    operations: [],
  });
  await writeFile(join(built, `${file}.zip`), await zipOf({ 'cloudfit.json': JSON.stringify(manifest), 'cloudfit-agent': version }));
  const entry = { platform: 'linux-x64', version, file, size: version.length, sha256: 'x' };
  await writeFile(join(built, 'index.json'), JSON.stringify({ version, files: [entry] }));
}

it('puts each version of the agent that is built into the catalogue, once, and offers nothing where nothing is built', async () => {
  const offer = () =>
    offerAgentPackages(world.system, {
      store: folderStore(join(folder, 'files')),
      key: testPackageKey(),
      incoming: join(folder, 'incoming'),
      folders: { ...agentFolders, built: join(folder, 'dist') },
    });
  const versions = async () => {
    const { body } = await world.call(
      holder('all'),
      'GET',
      `/v1/packages?$filter=name eq 'CloudFit agent for Linux x64'&$expand=packageVersions($orderby=version)`,
    );
    return (body.value ?? []).map((row) => [
      row['packageTypeId'],
      (row['packageVersions'] as { version: string }[]).map(({ version }) => version),
    ]);
  };
  await offer();
  expect(await versions()).toEqual([]);
  await build('1.0.0');
  await Promise.all([offer(), offer()]);
  await offer();
  expect(await versions()).toEqual([[4, ['1.0.0']]]);
  await build('1.1.0');
  await offer();
  expect(await versions()).toEqual([[4, ['1.0.0', '1.1.0']]]);
});

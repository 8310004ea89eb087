/** The agent's executables for other platforms than this one, run by emulators where they are installed. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash, verify } from 'node:crypto';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mountAgentFiles } from '../../../http/agent-files.ts';
import { agentFolders } from '../../../platform/agent-files.ts';
import { startAgentSite } from '../../../testing/agent-site.ts';
import { buildAgent, ownPlatform } from '../../../testing/built-agent.ts';

let folder: string;
const started: ChildProcess[] = [];
const has = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;
/**
 * The environment of Wine, and the exit code of its set-up as Windows 10, which runs while the first executable is built;
 * undefined without Wine.
 */
let wine: { env: NodeJS.ProcessEnv; isSetUp: Promise<number | null> } | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-platforms-'));
  if (ownPlatform === undefined || !has('wine')) return;
  const env = { PATH: process.env['PATH'], HOME: folder, WINEPREFIX: join(folder, 'wine'), WINEDEBUG: '-all', WINEARCH: 'win64' };
  const setUp = spawn('wine', ['winecfg', '-v', 'win10'], { env, stdio: 'ignore' });
  started.push(setUp);
  wine = { env, isSetUp: new Promise((resolve) => setUp.once('exit', resolve)) };
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  if (wine) spawnSync('wineserver', ['-k'], { env: wine.env });
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});

// Executables can be built on Linux only.
it.skipIf(ownPlatform === undefined)(
  'an executable for arm64 is built, served with checksum and signature, and starts',
  async (context) => {
    const built = buildAgent(join(folder, 'dist'), 'linux-arm64', '3.2.1');
    // Skipped if the Node of the other platform, which is downloaded from npm, is missing.
    if ('reason' in built) return context.skip(built.reason);
    const program = readFileSync(built.file);
    // The header of ELF: 64 bits, little endian, machine 183 (AArch64).
    expect([program.subarray(0, 6).toString('latin1'), program.readUInt16LE(18)]).toEqual(['\x7fELF\x02\x01', 183]);

    const app = Fastify();
    try {
      await mountAgentFiles(app, { folders: { ...agentFolders, built: join(folder, 'dist') }, publicUrl: 'https://cloudfit.example' });
      const get = async (name: string) => (await app.inject({ url: `/agent/${name}` })).rawPayload;
      const sums = await get('SHA256SUMS');
      const sha256 = createHash('sha256')
        .update(await get('cloudfit-agent-linux-arm64'))
        .digest('hex');
      expect(sums.toString()).toBe(`${sha256}  cloudfit-agent-linux-arm64\n`);
      expect(verify(null, sums, (await get('cloudfit-agent.pub')).toString(), await get('SHA256SUMS.sig'))).toBe(true);
    } finally {
      await app.close();
    }

    const libraries = '/usr/aarch64-linux-gnu';
    const isOwn = process.arch === 'arm64';
    if (!isOwn && !(has('qemu-aarch64') && existsSync(join(libraries, 'lib/libstdc++.so.6'))))
      return context.skip('It is not started here: qemu-user, libc6-arm64-cross and libstdc++6-arm64-cross are not installed.');
    const command = isOwn ? built.file : 'qemu-aarch64';
    const ran = spawnSync(command, [...(isOwn ? [] : ['-L', libraries, built.file]), '--version'], { encoding: 'utf8' });
    expect([ran.status, ran.stdout]).toEqual([0, '3.2.1\n']);
  },
  240_000,
);

it.skipIf(ownPlatform === undefined)(
  'the executable for Windows enrols, reports and runs a command under Wine',
  async (context) => {
    if (!wine) return context.skip('Wine is not installed.');
    const built = buildAgent(join(folder, 'dist-win'), 'win-x64', '3.2.1');
    if ('reason' in built) return context.skip(built.reason);
    const [isSetUp, site] = await Promise.all([wine.isSetUp, startAgentSite()]);
    try {
      expect(isSetUp).toBe(0);
      const token = await site.tokenFor(site.tenantId, '--scopes', 'agent,ingest');
      // Wine starts the agent only if its standard output is a file.
      const printed = openSync(join(folder, 'printed.txt'), 'a');
      const env = {
        ...wine.env,
        CLOUDFIT_URL: site.server.url,
        CLOUDFIT_TOKEN: token,
        CLOUDFIT_STATE_DIR: `Z:${site.stateDir.replaceAll('/', '\\')}`,
      };
      const agent = spawn('wine', [built.file], { env, stdio: ['ignore', printed, printed] });
      started.push(agent);
      const pending = await site.until<{ id: string; os: string }>(
        'the machine registers',
        "select pending_device_id as id, operating_system as os from pending_device where tenant_id = $1 and operating_system like '%Windows%'",
        [site.tenantId],
        120_000,
      );
      const { value } = await site.call('POST', '/v1/pendingdevices/batchpromote', {
        items: [pending.id],
        subscriptionId: site.subscriptionId,
      });
      const deviceId = (value as { deviceId: string }[])[0]?.deviceId;
      const packet = await site.until<{ version: string }>(
        'a packet',
        "select message->'Properties'->>'AgentVersion' as version from latest_packet where entity_id = $1",
        [deviceId],
        120_000,
      );
      expect(packet.version).toBe('3.2.1');
      const script = 'console.log(JSON.stringify({ value: process.platform }));';
      const operations = await site.install(
        {
          name: 'Command of the test',
          version: '1.0.0',
          type: 'Command',
          executable: 'run.mjs',
          executableType: 'Script',
          operations: [{ name: 'Say', frequencies: ['OnDemand'], output: 'json' }],
        },
        { 'run.mjs': script },
      );
      const { deviceOperationId } = await site.call('PUT', '/v1/deviceOperations', {
        deviceId,
        operationId: operations['Say'],
        label: 'Say',
        frequencyTypeId: 1,
        enabled: true,
      });
      const { completionToken } = await site.call('POST', `/v1/deviceOperations/${String(deviceOperationId)}/enqueueOnDemand`, {});
      const run = await site.until(
        'the run ends',
        'select status, message, exit_code, value, output from operation_run where operation_run_id = $1 and ended is not null',
        [completionToken],
        120_000,
      );
      expect(run).toMatchObject({ status: 'Success', value: 'win32', exit_code: 0 });
    } finally {
      await site.close();
    }
  },
  480_000,
);

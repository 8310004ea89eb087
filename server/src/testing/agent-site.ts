/** A real server and real agents on this machine, with packages that a test uploads, for tests of what devices do. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { programOf } from '../../../scripts/server/program.mjs';
import { runAdmin } from '../admin/run.ts';
import { testDatabase } from './database.ts';
import { multipartOf, zipOf } from './packages/zip.ts';
import { serverProcess, type ServerProcess } from './server-process.ts';

type JsonRow = Record<string, unknown>;

export interface AgentProcess {
  pid(): number;
  /** What the agent printed: its standard output and error output. */
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Its exit code when it ends; null after a signal. */
  ended: Promise<number | null>;
}

export interface AgentSite {
  server: ServerProcess;
  client: pg.Client;
  tenantId: string;
  subscriptionId: string;
  stateDir: string;
  /** Creates a token with the command `token add`; `args` are further options of the command. */
  tokenFor(tenantId: string, ...args: string[]): Promise<string>;
  /** Calls the API with all permissions in the tenant; throws unless the call succeeds. */
  call(method: string, path: string, body?: object): Promise<JsonRow>;
  startAgent(env?: Record<string, string>, args?: readonly string[]): AgentProcess;
  /** Waits until a started agent has registered, promotes its machine, and returns the id of the device. */
  promote(): Promise<string>;
  /** Uploads a zip for the tenant. */
  upload(zip: Buffer): Promise<{ packageId: string; packageVersionId: string }>;
  /** Uploads a package; devices with an enabled operation of it install it. Returns the ids of its operations by name. */
  install(manifest: JsonRow, files: Readonly<Record<string, string>>): Promise<Record<string, string>>;
  /** Repeats the query `text` until it returns a row; throws after `patienceMs`, with the latest runs of operations. */
  until<T extends JsonRow>(what: string, text: string, values?: readonly unknown[], patienceMs?: number): Promise<T>;
  close(): Promise<void>;
}

export async function startAgentSite(options: { databaseUrl?: string; port?: number } = {}): Promise<AgentSite> {
  const database = options.databaseUrl === undefined ? await testDatabase() : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const server = await serverProcess({
    databaseUrl,
    env: { EXIT_WITH_PARENT: String(process.pid) },
    ...(options.port ? { port: options.port } : {}),
  });
  await server.start();
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  const home = mkdtempSync(join(tmpdir(), 'cloudfit-agent-'));
  chmodSync(home, 0o711);
  const stateDir = join(home, 'state');
  const agents: ChildProcess[] = [];

  async function tokenFor(tenantId: string, ...args: string[]): Promise<string> {
    const lines: string[] = [];
    const output = { out: (line: string) => lines.push(line), err: (line: string) => lines.push(line), readInput: async () => '' };
    const all = ['token', 'add', '--name', `Test ${args.join(' ')}`, '--tenant', tenantId, ...args, '--json'];
    if ((await runAdmin(all, { DATABASE_URL: databaseUrl, DATA_DIR: server.dataDir }, output)) !== 0) throw new Error(lines.join('\n'));
    return (JSON.parse(lines.join('')) as { token: string }).token;
  }

  const {
    rows: [subscription],
  } = await client.query<{ tenant_id: string; subscription_id: string }>(
    `with t as (insert into tenant (name) values ('Agents') returning tenant_id)
     insert into subscription (tenant_id, name) select tenant_id, 'Default' from t returning tenant_id, subscription_id`,
  );
  if (!subscription) throw new Error('No tenant was inserted.');
  const { tenant_id: tenantId, subscription_id: subscriptionId } = subscription;
  const token = await tokenFor(tenantId, '--scopes', 'ingest', '--set', 'Administrator');
  const agentToken = await tokenFor(tenantId, '--scopes', 'agent,ingest');

  async function send(method: string, path: string, headers: Record<string, string>, body?: string | Buffer): Promise<JsonRow> {
    const answer = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body: body as BodyInit }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as JsonRow;
  }

  const call = (method: string, path: string, body?: object) =>
    body === undefined ? send(method, path, {}) : send(method, path, { 'content-type': 'application/json' }, JSON.stringify(body));

  function startAgent(env: Record<string, string> = {}, args: readonly string[] = []): AgentProcess {
    let output = '';
    const { file, compileCache } = programOf('agent/src/main.ts');
    const child = spawn(process.execPath, [file, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_COMPILE_CACHE: compileCache,
        CLOUDFIT_URL: server.url,
        CLOUDFIT_TOKEN: agentToken,
        CLOUDFIT_STATE_DIR: stateDir,
        ...env,
      },
    });
    agents.push(child);
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const exited = new Promise<number | null>((done) => child.once('exit', done));
    return {
      pid: () => child.pid ?? 0,
      output: () => output,
      ended: exited,
      stop: async (signal = 'SIGTERM') => {
        child.kill(signal);
        await exited;
      },
    };
  }

  async function until<T extends JsonRow>(what: string, text: string, values: readonly unknown[] = [], patienceMs = 40_000): Promise<T> {
    for (const end = Date.now() + patienceMs; ;) {
      const [row] = (await client.query<T>(text, [...values])).rows;
      if (row) return row;
      if (Date.now() > end) {
        const { rows } = await client.query(
          'select status, message, left(output, 500) as output, started, ended from operation_run order by started desc limit 10',
        );
        throw new Error(
          `Did not come about within ${patienceMs} ms: ${what}\n${JSON.stringify(rows, null, 1)}\n${server.output().slice(-2_000)}`,
        );
      }
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  async function upload(zip: Buffer): Promise<{ packageId: string; packageVersionId: string }> {
    const { body, headers } = multipartOf({ label: 'Test', tenantId }, [zip]);
    const { value } = await send('POST', '/v1/packages/upload', headers, body);
    const [version] = value as { packageId: string; packageVersionId: string }[];
    if (!version) throw new Error('The package was not uploaded.');
    return version;
  }

  return {
    server,
    client,
    tenantId,
    subscriptionId,
    stateDir,
    tokenFor,
    call,
    startAgent,
    until,
    upload,
    promote: async () => {
      const { id } = await until<{ id: string }>(
        'the machine registers',
        'select pending_device_id as id from pending_device where tenant_id = $1 and machine_name = $2',
        [tenantId, hostname().slice(0, 200)],
      );
      const { value } = await call('POST', '/v1/pendingdevices/batchpromote', { items: [id], subscriptionId });
      return (value as { deviceId: string }[])[0]?.deviceId ?? '';
    },
    install: async (manifest, files) => {
      const contents = { 'cloudfit.json': JSON.stringify(manifest), ...files };
      await upload(await zipOf(contents));
      const { rows } = await client.query<{ operation_id: string; name: string }>(
        `select o.operation_id, o.name from package p join package_version v on v.package_id = p.package_id
           join operation o on o.package_id = p.package_id where p.tenant_id = $1 and p.name = $2 and v.version = $3 and not o.is_deleted`,
        [tenantId, manifest['name'], manifest['version']],
      );
      return Object.fromEntries(rows.map((row) => [row.name, row.operation_id]));
    },
    close: async () => {
      for (const agent of agents) if (agent.exitCode === null && agent.signalCode === null) agent.kill('SIGKILL');
      await client.end();
      await server.remove();
      await database?.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

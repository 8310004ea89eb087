/** What a load needs in an installation: a token with all permissions in its tenant, and devices. */
import pg from 'pg';
import { runAdmin } from '../../admin/run.ts';

export interface FaultSite {
  tenantId: string;
  token: string;
  tokenId: string;
  hotDevices: readonly string[];
  coolDevices: readonly string[];
}

async function addToken(env: Record<string, string>, tenantId: string): Promise<{ token: string; tokenId: string }> {
  const lines: string[] = [];
  const args = ['token', 'add', '--name', 'Load', '--tenant', tenantId, '--scopes', 'ingest', '--set', 'Administrator', '--json'];
  const code = await runAdmin(args, env, {
    out: (line) => lines.push(line),
    err: (line) => lines.push(line),
    readInput: () => Promise.resolve(''),
  });
  if (code !== 0) throw new Error(lines.join('\n'));
  return JSON.parse(lines.join('')) as { token: string; tokenId: string };
}

/** `env` selects the installation by DATA_DIR or DATABASE_URL, as on the command line; its server must have run once. */
export async function prepareSite(
  client: pg.Client,
  env: Record<string, string>,
  count: { hot: number; cool: number },
): Promise<FaultSite> {
  const {
    rows: [home],
  } = await client.query<{ tenant_id: string; subscription_id: string }>(
    'select tenant_id, subscription_id from subscription order by created limit 1',
  );
  if (!home) throw new Error('There is no first tenant.');
  const { rows } = await client.query<{ device_id: string }>(
    `insert into device (tenant_id, subscription_id, name) select $1, $2, 'Load ' || n from generate_series(1, $3::int) as n returning device_id`,
    [home.tenant_id, home.subscription_id, count.hot + count.cool],
  );
  // `verify` expects a work unit for each match, so no storm may group matches.
  await client.query('update rule set storm_limit = 10000');
  await client.query("select pg_notify('rules', '')");
  const devices = rows.map((row) => row.device_id);
  const { token, tokenId } = await addToken(env, home.tenant_id);
  return { tenantId: home.tenant_id, token, tokenId, hotDevices: devices.slice(0, count.hot), coolDevices: devices.slice(count.hot) };
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // Tests kill the database while this client is connected; without a listener the error would end the test process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

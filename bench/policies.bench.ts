/** Measures policies over many devices: what a device has, what a change would do, saving it, and following changed devices. */
import pg from 'pg';
import { serverProcess } from '../server/src/testing/server-process.ts';
import { percentile, type BenchRow } from './load.ts';
import { addDevices, addToken, caller, findHome } from './site.ts';

const deviceCount = Number(process.env['BENCH_POLICY_DEVICES'] ?? 20_000);
const policyCount = 50;
const reads = 300;
const plans = 5;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Selections of a fiftieth to all of the devices, each with a policy; every device has what its policies say already. */
const fill = `with s as (
  insert into device_selection (tenant_id, name, filter, created_by, modified_by)
  select $1, 'selection ' || n, 'contains(name,''-' || n || ''')', 'bench', 'bench' from generate_series(1, $2::int) n returning device_selection_id, split_part(name, ' ', 2)::int as n
), m as (
  insert into selection_member (tenant_id, device_selection_id, device_id)
  select $1, s.device_selection_id, d.device_id from s join device d on d.tenant_id = $1 and (s.n <= 5 or hashtext(d.name) % $2 = s.n - 1 or hashtext(d.name) % 10 = s.n % 10)
)
insert into device_policy (tenant_id, device_selection_id, name, rank, tags, heartbeat_interval, rule_values, created_by, modified_by)
select $1, device_selection_id, 'policy ' || n, n, 'tag-' || n || ', common', 60 + n, 'limit' || (n % 7) || ' = ' || n, 'bench', 'bench' from s`;

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const server = await serverProcess({ databaseUrl: url, env: { EXIT_WITH_PARENT: String(process.pid) } });
  const client = new pg.Client({ connectionString: url });
  try {
    await server.start();
    await client.connect();
    const home = await findHome(client);
    const devices = await addDevices(client, home, deviceCount);
    await client.query(fill, [home.tenantId, policyCount]);
    await client.query('analyze');
    const operator = caller(server.url, await addToken(client, home.tenantId));
    const states: number[] = [];
    for (let n = 0; n < reads; n++) {
      const device = devices[(n * 7_919) % devices.length];
      states.push(await timed(() => operator.call('GET', `/v1/devices/${device?.deviceId ?? ''}/policyState`)));
    }
    const { rows } = await client.query<{ policyId: string; deviceSelectionId: string }>(
      'select p.policy_id as "policyId", s.device_selection_id as "deviceSelectionId" from device_policy p join device_selection s on s.device_selection_id = p.device_selection_id order by p.rank limit 1',
    );
    const [first] = rows;
    if (!first) throw new Error('There is no policy.');
    const draft = { ...first, tenantId: home.tenantId, rank: 1, tags: 'tag-1, common, new', heartbeatInterval: 15 };
    const [planned, saved]: [number[], number[]] = [[], []];
    for (let n = 0; n < plans; n++) {
      planned.push(await timed(() => operator.call('POST', '/v1/policies/preview', draft)));
      saved.push(await timed(() => operator.call('POST', `/v1/policies/${first.policyId}`, { heartbeatInterval: 15 + n })));
    }
    operator.close();
    return [
      {
        name: `what a device of ${deviceCount} has by ${policyCount} policies, ${reads} times`,
        figures: { 'p50 ms': percentile(states, 0.5), 'p95 ms': percentile(states, 0.95) },
      },
      {
        name: `a change of a policy of all ${deviceCount} devices, ${plans} times`,
        figures: { 'plan p95 ms': percentile(planned, 0.95), 'save p95 ms': percentile(saved, 0.95) },
      },
    ];
  } finally {
    await client.end();
    await server.remove();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));

/** Reads all work units by next links while others are created and deleted. Each unit that stays must come exactly once. */
import http from 'node:http';
import type pg from 'pg';
import { percentile, type BenchRow } from '../load.ts';

const pageSize = 1_000;
/** The number of units that are created between two pages; at most as many are deleted. */
const changesPerPage = 20;

interface ChainPage {
  value: { workUnitId: number }[];
  '@odata.nextLink'?: string;
}

function get(agent: http.Agent, url: URL, bearer: string): Promise<ChainPage> {
  const headers = { authorization: `Bearer ${bearer}`, prefer: `odata.maxpagesize=${pageSize}` };
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString();
          if (answer.statusCode === 200) resolve(JSON.parse(text) as ChainPage);
          else reject(new Error(`${url.href} answered ${answer.statusCode ?? 0}: ${text.slice(0, 300)}`));
        });
      })
      .on('error', reject);
  });
}

async function changeUnits(client: pg.Client, tenant: string): Promise<void> {
  await client.query({
    name: 'chain-insert',
    text: `insert into work_unit (tenant_id, title, severity_id, work_unit_type_id, created_by, modified_by)
      select $1, 'Gateway ' || (random() * 900000)::int || ' came later', 'Sev3', 1, 'bench', 'bench' from generate_series(1, ${changesPerPage})`,
    values: [tenant],
  });
  await client.query({
    name: 'chain-delete',
    // Deletes no units with notes.
    text: `delete from work_unit t where work_unit_id in (
        select (random() * (select max(work_unit_id) from work_unit))::bigint from generate_series(1, ${changesPerPage}))
      and not exists (select from work_unit_note n where n.work_unit_id = t.work_unit_id)`,
  });
}

export async function chainOverHttp(
  { port, bearer }: { port: number; bearer: string },
  client: pg.Client,
  tenant: string,
  order: string,
): Promise<BenchRow> {
  const idsNow = async (): Promise<number[]> =>
    (await client.query<{ id: number }>('select work_unit_id as id from work_unit')).rows.map(({ id }) => id);
  const before = await idsNow();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const read = new Set<number>();
  const times: number[] = [];
  let twice = 0;
  const origin = `http://127.0.0.1:${port}`;
  for (let next: string | undefined = `/v1/workUnits?$select=workUnitId&$orderby=${encodeURIComponent(order)}`; next !== undefined;) {
    const { pathname, search } = new URL(next, origin);
    const started = performance.now();
    const page = await get(agent, new URL(pathname + search, origin), bearer);
    times.push(performance.now() - started);
    for (const { workUnitId } of page.value) {
      if (read.has(workUnitId)) twice += 1;
      read.add(workUnitId);
    }
    next = page['@odata.nextLink'];
    await changeUnits(client, tenant);
  }
  agent.destroy();
  const left = new Set(await idsNow());
  const missed = before.filter((id) => left.has(id) && !read.has(id)).length;
  return {
    name: `${before.length.toLocaleString('en')} work units read by their next links, by ${order}, in ${times.length} pages of ${pageSize}; ${changesPerPage} created and up to ${changesPerPage} deleted between two pages`,
    figures: {
      'twice or missed': twice + missed,
      rows: read.size,
      'page p50 ms': percentile(times, 0.5),
      'page p95 ms': percentile(times, 0.95),
    },
  };
}

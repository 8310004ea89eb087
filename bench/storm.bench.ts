/** Measures a storm: 10,000 matches of one rule, while the server gets as many packets as it accepts and serves a list. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import { serverProcess } from '../server/src/testing/server-process.ts';
import { percentile, type BenchRow } from './load.ts';
import { batchSize, sendInThread } from './packets.ts';
import { addDevices, addToken, caller, findHome, type SubscriptionIds } from './site.ts';

const matchCount = 10_000;
const crowdSize = 400;
const seconds = Number(process.env['BENCH_SECONDS'] ?? 20);
const rule = 'Storm of the bench';

async function addRule(client: pg.Client, { tenantId, subscriptionId }: SubscriptionIds, url: string): Promise<void> {
  const {
    rows: [action],
  } = await client.query<{ id: string }>(
    `insert into action_definition (tenant_id, name, action_definition_type_id, endpoint_url, http_method) values ($1, 'Call', 4, $2, 'POST')
     returning action_definition_id as id`,
    [tenantId, url],
  );
  const conditions = [
    { Type: 'And', LeftOperand: operandId.metric, LeftOperandFieldName: 'Storm', Operator: operatorId.greaterThan, RightOperand: '90' },
  ];
  const actions = [builtInAction.createWorkUnit, action?.id].map((ActionDefinitionId) => ({ ActionDefinitionId, Parameters: {} }));
  await client.query(
    `insert into rule (tenant_id, subscription_id, name, rule_type_id, match_lifetime, conditions, match_actions) values ($1, $2, '${rule}', 1, 3600, $3, $4)`,
    [tenantId, subscriptionId, JSON.stringify(conditions), JSON.stringify(actions)],
  );
  await client.query("select pg_notify('rules', '')");
}

async function countOf(client: pg.Client, text: string): Promise<number> {
  const { rows } = await client.query<{ n: number }>(text);
  return rows[0]?.n ?? 0;
}

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  let calls = 0;
  const receiver = http.createServer((request, response) => {
    calls += 1;
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const server = await serverProcess({ databaseUrl: url, env: { EXIT_WITH_PARENT: String(process.pid), OUTBOUND_ALLOW: '127.0.0.1' } });
  const client = new pg.Client({ connectionString: url });
  try {
    await server.start();
    await client.connect();
    const home = await findHome(client);
    const crowd = (await addDevices(client, home, crowdSize)).map((device) => device.deviceId);
    const hit = (await addDevices(client, home, matchCount)).map((device) => device.deviceId);
    await addRule(client, home, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    await client.query('analyze');
    const token = await addToken(client, home.tenantId);
    const { call, close } = caller(server.url, token);
    await sleep(1_500);
    const load = { port: Number(new URL(server.url).port), token, devices: crowd, seconds };
    await sendInThread({ ...load, seconds: 2 });
    const full = await sendInThread(load);
    const loading = sendInThread(load);
    const pages: number[] = [];
    const began = performance.now();
    for (let at = 0; at < matchCount; at += batchSize) {
      await sleep(Math.max(0, began + (at / matchCount) * seconds * 1_000 - performance.now()));
      const batch = hit.slice(at, at + batchSize).map((entityId) => ({ entityId, message: { Metrics: { Storm: 99 } } }));
      await call('POST', '/v1/packets', batch);
      const started = performance.now();
      await call('GET', '/v1/workunits?$orderby=created desc&$top=25&$count=true');
      pages.push(performance.now() - started);
    }
    const opened = performance.now() - began;
    const sent = await loading;
    const failure = full.failure ?? sent.failure;
    if (failure) throw new Error(`A batch failed: ${failure}`);
    const waits = 'select count(*)::int as n from match_group_member where match_group_id is null';
    while ((await countOf(client, waits)) > 0) await sleep(100);
    const settled = performance.now() - began;
    close();
    const [before, during] = [full.batches, sent.batches].map((batches) => Math.round((batches * batchSize) / seconds)) as [number, number];
    const name = `${matchCount} matches of one rule over ${seconds} s, beside packets at full pace`;
    return [
      { name, figures: { 'full packets/s': before, 'storm packets/s': during }, ratio: { of: 'full pace', value: during / before } },
      {
        name: 'what became of them',
        figures: {
          matches: await countOf(client, 'select count(*)::int as n from rule_match'),
          'work units': await countOf(client, `select count(*)::int as n from work_unit where title like '%${rule}%'`),
          calls,
          'opened s': Math.round(opened / 100) / 10,
          'joined s': Math.round(settled / 100) / 10,
        },
      },
      { name: 'a page of work units meanwhile', figures: { 'page p95 ms': percentile(pages, 0.95) } },
    ];
  } finally {
    receiver.close();
    await client.end();
    await server.remove();
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));

/**
 * Receivers of actions that hang, answer slowly, or answer after the server was killed: nothing is lost, nobody else
 * waits, and a repeat has the same idempotency key.
 */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { createFlow, cpu, cpuOver90, send, silent, until } from '../../rules/testing/flow.ts';
import { destinationBreaker } from '../../automation/destinations.ts';
import { openOutboundHttp } from '../../outbound/http.ts';
import { testDatabase } from '../database.ts';
import { serverProcess } from '../server-process.ts';
import { addHook, openReceiver, startActionWorker, type ReceiverMood, type TestReceiver } from './receiver.ts';
import { connect, prepareSite } from './site.ts';

let receiver: TestReceiver;
let base: string;
let mood: ReceiverMood = 'well';
const callsOf = (path: string) => receiver.calls.filter((call) => call.path === path);

beforeAll(async () => {
  receiver = await openReceiver(({ path }) => (path === '/well' ? 'well' : mood));
  base = `http://127.0.0.1:${receiver.port}`;
});
afterAll(() => receiver.close());

it.for(['hang', 'drip'] as const)('receivers that %s fail in time, hold up no other tenant, and get the same key again', async (how) => {
  mood = how;
  receiver.calls.length = 0;
  const flow = await createFlow();
  const ingest = await flow.openIngest();
  // As in the server: the circuit of a failing receiver opens, so that calls of other tenants do not wait for it.
  const outbound = openOutboundHttp({ allow: ['127.0.0.1'], totalMs: 1_000, breaker: destinationBreaker(flow.database.scoped('all')) });
  const worker = await startActionWorker(flow, outbound);
  try {
    const otherCtx = {
      ...systemCtx({ database: flow.database, log: silent, name: 'test', tenants: [flow.otherTenantId] }),
      actor: flow.ctx.actor,
    };
    const sites = [
      { tenantId: flow.tenantId, path: '/ill', ctx: flow.ctx, count: 8 },
      { tenantId: flow.otherTenantId, path: '/well', ctx: otherCtx, count: 20 },
    ];
    for (const { tenantId, path, ctx, count } of sites) {
      const [action] = await flow.rows<{ id: string }>(addHook, tenantId, `${base}${path}`);
      const rule = await flow.rule({
        tenantId,
        conditions: [cpuOver90],
        matchActions: [{ ActionDefinitionId: action?.id ?? '', Parameters: {} }],
      });
      await until(() => ingest.rules.ingestion().get(rule));
      const devices = await Promise.all(Array.from({ length: count }, (_, n) => flow.device({ tenantId, name: `${path} ${n}` })));
      const answers = await send(ingest, ctx, ...devices.map((device) => cpu(device, 95)));
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set(['stored']));
    }
    await until(() => callsOf('/well').length === 20);
    // Waits until some calls have failed, the circuit is open, and the remaining calls wait for it.
    await until(async () => (await flow.rows('select 1 from destination where failures >= 4')).length === 1);
    await until(async () => (await flow.rows('select 1 from job where leased_until is not null')).length === 0);
    expect(await flow.rows('select 1 from job')).toHaveLength(8);
    const errors = await flow.rows<{ last_error: string }>('select last_error from job where last_error is not null');
    expect(errors.some(({ last_error: words }) => words === 'The receiver took too long.')).toBe(true);
    const firstKeys = new Set(callsOf('/ill').map((call) => call.key));

    mood = 'well';
    await worker.stop();
    // The next worker has no circuit breaker, so it calls at once.
    const later = openOutboundHttp({ allow: ['127.0.0.1'], totalMs: 1_000 });
    const next = await startActionWorker(flow, later);
    await flow.rows('delete from destination');
    await flow.rows('update job set run_at = now()');
    await until(async () => (await flow.rows('select 1 from job')).length === 0);
    await next.stop();
    await later.close();
    const keys = callsOf('/ill').map((call) => call.key);
    expect(new Set(keys).size).toBe(8);
    // Each call that the first worker tried was repeated with the same key.
    for (const key of firstKeys) expect(keys.filter((item) => item === key).length).toBeGreaterThan(1);
    const outcomes = await flow.rows('select result_status_id, count(*)::int as count from action_history group by 1');
    expect(outcomes).toEqual([{ result_status_id: resultStatus.success, count: 28 }]);
    expect(callsOf('/well')).toHaveLength(20);
  } finally {
    await worker.stop();
    await outbound.close();
    await flow.close();
  }
});

async function theOnly<T extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[] = []): Promise<T> {
  const { rows } = await client.query<T>(text, values);
  expect(rows).toHaveLength(1);
  return rows[0] as T;
}

it('a receiver that answers after our death is called again by the same key, and the action succeeds once', async () => {
  mood = 'hang';
  receiver.calls.length = 0;
  const database = await testDatabase();
  const server = await serverProcess({
    databaseUrl: database.url,
    env: { OUTBOUND_ALLOW: '127.0.0.1', MASTER_KEY: randomBytes(32).toString('base64') },
  });
  await server.start();
  const client = await connect(database.url);
  try {
    const site = await prepareSite(client, { DATABASE_URL: database.url }, { hot: 1, cool: 0 });
    const { id } = await theOnly<{ id: string }>(client, addHook, [site.tenantId, `${base}/late`]);
    await client.query('update rule set match_actions = $1, conditions = $2 where name = $3', [
      JSON.stringify([{ ActionDefinitionId: id, Parameters: {} }]),
      JSON.stringify([cpuOver90]),
      starterRule.name,
    ]);
    await client.query("select pg_notify('rules', '')");
    // Sends until the server has read the changed rule. The first matching packet opens the match; others repeat it.
    await until(async () => {
      const answer = await fetch(`${server.url}/v1/packets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(cpu(site.hotDevices[0] ?? '', 99)),
      });
      expect(answer.status).toBe(200);
      return callsOf('/late').length === 1;
    });
    await server.kill();
    mood = 'well';
    await server.start();
    // Simulates that the lease has expired.
    await client.query('update job set leased_until = now() where leased_until is not null');
    await until(() => callsOf('/late').length === 2);
    await until(async () => (await client.query('select 1 from job')).rowCount === 0);
    const [first, second] = callsOf('/late');
    const history = await theOnly<{ message_id: string; result_status_id: number }>(
      client,
      'select message_id, result_status_id from action_history',
    );
    expect([first?.key, second?.key]).toEqual([history.message_id, history.message_id]);
    expect(history.result_status_id).toBe(resultStatus.success);
    expect((await client.query('select 1 from rule_match')).rowCount).toBe(1);
    expect(callsOf('/late')).toHaveLength(2);
  } finally {
    await client.end();
    await server.remove();
    await database.close();
  }
});

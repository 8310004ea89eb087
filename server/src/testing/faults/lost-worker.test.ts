/** A worker is killed in the middle of a call: another one repeats the call soon, and the next action waits for that. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { queueActions } from '../../automation/queue-actions.ts';
import { openDatabase } from '../../db/connection.ts';
import { executionId } from '../../executions/execution-id.ts';
import { maxHoldMs } from '../../executions/executions.ts';
import { startFaultWorkers, type FaultWorkers } from './workers.ts';

let workers: FaultWorkers;
let receiver: Server;
const calls: string[] = [];
/** The answers that the test gives later. */
const open: ServerResponse[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    calls.push(request.url ?? '');
    if (request.url === '/first') open.push(response);
    else response.end('noted');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  workers = await startFaultWorkers({});
});
afterAll(async () => {
  await (workers as FaultWorkers | undefined)?.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const patience = { timeout: 60_000, interval: 50 };

async function hook(path: string): Promise<string> {
  const { port } = receiver.address() as AddressInfo;
  const body = {
    name: `Hook ${path}`,
    actionDefinitionTypeId: 2,
    tenantId: workers.site.tenantId,
    endpointUrl: `http://127.0.0.1:${port}${path}`,
  };
  return String((await workers.call('PUT', '/v1/actionDefinitions', body))['actionDefinitionId']);
}

it(
  'repeats the call of a killed worker before its lease is over, and the next action never comes first',
  { timeout: 180_000 },
  async () => {
    onTestFailed(() => console.error(workers.output()));
    const { client, site } = workers;
    const { rows } = await client.query<{ id: string }>(
      `with r as (
  insert into rule (tenant_id, name, rule_type_id, conditions, match_lifetime) values ($1, 'Disk full', 1, '[]', 300) returning rule_id
)
insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
select $1, rule_id, $2, 'Disk full', now() + interval '1 hour', now(), now(), gen_random_uuid() from r returning rule_match_id as id`,
      [site.tenantId, site.coolDevices[0]],
    );
    const ruleMatchId = rows[0]?.id ?? '';
    const database = openDatabase({ url: workers.databaseUrl, max: 2, onError: () => undefined });
    const ctx = systemCtx({ database, log: pino({ level: 'silent' }), name: 'Test' });
    const matchCalls = [await hook('/first'), builtInAction.createWorkUnit, await hook('/last')].map((ActionDefinitionId) => ({
      ActionDefinitionId,
      Parameters: {},
    }));
    await queueActions(ctx.db, [
      { ruleMatchId, tenantId: site.tenantId, correlationId: crypto.randomUUID(), phase: 'match', calls: matchCalls },
    ]);
    await database.close();
    const ids = matchCalls.map((_, index) => executionId(ruleMatchId, 'match', index));

    await expect.poll(() => calls, patience).toEqual(['/first']);
    const { rows: leases } = await client.query<{ pid: number; until: string | null }>(
      "select split_part(leased_by, '.', 1)::int as pid, leased_until as until from job where once_key = $1",
      [ids[0]],
    );
    await workers.lose(leases[0]?.pid ?? 0);
    // The limit for a receiver that does not answer passes, so that only the lost try can hold the next actions.
    await client.query("update action_try set started = started - $1::int * interval '1 millisecond'", [maxHoldMs]);
    await client.query("update job set run_at = now() - interval '1 second' where once_key = any($1)", [ids.slice(1)]);
    await expect.poll(() => calls.length, patience).toBe(2);
    expect(calls).toEqual(['/first', '/first']);
    expect((await client.query('select $1::timestamptz > now() as before', [leases[0]?.until])).rows).toEqual([{ before: true }]);
    open[1]?.end('noted');
    await expect.poll(() => calls, patience).toEqual(['/first', '/first', '/last']);
  },
);

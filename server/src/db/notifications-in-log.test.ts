/**
 * What PostgreSQL logs of a real run: between a notification of a transaction and its commit nothing may happen, because all who notify
 * commit one after another. Those of jobs follow their commit.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { connect, prepareSite } from '../testing/faults/site.ts';
import { serverProcess, type ServerProcess } from '../testing/server-process.ts';
import { startEmbedded, type EmbeddedServer } from './embedded/embedded.ts';
import { parseStatementLog, wrongNotifications, type LoggedStatement } from '../testing/statements/statement-log.ts';

const home = mkdtempSync(join(tmpdir(), 'cloudfit-log-'));
// When the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
chmodSync(home, 0o711);
const lines: string[] = [];
let postgres: EmbeddedServer;
let server: ServerProcess;

beforeAll(async () => {
  postgres = await startEmbedded({
    dataDir: join(home, 'data'),
    log: (line) => void lines.push(line.replace(/^PostgreSQL: /, '')),
    settings: { fsync: 'off', log_min_messages: 'log', log_statement: 'all', log_line_prefix: 'session %c ' },
  });
  server = await serverProcess({ databaseUrl: postgres.url, env: { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') } });
  await server.start();
}, 240_000);
afterAll(async () => {
  await server.remove();
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Packets with matches, units, changes of units, devices, rules and people: whatever notifies. */
async function work(): Promise<LoggedStatement[]> {
  const client = await connect(postgres.url);
  const { token, tenantId, hotDevices } = await prepareSite(
    client,
    { DATABASE_URL: postgres.url, DATA_DIR: server.dataDir, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') },
    { hot: 6, cool: 0 },
  );
  const call = async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  };
  // An action runs after the one before it, which wakes it.
  const create = (SeverityId: string) => ({ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId } });
  await call('PUT', '/v1/rules', {
    name: 'Two actions',
    tenantId,
    ruleTypeId: 1,
    enabled: true,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
    matchLifetime: '00:05:00',
    matchActions: [create('Sev2'), { ActionDefinitionId: builtInAction.setColor, Parameters: { Color: 'Red' } }],
  });
  const packets = hotDevices.map((entityId) => ({ entityId, message: { Metrics: { Cpu: 99 } } }));
  const done = async (): Promise<number> =>
    (await client.query<{ n: number }>('select count(*)::int as n from action_history where result_status_id <> 3')).rows[0]?.n ?? 0;
  for (const end = Date.now() + 60_000; (await done()) < 6; await new Promise((resolve) => setTimeout(resolve, 500))) {
    if (Date.now() > end) throw new Error('No actions ran.');
    await call('POST', '/v1/packets', packets);
  }
  await call('POST', `/v1/devices/${hotDevices[0]}`, { name: 'Renamed' });
  const unit = await call('PUT', '/v1/workUnits', { title: 'By hand', tenantId, workUnitTypeId: 1 });
  await call('POST', `/v1/workUnits/${String(unit['workUnitId'])}`, { stateId: 'Acknowledged' });
  await client.end();
  return parseStatementLog(lines);
}

it('has nothing between a notification and the commit of its transaction', async () => {
  const statements = await work();
  expect(wrongNotifications(statements)).toEqual([]);
  const notifications = statements.filter(({ text }) => text.includes('pg_notify('));
  const channels = new Set(notifications.map(({ parameters }) => parameters[0]));
  expect(['jobs', 'devices', 'rules'].filter((channel) => !channels.has(channel))).toEqual([]);
}, 180_000);

/** Listeners of a real agent for a real server: from a line or a trap to an open unit, and what is heard while either is away. */
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import { freePort } from '../../../testing/server-process.ts';
import { startAgentSite, type AgentProcess, type AgentSite } from '../../../testing/agent-site.ts';

let site: AgentSite;
let agent: AgentProcess;
let deviceId: string;
let [syslogPort, trapPort] = [0, 0];

async function send(messages: readonly string[]): Promise<void> {
  const socket = createSocket('udp4');
  for (const message of messages) await new Promise((resolve) => socket.send(message, syslogPort, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => socket.close(() => resolve()));
}

async function operation(name: string, parameters: Record<string, string>, secrets: Record<string, string> = {}): Promise<string> {
  const { operation_id: operationId } = await site.until<{ operation_id: string }>(
    'the operation is in the catalogue',
    "select o.operation_id from operation o join package p on p.package_id = o.package_id where p.is_built_in and p.name = 'Gateway' and o.name = $1",
    [name],
  );
  const values = Object.entries({ 'Allowed senders': '127.0.0.0/8', ...parameters }).map(([Name, Value]) => ({ Name, Source: 1, Value }));
  const keys = Object.entries(secrets).map(([PlaceholderKey, LookupKey]) => ({ PlaceholderKey, LookupKey }));
  const { deviceOperationId } = await site.call('PUT', '/v1/deviceOperations', {
    deviceId,
    operationId,
    label: name,
    frequencyTypeId: 3,
    enabled: true,
    parameters: [...values, ...(keys.length > 0 ? [{ Name: 'Secrets', Source: 3, Value: keys }] : [])],
  });
  return String(deviceOperationId);
}

/** Waits until an operation listens, since a time. */
const listening = (id: string, since = new Date(0)) =>
  site.until(
    'it listens',
    "select 1 from operation_run where device_operation_id = $1 and status = 'Running' and message like 'Listens on%' and started >= $2",
    [id, since],
    60_000,
  );

async function rule(name: string, conditions: object[]): Promise<void> {
  await site.call('PUT', '/v1/rules', {
    name,
    ruleTypeId: 1,
    tenantId: site.tenantId,
    subscriptionId: site.subscriptionId,
    conditions: conditions.map((condition) => ({ Type: 'And', Operator: operatorId.equals, ...condition })),
    matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev1', Title: `${name} {Value}` } }],
  });
}

let lines: string;
beforeAll(async () => {
  site = await startAgentSite();
  agent = site.startAgent();
  deviceId = await site.promote();
  [syslogPort, trapPort] = [await freePort(), await freePort()];
  const { tenantId, subscriptionId } = site;
  for (const [kind, name] of [
    ['Syslog', 'Lines'],
    ['SnmpTraps', 'Traps'],
  ])
    await site.call('PUT', '/v1/sources', { kind, name, tenantId, subscriptionId });
  await site.call('PUT', `/v1/tenants/${tenantId}/secrets`, { name: 'auth.eva', value: 'authentic-1' });
  await site.call('PUT', `/v1/tenants/${tenantId}/secrets`, { name: 'privacy.eva', value: 'private-one' });
  lines = await operation('Syslog', { Source: 'Lines', 'UDP port': String(syslogPort), 'Messages a second': '10000' });
  const traps = await operation(
    'SNMP traps',
    { Source: 'Traps', Port: String(trapPort), Users: 'eva sha256 aes' },
    { '{Auth key}': 'auth.eva', '{Privacy key}': 'privacy.eva' },
  );
  await listening(lines);
  await listening(traps);
}, 120_000);
afterAll(() => site?.close());

const unit = (title: string) => site.until('the unit is open', 'select 1 from work_unit where title = $1', [title]);

it('a line of syslog opens a unit by its severity', async () => {
  await rule('Broken:', [{ LeftOperand: operandId.state, LeftOperandFieldName: 'Severity', RightOperand: 'critical' }]);
  await send(['<134>1 - router-1 app - - - all is well', '<130>1 - router-1 app - - - power supply 2']);
  await unit('Broken: power supply 2');
  const { rows } = await site.client.query("select title from work_unit where title like 'Broken:%'");
  expect(rows).toHaveLength(1);
});

// Skipped without Debian's snmp, which scripts/debian.mjs installs if it may.
it.skipIf(!existsSync('/usr/bin/snmptrap'))('a trap of version 3 opens a unit by its name, with keys that are secrets', async () => {
  await rule('Trap', [{ LeftOperand: operandId.value, RightOperand: 'linkDown' }]);
  const user = ['-u', 'eva', '-l', 'authPriv', '-a', 'SHA-256', '-A', 'authentic-1', '-x', 'AES', '-X', 'private-one'];
  const trap = ['', '1.3.6.1.6.3.1.1.5.3', '1.3.6.1.2.1.2.2.1.2.3', 's', 'ge-0/0/3'];
  await promisify(execFile)('/usr/bin/snmptrap', ['-v3', '-e', '0x8000000001020304', ...user, `127.0.0.1:${trapPort}`, ...trap]);
  await unit('Trap linkDown');
  const { rows } = await site.client.query('select detail as text from device_log union all select message::text from packet');
  expect(JSON.stringify(rows)).not.toMatch(/authentic-1|private-one/);
});

it('what is heard while the server is away, and before the agent is killed, is stored once', async () => {
  const numbered = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `<134>1 - storm-1 app - - - number ${from + n}`);
  await site.server.stop();
  await send(numbered(0, 300));
  // The system has taken them; the listener writes them before it takes more.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await agent.stop('SIGKILL');
  const restarted = new Date();
  agent = site.startAgent();
  await site.server.start();
  await listening(lines, restarted);
  await send(numbered(300, 100));
  await site.until(
    'all lines are stored',
    `select 1 from packet p join device d on d.device_id = p.entity_id where d.name = 'storm-1' having count(distinct p.message->>'Value') = 400`,
    [],
    60_000,
  );
  const { rows } = await site.client.query<{ count: number }>(
    "select count(*) from packet p join device d on d.device_id = p.entity_id where d.name = 'storm-1'",
  );
  expect(Number(rows[0]?.count)).toBe(400);
}, 120_000);

it('a source that is missing is said in the log of the operation', async () => {
  const id = await operation('Syslog', { Source: 'Nowhere', 'UDP port': '0', 'TCP port': String(await freePort()) });
  await listening(id);
  const { rows } = await site.client.query<{ value: string }>(
    `select p->>'Value' as value from device_operation, jsonb_array_elements(parameters::jsonb) p where device_operation_id = $1 and p->>'Name' = 'TCP port'`,
    [id],
  );
  const { connect } = await import('node:net');
  const socket = connect(Number(rows[0]?.value), '127.0.0.1');
  socket.end('<13>lost\n');
  const { count } = await site.until<{ count: string }>(
    'the log says it',
    "select count(*) as count from device_log where detail like '%There is no source Nowhere in the tenant.%' having count(*) > 0",
  );
  expect(Number(count)).toBe(1);
});

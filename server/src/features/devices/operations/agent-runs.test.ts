/** A real agent runs operations for a real server: by interval, on demand, kept alive, bounded, and after faults. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../rules/testing/flow.ts';
import { startAgentSite, type AgentProcess, type AgentSite } from '../../../testing/agent-site.ts';

const declared = (name: string, more: object = {}) => ({
  name,
  frequencies: ['OnDemand', 'Recurring', 'OneTimeKeepAlive'],
  arguments: [name],
  ...more,
});

/** Files for which the programs of the tests wait, so that a test decides how long a program runs. */
const gates = mkdtempSync(join(tmpdir(), 'cloudfit-gates-'));
const open = (gate: string): void => writeFileSync(join(gates, gate), '');
const shut = (gate: string): void => rmSync(join(gates, gate), { force: true });

// Durations that no other process uses, so that only these processes are found.
const nap = `sleep 300.${process.pid}`;
const leftNap = `sleep 301.${process.pid}`;
// One script for all operations: its first argument says which operation it runs.
const script = String.raw`
await_gate() { until [ -e "${gates}/$1" ]; do sleep 0.05; done; }
case "$1" in
  echo) echo "$CLOUDFIT_PARAMETERS"; echo "args: $*"; env | grep -c '^CLOUDFIT_TOKEN'; true ;;
  number) echo '{"value": 12.5, "metrics": {"Free": 3}, "states": {"Health": "good"}, "message": "all is well"}' ;;
  steps) for n in 25 50 75; do await_gate "$n"; echo "{\"progress\": $n, \"message\": \"step $n\"}"; done; await_gate end; echo '{"value": "done"}' ;;
  fail) echo 'half'; echo 'no such thing' >&2; exit 3 ;;
  slow) await_gate slow; echo ok ;;
  hang | stay) trap '' TERM; sh -c "trap '' TERM; echo child; ${nap}" & setsid ${nap} & ${nap} ;;
  flood) head -c 52428800 /dev/zero | tr '\0' 'x'; echo; echo end ;;
  secret) echo "got $CLOUDFIT_SECRET_APIKEY"; printf %s "$CLOUDFIT_SECRET_APIKEY" | base64 >&2 ;;
  alive) echo "{\"value\": $$}"; while :; do sleep 0.3; done ;;
  crash) echo "{\"value\": $$}"; exit 1 ;;
  leave) ${leftNap} & echo left ;;
  many) awk 'BEGIN { printf "{\"value\": 7, \"metrics\": {\"A\": 1"; for (n = 0; n < 600; n++) printf ", \"M%d\": 1", n; print "}}" }' ;;
  large) awk 'BEGIN { printf "{\"diagnostics\": {\"text\": \""; for (n = 0; n < 60000; n++) printf "0123456789"; print "\"}}" }' ;;
  unknown) echo '{"status": "Unknown", "states": {"Reachable": "Unknown"}, "message": "no right to look"}' ;;
esac
`;

const manifest = {
  name: 'Checks of the test',
  version: '1.0.0',
  type: 'Watcher',
  executable: 'run.sh',
  executableType: 'Script',
  operations: [
    declared('echo', {
      arguments: ['echo', '-p', '{Path}', '--mode={Mode}', '-x'],
      parameters: [
        { name: 'Path', required: true },
        { name: 'Mode' },
        { name: 'Home', source: 'EnvironmentVariable' },
        { name: 'Device', source: 'RuntimeConfig' },
        { name: 'Server', source: 'RuntimeConfig', default: 'ServerUrl' },
      ],
    }),
    declared('variable', { arguments: ['echo'], parameters: [{ name: 'Home', source: 'EnvironmentVariable', required: true }] }),
    declared('number', { output: 'json', result: 'Numeric' }),
    declared('steps', { output: 'json' }),
    declared('fail'),
    declared('slow'),
    declared('hang', { timeLimit: '00:00:02' }),
    declared('stay'),
    declared('flood'),
    declared('secret', { parameters: [{ name: 'Keys', source: 'SecuredValue' }] }),
    declared('alive', { output: 'json', timeLimit: '00:00:01' }),
    declared('crash', { output: 'json' }),
    declared('leave'),
    declared('many', { output: 'json' }),
    declared('large', { output: 'json' }),
    declared('unknown', { output: 'json' }),
  ],
};

let site: AgentSite;
let agent: AgentProcess;
let deviceId: string;
let operations: Record<string, string>;

beforeAll(async () => {
  site = await startAgentSite();
  agent = site.startAgent({ MACHINE_HOME: '/srv/machine' });
  deviceId = await site.promote();
  operations = await site.install(manifest, { 'run.sh': script });
  // The first request waits until its package is installed.
  await ended(await enqueue(await add('leave')), 60_000);
}, 120_000);
afterAll(async () => {
  await site?.close();
  rmSync(gates, { recursive: true });
});

const onDemand = 1;
const recurring = 2;
const keepAlive = 3;

async function add(name: string, over: object = {}): Promise<string> {
  const { deviceOperationId } = await site.call('PUT', '/v1/deviceOperations', {
    deviceId,
    operationId: operations[name],
    label: name,
    frequencyTypeId: onDemand,
    enabled: true,
    ...over,
  });
  return String(deviceOperationId);
}
const change = (id: string, values: object) => site.call('POST', `/v1/deviceOperations/${id}`, values);
async function enqueue(id: string): Promise<string> {
  return String((await site.call('POST', `/v1/deviceOperations/${id}/enqueueOnDemand`, {}))['completionToken']);
}

interface Run extends Record<string, unknown> {
  status: string;
  message: string | null;
  output: string | null;
  value: string | null;
  exit_code: number | null;
  duration_ms: number;
  requested_by: string | null;
  started: string;
}
const ended = (runId: string, patienceMs?: number) =>
  site.until<Run>('the run ends', 'select * from operation_run where operation_run_id = $1 and ended is not null', [runId], patienceMs);
const runOnce = async (name: string, over: object = {}) => ended(await enqueue(await add(name, over)));
const packetOf = (id: string, condition = 'true') =>
  site.until<{
    message: { Value?: unknown; Metrics: Record<string, number>; States: Record<string, unknown>; Diagnostics?: Record<string, unknown> };
  }>('a packet comes', `select message from latest_packet where entity_id = $1 and ${condition}`, [id]);
const processes = async (what: string) => {
  const { execFileSync } = await import('node:child_process');
  return execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(what)).length;
};
async function whenGone(what: string): Promise<void> {
  for (const end = Date.now() + 60_000; (await processes(what)) > 0;) {
    if (Date.now() > end) throw new Error(`${what} still runs.`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

describe('on demand', () => {
  it('runs at once, completes the request, and stores the result as a packet', async () => {
    const id = await add('number');
    const token = await enqueue(id);
    const run = await ended(token);
    expect(run).toMatchObject({ status: 'Success', exit_code: 0, value: '12.5', message: 'all is well' });
    expect(run.requested_by).toMatch(/Test --scopes ingest/);
    expect((await packetOf(id)).message).toMatchObject({
      Value: 12.5,
      Metrics: { Free: 3 },
      States: { Health: 'good', RunStatus: 'Success' },
      Diagnostics: { Message: 'all is well' },
    });
    expect(await site.call('GET', `/v1/deviceOperations(${id})`)).toMatchObject({
      operationComplete: true,
      completionToken: null,
      queuedUntil: null,
    });
    const { value } = await site.call('GET', `/v1/operationRuns?$filter=deviceOperationId eq ${id}`);
    expect(value).toMatchObject([{ operationRunId: token, status: 'Success' }]);
    const logs = await site.until<{ details: string }>(
      'the log has the run',
      `select string_agg(detail, '; ' order by log_entry_id) as details from device_log where device_operation_id = $1 having string_agg(detail, '') like '%ended%'`,
      [id],
    );
    expect(logs.details).toMatch(/A run was requested.*The run has started.*all is well.*The run has ended: Success/);
  });

  it('tells its progress and its lines while it runs', async () => {
    const token = await enqueue(await add('steps'));
    await site.until(
      'it is running',
      "select 1 from operation_run where operation_run_id = $1 and status = 'Running' and progress is null",
      [token],
    );
    open('25');
    open('50');
    await site.until(
      'half of it is done',
      "select 1 from operation_run where operation_run_id = $1 and status = 'Running' and progress = 50 and message = 'step 50'",
      [token],
    );
    await site.until('its line is in the log', "select 1 from device_log where detail = 'step 25'");
    open('75');
    open('end');
    expect(await ended(token)).toMatchObject({ status: 'Success', value: 'done' });
  });

  it('marks the run whose packet the server refuses, and lets rules see that', async () => {
    for (const [name, reason] of [
      ['many', /at most 500 keys/],
      ['large', /too large to be sent/],
    ] as const) {
      const id = await add(name);
      const token = await enqueue(id);
      const run = await site.until<Run>(
        'the run is refused',
        "select * from operation_run where operation_run_id = $1 and status = 'Refused' and exit_code = 0",
        [token],
      );
      expect(run).toMatchObject({ message: expect.stringMatching(reason), value: name === 'many' ? '7' : null });
      expect(run.duration_ms).toBeGreaterThanOrEqual(0);
      expect((await packetOf(id)).message).toMatchObject({
        States: { RunStatus: 'Refused' },
        Diagnostics: { Message: expect.stringMatching(reason) },
      });
      expect(await site.call('GET', `/v1/deviceOperations(${id})`)).toMatchObject({ operationComplete: true });
    }
  });

  it('is Unknown when the check could not look', async () => {
    const id = await add('unknown');
    expect(await ended(await enqueue(id))).toMatchObject({ status: 'Unknown', exit_code: 0, message: 'no right to look' });
    expect((await packetOf(id)).message.States).toEqual({ Reachable: 'Unknown', RunStatus: 'Unknown' });
  });

  it('says what a program said that failed', async () => {
    const id = await add('fail');
    const run = await ended(await enqueue(id));
    expect(run).toMatchObject({
      status: 'Failed',
      exit_code: 3,
      message: 'Exit code 3: no such thing',
      output: 'half\n[stderr]\nno such thing',
    });
    expect((await packetOf(id)).message.States).toEqual({ RunStatus: 'Failed' });
  });

  it('dequeues a run that waits, and leaves a newer request queued', async () => {
    const id = await add('slow');
    const first = await enqueue(id);
    await site.until('it is running', "select 1 from operation_run where operation_run_id = $1 and status = 'Running'", [first]);
    await site.call('POST', `/v1/deviceOperations/${id}/dequeueOnDemand`, {});
    const second = await enqueue(id);
    await site.call('POST', `/v1/deviceOperations/${id}/dequeueOnDemand`, {});
    const third = await enqueue(id);
    const [row] = (
      await site.client.query<{ completion_token: string | null; operation_complete: boolean }>(
        'select completion_token, operation_complete from device_operation where device_operation_id = $1',
        [id],
      )
    ).rows;
    expect(row).toMatchObject({ completion_token: third, operation_complete: false });
    open('slow');
    expect((await ended(first)).status).toBe('Success');
    expect((await ended(second)).status).toBe('Dequeued');
    expect((await ended(third)).status).toBe('Success');
  });
});

describe('parameters', () => {
  it('come from the form, the environment and the facts of the agent; the token does not', async () => {
    const run = await runOnce('echo', {
      parameters: [
        { Name: 'Path', Source: 1, Value: '/var "x"' },
        { Name: 'Home', Source: 2, Value: 'MACHINE_HOME' },
        { Name: 'Device', Source: 4, Value: 'DeviceId' },
      ],
    });
    const [json = '', args, tokens] = (run.output ?? '').split('\n');
    expect(JSON.parse(json)).toEqual({ Path: '/var "x"', Home: '/srv/machine', Device: deviceId, Server: site.server.url });
    // The parameter Mode has no value, so the argument --mode={Mode} is left out; the others stay.
    expect(args).toBe('args: echo -p /var "x" -x');
    expect(tokens).toBe('0');
  });

  it('end the run by name when a required one has no value', async () => {
    const parameters = [{ Name: 'Home', Source: 2, Value: 'NOT_SET_HERE' }];
    expect(await runOnce('variable', { parameters })).toMatchObject({
      status: 'Failed',
      message: 'The parameter Home is required, and the environment variable NOT_SET_HERE is not set on this machine.',
    });
    expect((await runOnce('variable', { parameters: [{ ...parameters[0], Value: 'CLOUDFIT_TOKEN' }] })).message).toMatch(
      /names the environment variable CLOUDFIT_TOKEN, which is a setting of the agent/,
    );
  });

  it('that are secured are fetched for each run, masked, audited, and refused when the secret is revoked', async () => {
    const value = 'correct horse battery staple';
    const secret = await site.call('PUT', `/v1/tenants/${site.tenantId}/secrets`, { name: 'api.key', value });
    const id = await add('secret', {
      parameters: [{ Name: 'Keys', Source: 3, Value: [{ PlaceholderKey: '{ApiKey}', LookupKey: 'api.key' }] }],
    });
    const run = await ended(await enqueue(id));
    expect(run).toMatchObject({ status: 'Success', output: 'got ***\n[stderr]\n***', value: 'got ***' });
    await site.until(
      'the read is audited',
      "select 1 from audit where entity = 'tenantSecrets' and verb = 'read' and after->>'name' = 'api.key' and after->>'deviceOperationId' = $1",
      [id],
    );
    const { rows } = await site.client.query('select detail as text from device_log union all select message::text from packet');
    expect(JSON.stringify(rows)).not.toContain('horse');
    const { execFileSync } = await import('node:child_process');
    expect(() => execFileSync('grep', ['-r', 'horse', site.stateDir])).toThrow(/Command failed/);

    await site.call('DELETE', `/v1/tenants/${site.tenantId}/secrets/${String(secret['id'])}`);
    expect(await ended(await enqueue(id))).toMatchObject({
      status: 'Failed',
      message: 'The server does not give the secured values: The secret api.key does not exist in the tenant; it may have been revoked.',
    });
  });
});

describe('bounds', () => {
  it('ends a program that does not end, with its children and what left their group', async () => {
    const run = await runOnce('hang');
    expect(run).toMatchObject({ status: 'TimedOut', message: 'The program did not end within 00:00:02 and was stopped.' });
    expect(run.output).toContain('child');
    await whenGone(nap);
  });

  it('ends what a program leaves running', async () => {
    expect(await runOnce('leave')).toMatchObject({ status: 'Success', value: 'left' });
    await whenGone(leftNap);
  });

  it('reads 50 MB of output and keeps a part of it', async () => {
    const { readFileSync } = await import('node:fs');
    const run = await runOnce('flood');
    expect(run.status).toBe('Success');
    expect(run.message).toBe('The output is longer than 1 MiB and was truncated.');
    expect(run.output?.length).toBeLessThan(20_001);
    expect(run.output).toMatch(/characters are left out[^]*\[truncated: 513802\d\d more bytes were written and not kept\]\nend$/);
    expect(run.value).toBe('end');
    const [, kb = ''] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${agent.pid()}/status`, 'utf8')) ?? [];
    expect(Number(kb)).toBeLessThan(250_000);
  });
});

describe('by interval', () => {
  it('runs soon after it was enabled, then on its beat, and at once with other parameters', async () => {
    const id = await add('echo', {
      frequencyTypeId: recurring,
      interval: '00:00:30',
      enabled: false,
      parameters: [{ Name: 'Path', Source: 1, Value: '/one' }],
    });
    await change(id, { enabled: true });
    const starts = () =>
      site.client.query<{ started: string; output: string | null }>(
        'select started, output from operation_run where device_operation_id = $1 order by started',
        [id],
      );
    await site.until('it has run', 'select 1 from operation_run where device_operation_id = $1', [id]);
    await change(id, { parameters: [{ Name: 'Path', Source: 1, Value: '/two' }] });
    await site.until(
      'it has run with the new value',
      "select 1 from operation_run where device_operation_id = $1 and output like '%/two%'",
      [id],
    );
    const before = (await starts()).rows.length;
    await site.until('the beat has come', 'select 1 from operation_run where device_operation_id = $1 offset $2', [id, before], 60_000);
    expect((await starts()).rows.map((row) => row.output?.slice(0, 15))).toEqual(
      expect.arrayContaining(['{"Path":"/one",', '{"Path":"/two",']),
    );
    await change(id, { enabled: false });
  });
});

describe('kept alive', () => {
  it('starts again when it is killed, with the new parameters, and stops when it is disabled', async () => {
    const id = await add('alive', { frequencyTypeId: keepAlive });
    const first = Number((await packetOf(id)).message.Value);
    await site.until('it is running', "select 1 from operation_run where device_operation_id = $1 and status = 'Running'", [id]);
    process.kill(first, 'SIGKILL');
    const next = await packetOf(id, `message->>'Value' <> '${first}'`);
    expect(Number(next.message.Value)).not.toBe(first);
    await site.until(
      'its end is told',
      "select 1 from operation_run where device_operation_id = $1 and message = 'The program was ended by SIGKILL.'",
      [id],
    );
    await change(id, { enabled: false });
    await site.until(
      'it was stopped',
      "select 1 from operation_run where device_operation_id = $1 and status = 'Interrupted' and message = 'The operation was disabled or deleted.'",
      [id],
    );
    expect(() => process.kill(Number(next.message.Value), 0)).toThrow(/ESRCH/);
  });

  it('waits longer each time when it crashes', async () => {
    const id = await add('crash', { frequencyTypeId: keepAlive });
    await site.until(
      'it has crashed four times',
      "select 1 from operation_run where device_operation_id = $1 and status = 'Failed' offset 3",
      [id],
    );
    await site.call('DELETE', `/v1/deviceOperations/${id}`);
    const { rows } = await site.client.query<{ gap: number }>(
      `select extract(epoch from started - lag(started) over (order by started))::float as gap from operation_run where device_operation_id = $1 order by started limit 4`,
      [id],
    );
    const [, one = 0, two = 0, four = 0] = rows.map((row) => row.gap);
    for (const [gap, seconds] of [
      [one, 1],
      [two, 2],
      [four, 4],
    ] as const)
      expect(gap).toBeGreaterThanOrEqual(seconds);
  });
});

describe('faults', () => {
  it('reports a run that was going when the agent was killed, ends its program, and does not run it again', async () => {
    const id = await add('stay');
    const token = await enqueue(id);
    await site.until('it is running', "select 1 from operation_run where operation_run_id = $1 and status = 'Running'", [token]);
    await agent.stop('SIGKILL');
    agent = site.startAgent();
    const run = await ended(token);
    expect(run).toMatchObject({ status: 'Interrupted', message: 'The agent ended during the run.' });
    await whenGone(nap);
    expect(await site.call('GET', `/v1/deviceOperations(${id})`)).toMatchObject({ operationComplete: true, completionToken: null });
    const other = await enqueue(await add('number'));
    expect((await ended(other)).status).toBe('Success');
    expect((await site.client.query('select 1 from operation_run where device_operation_id = $1', [id])).rowCount).toBe(1);
  });

  it('keeps results on disk while the server is away', async () => {
    shut('slow');
    const id = await add('slow');
    const token = await enqueue(id);
    await site.until('it is running', "select 1 from operation_run where operation_run_id = $1 and status = 'Running'", [token]);
    await site.server.kill();
    open('slow');
    // The agent removes the file of a run when the report of the run is on disk.
    await until(() => !existsSync(join(site.stateDir, 'runs', `${token}.run`)));
    expect((await site.client.query('select status from operation_run where operation_run_id = $1', [token])).rows).toEqual([
      { status: 'Running' },
    ]);
    // The agent is killed as well, before it can report.
    await agent.stop('SIGKILL');
    await site.server.start();
    agent = site.startAgent();
    expect(await ended(token, 30_000)).toMatchObject({ status: 'Success', value: 'ok' });
    expect((await packetOf(id)).message.Value).toBe('ok');
  });
});

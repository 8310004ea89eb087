/**
 * A real agent runs programs of other projects unchanged: plugins of Debian's monitoring-plugins, and scripts for Telegraf's
 * exec input.
 */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startAgentSite, type AgentSite } from '../../../testing/agent-site.ts';

let site: AgentSite;
let deviceId: string;
beforeAll(async () => {
  site = await startAgentSite();
  site.startAgent();
  deviceId = await site.promote();
}, 120_000);
afterAll(() => site?.close());

interface RunResult extends Record<string, unknown> {
  status: string;
  message: string | null;
}
interface Packet extends Record<string, unknown> {
  message: { Value?: unknown; Metrics: Record<string, number>; States: Record<string, unknown> };
}

/** Runs an operation once, and returns the run with its packet. */
async function run(operationId: string, parameters: Record<string, string> = {}): Promise<{ run: RunResult; packet: Packet['message'] }> {
  const { deviceOperationId } = await site.call('PUT', '/v1/deviceOperations', {
    deviceId,
    operationId,
    label: crypto.randomUUID(),
    frequencyTypeId: 1,
    enabled: true,
    parameters: Object.entries(parameters).map(([Name, Value]) => ({ Name, Source: 1, Value })),
  });
  const { completionToken } = await site.call('POST', `/v1/deviceOperations/${String(deviceOperationId)}/enqueueOnDemand`, {});
  // The first request waits until its package is installed.
  const ended = await site.until<RunResult>(
    'the run ends',
    'select status, message from operation_run where operation_run_id = $1 and ended is not null',
    [completionToken],
    90_000,
  );
  const packet = await site.until<Packet>('a packet', 'select message from latest_packet where entity_id = $1', [deviceOperationId]);
  return { run: ended, packet: packet.message };
}

const plugins = '/usr/lib/nagios/plugins';
// Skipped without Debian's monitoring-plugins-basic, which scripts/debian.mjs installs if it may.
it.skipIf(!existsSync(`${plugins}/check_load`))("runs three of Debian's plugins by the built-in plugin runner", async () => {
  const runner = await site.until<{ operation_id: string }>(
    'the plugin runner is in the catalogue',
    "select o.operation_id from operation o join package p on p.package_id = o.package_id where p.is_built_in and p.name = 'Plugin runner' and o.name = 'Plugin'",
  );
  const plugin = (name: string, Arguments: string) => run(runner.operation_id, { Plugin: `${plugins}/${name}`, Arguments });
  const load = await plugin('check_load', '-w 999,999,999 -c 999,999,999');
  expect([load.run.status, Object.keys(load.packet.Metrics)]).toEqual(['Success', expect.arrayContaining(['load1', 'load5', 'load15'])]);
  const disk = await plugin('check_disk', '-w 0% -c 0% -p /');
  expect([disk.run.status, disk.packet.Metrics['/']]).toEqual(['Success', expect.any(Number)]);
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const open = await plugin('check_tcp', `-H 127.0.0.1 -p ${port}`);
  expect([open.run.status, open.packet.States['Status'], open.packet.Metrics['time']]).toEqual(['Success', 'OK', expect.any(Number)]);
  await new Promise((done) => server.close(done));
  const closed = await plugin('check_tcp', `-H 127.0.0.1 -p ${port}`);
  expect([closed.run.status, closed.packet.States['Status']]).toEqual(['Critical', 'CRITICAL']);
});

/** Scripts as for `[[inputs.exec]]` with `data_format = "influx"`: tags, several measurements, times in nanoseconds. */
const scripts = {
  'static.sh': `#!/bin/sh
echo 'example,tag1=a,tag2=b i=42i,j=43i,k=44i'
`,
  'memory.sh': String.raw`#!/bin/bash
now=$(date +%s%N)
while read -r name kb _; do
  case "$name" in MemTotal:) total=$kb ;; MemFree:) free=$kb ;; esac
done < /proc/meminfo
echo "custom_mem,host=box\ 1 total=$((total * 1024))i,free=$((free * 1024))i $now"
df -P / | awk -v now="$now" 'NR > 1 { gsub("%", "", $5); printf "custom_disk,path=%s used_percent=%s,device=\"%s\" %s\n", $6, $5, $1, now }'
`,
  'backup.sh': String.raw`#!/bin/sh
# One line per job, as the tool prints them.
for job in nightly "weekly full"; do
  tag=$(printf %s "$job" | sed 's/ /\\ /g')
  echo "backup,job=$tag ok=true,size=1.5e9,detail=\"took 3 min, 2 files\""
done
`,
};

it('runs three scripts for Telegraf, whose lines become metrics and states', async () => {
  const manifest = {
    name: 'Scripts for Telegraf',
    version: '1.0.0',
    type: 'Command',
    executable: 'run.sh',
    executableType: 'Script',
    operations: Object.keys(scripts).map((name) => ({ name, frequencies: ['OnDemand'], output: 'influx', arguments: [name] })),
  };
  // The starter runs each script by the interpreter that the first line of the script names.
  const starter = '#!/bin/sh\nexec $(head -n 1 "$1" | cut -c 3-) "$1"\n';
  const operations = await site.install(manifest, { 'run.sh': starter, ...scripts });
  const ran = async (name: keyof typeof scripts) => {
    const { run: ended, packet } = await run(String(operations[name]));
    expect([name, ended.status, ended.message]).toEqual([name, 'Success', null]);
    return packet;
  };
  const labels = '{tag1="a",tag2="b"}';
  expect((await ran('static.sh')).Metrics).toMatchObject({
    [`example_i${labels}`]: 42,
    [`example_j${labels}`]: 43,
    [`example_k${labels}`]: 44,
  });
  const memory = await ran('memory.sh');
  expect(memory.Metrics).toMatchObject({
    'custom_mem_total{host="box 1"}': expect.closeTo(totalmem(), -6),
    'custom_mem_free{host="box 1"}': expect.any(Number),
    'custom_disk_used_percent{path="/"}': expect.any(Number),
  });
  expect(memory.States['custom_disk_device{path="/"}']).toEqual(expect.any(String));
  const backup = await ran('backup.sh');
  for (const job of ['nightly', 'weekly full']) {
    expect(backup.Metrics[`backup_size{job="${job}"}`]).toBe(1.5e9);
    expect([backup.States[`backup_ok{job="${job}"}`], backup.States[`backup_detail{job="${job}"}`]]).toEqual([true, 'took 3 min, 2 files']);
  }
});

/** MIBs that a tenant uploads: what they are refused for, and that SNMP operations read by their names what Debian's snmpd has. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { enrolDevice, type EnrolledDevice } from '../../../testing/enrolled-device.ts';
import { makePackage } from '../../../testing/packages/rows.ts';
import { createScripts, ended, type Scripts } from '../../../testing/scripts.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import type { SubscriptionIds } from '../agent/promote.ts';
import { watchDevices, type DeviceWatch } from '../agent/device-watch.ts';
import { agentConfiguration } from '../agent/configuration.ts';

const ucd = `UCD-SNMP-MIB DEFINITIONS ::= BEGIN
IMPORTS enterprises FROM SNMPv2-SMI;
ucdavis OBJECT IDENTIFIER ::= { enterprises 2021 }
memory OBJECT IDENTIFIER ::= { ucdavis 4 }
memTotalReal OBJECT-TYPE SYNTAX Integer32 UNITS "kB" MAX-ACCESS read-only STATUS current DESCRIPTION "Real memory" ::= { memory 5 }
END`;

let world: TestWorld;
let home: SubscriptionIds;
let me: TestCaller;
let device: EnrolledDevice;
let watch: DeviceWatch;
beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
  device = await enrolDevice(world, home);
  watch = await watchDevices(world.database, () => undefined);
  const parameters = ['Host', 'Objects', 'MIB', 'Version'].map((Name) => ({
    Name,
    Description: '',
    Required: false,
    Source: 1,
    DefaultValue: '',
  }));
  const { operationId } = await makePackage(world, { tenantId: home.tenantId, name: 'SNMP', parameters });
  const added = await world.call(me, 'PUT', '/v1/deviceOperations', {
    deviceId: device.deviceId,
    operationId,
    label: 'Memory',
    enabled: true,
    frequencyTypeId: 2,
    parameters: [{ Name: 'Objects', Source: 1, Value: 'Memory=UCD-SNMP-MIB::memTotalReal.0' }],
  });
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
});
afterAll(async () => {
  await watch.close();
  await world.close();
});

const upload = (text: string, caller = me, tenantId = home.tenantId) =>
  world.call(caller, 'PUT', '/v1/mibs', { name: 'Memory', text, tenantId });
const configuration = () => agentConfiguration(world.ctx(device.caller), watch);
const mibIn = (settings: AgentConfiguration | null) => settings?.operations[0]?.parameters.find(({ Name }) => Name === 'MIB')?.Value;

it('is refused with the lines that are wrong, and without the MIB above it', async () => {
  const problem = async (text: string) => {
    const { status, body } = await upload(text);
    const { details } = body['error'] as { details?: { target: string; message: string }[] };
    return [status, ...(details ?? []).map(({ target, message }) => `${target}: ${message}`)];
  };
  expect(await problem(ucd.replace('{ ucdavis 4 }', '{ ucdavis x }'))).toEqual([
    400,
    'text: Line 4: The value of memory is not an object and a number, such as { system 3 }.',
  ]);
  expect(await problem(ucd.replace('{ enterprises 2021 }', '{ netSnmp 1 }'))).toEqual([
    400,
    'text: Line 3: ucdavis hangs below netSnmp, which no MIB declares.',
  ]);
});

it('reaches the operations of the tenant by the objects that they name, until it is removed, and no other tenant', async () => {
  const other = await world.tenant();
  await upload(ucd, holder([other.tenantId]), other.tenantId);
  const before = await configuration();
  expect(mibIn(before)).toBeUndefined();
  const { status, body } = await upload(ucd);
  expect([status, body['module'], body['objectCount']]).toEqual([201, 'UCD-SNMP-MIB', 3]);
  const after = await configuration();
  expect(mibIn(after)).toBe('memTotalReal OBJECT IDENTIFIER ::= { 1 3 6 1 4 1 2021 4 5 }');
  expect(after?.version).not.toBe(before?.version);
  const again = await upload(ucd);
  expect([again.status, again.text.includes('The tenant has UCD-SNMP-MIB already')]).toEqual([400, true]);
  await world.call(me, 'POST', `/v1/mibs/${String(body['mibId'])}`, { text: ucd.replace('{ memory 5 }', '{ memory 6 }') });
  expect(mibIn(await configuration())).toContain('2021 4 6 }');
  const audit = await world.system.db.query<{ verb: string }>({
    text: `select verb from audit where entity = 'mibs' and entity_id = $1 order by audit_id`,
    values: [body['mibId']],
  });
  expect(audit.map(({ verb }) => verb)).toEqual(['create', 'update']);
  await world.call(me, 'DELETE', `/v1/mibs/${String(body['mibId'])}`);
  expect(mibIn(await configuration())).toBeUndefined();
});

// Skipped without Debian's snmpd, which scripts/debian.mjs installs if it may.
describe.skipIf(!existsSync('/usr/sbin/snmpd'))("an operation on Debian's snmpd", () => {
  let scripts: Scripts;
  let snmpd: ChildProcess;
  let host: string;
  beforeAll(async () => {
    scripts = await createScripts(['snmp']);
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${socket.address().port}`;
    await new Promise<void>((resolve) => socket.close(() => resolve()));
    const conf = join(scripts.folder, 'snmpd.conf');
    writeFileSync(conf, 'rocommunity plant\n');
    snmpd = spawn('/usr/sbin/snmpd', ['-f', '-Lf', '/dev/null', '-C', '-c', conf, '-p', join(scripts.folder, 'snmpd.pid'), `udp:${host}`], {
      stdio: 'ignore',
      env: { ...process.env, SNMP_PERSISTENT_DIR: join(scripts.folder, 'snmpd') },
    });
  });
  afterAll(async () => {
    await ended(snmpd);
    scripts.close();
  });

  it('reads an object by its name in an uploaded MIB', async () => {
    const { body } = await upload(ucd);
    const parameters = (await configuration())?.operations[0]?.parameters ?? [];
    const texts = Object.fromEntries(parameters.flatMap(({ Name, Value }) => (typeof Value === 'string' ? [[Name, Value]] : [])));
    const run = () =>
      scripts.run('snmp', 'SNMP get', { Host: host, Version: '2c', 'Time limit': '2', ...texts }, { CLOUDFIT_SECRET_COMMUNITY: 'plant' });
    let got = await run();
    for (let tries = 0; tries < 30 && got.report.metrics?.['Up'] !== 1; tries++) got = await run();
    expect(got.report).toMatchObject({ metrics: { Up: 1, Memory: expect.any(Number) as number } });
    expect(got.report.metrics?.['Memory']).toBeGreaterThan(1_000);
    await world.call(me, 'DELETE', `/v1/mibs/${String(body['mibId'])}`);
  });
});

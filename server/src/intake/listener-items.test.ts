/** What agents hear for sources: who may give what to which source, and what traps, lines and messages become. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrolDevice, type EnrolledDevice } from '../testing/enrolled-device.ts';
import { makePackage } from '../testing/packages/rows.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { addedSource, packetsOf, type AddedSource } from './testing/sources.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let device: EnrolledDevice;
let operationId: string;

beforeAll(async () => {
  world = await createWorld({ takesSources: true });
  home = await world.tenant('Northwind');
  other = await world.tenant('Southwind');
  me = holder([home.tenantId]);
  device = await enrolDevice(world, home, { machineName: 'gateway-1' });
  const parameters = [{ Name: 'Source', Description: '', Required: false, Source: 1, DefaultValue: '' }];
  ({ operationId } = await makePackage(world, { tenantId: home.tenantId, name: 'Listeners', parameters }));
});
afterAll(() => world.close());

const source = (kind: string, name: string, more: object = {}): Promise<AddedSource> =>
  addedSource(world, me, { kind, name, ...home, ...more });

/** An operation of a device that listens for a source. */
async function listener(named: string | null, of: { deviceId: string } = device): Promise<string> {
  const parameters = named === null ? [] : [{ Name: 'Source', Source: 1, Value: named }];
  const { status, text, body } = await world.call(me, 'PUT', '/v1/deviceOperations', {
    deviceId: of.deviceId,
    operationId,
    label: 'Listens',
    enabled: true,
    frequencyTypeId: 2,
    parameters,
  });
  if (status !== 201) throw new Error(text);
  return String(body['deviceOperationId']);
}

interface Answer {
  stored: number;
  duplicate: number;
  refused: number;
  problems: { message: string }[];
}

async function give(deviceOperationId: string, items: object[], timestamp = new Date().toISOString(), as = device): Promise<Answer> {
  const body = { items: items.map((item) => ({ deviceOperationId, timestamp, item: { id: randomUUID(), ...item } })) };
  const answer = await world.call(as.caller, 'POST', '/v1/agent/items', body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as Answer;
}

async function refusalsOf({ id }: AddedSource): Promise<Record<string, string>> {
  await world.intake?.counts.flush();
  const rows = await world.system.db.query<{ code: string; count: number; message: string }>({
    text: 'select code, count, message from source_refusal where source_id = $1',
    values: [id],
  });
  return Object.fromEntries(rows.map(({ code, count, message }) => [code, `${count} ${message}`]));
}

const line = '<187>1 2026-01-01T00:00:00Z switch-1 stp 812 TOPOLOGY [port@1 name="ge-0/0/3"] Port is blocked';

describe('syslog', () => {
  it('becomes the state Severity, with facility, names and data as properties, at the time that was sent', async () => {
    await source('Syslog', 'Lines');
    const id = await listener('lines');
    const time = new Date(Date.now() - 60_000).toISOString();
    const item = { sender: '192.0.2.7', verified: 'address', text: line.replace('2026-01-01T00:00:00Z', time) };
    expect(await give(id, [item])).toEqual({ stored: 1, duplicate: 0, refused: 0, problems: [] });
    expect(await packetsOf(world, 'switch-1')).toEqual([
      {
        timestamp: time,
        message: {
          Value: 'Port is blocked',
          States: { Severity: 'error' },
          Properties: {
            'port@1.name': 'ge-0/0/3',
            Hostname: 'switch-1',
            App: 'stp',
            ProcId: '812',
            MsgId: 'TOPOLOGY',
            Facility: 'local7',
            Sender: '192.0.2.7',
            Gateway: 'gateway-1',
            Verified: 'address',
          },
        },
      },
    ]);
  });

  it('has the time at which it was heard when its clock is wrong or says no zone, and the sender for a host that it does not name', async () => {
    const id = await listener('Lines');
    const at = new Date(Date.now() - 3_600_000).toISOString();
    await give(id, [{ sender: '192.0.2.9', text: '<13>1 1970-01-01T00:00:00Z - app - - - old' }], at);
    await give(id, [{ sender: '192.0.2.9', text: '<13>app: undated' }], at);
    const packets = await packetsOf(world, '192.0.2.9');
    expect(packets.map(({ timestamp }) => new Date(timestamp).toISOString())).toEqual([at, at]);
  });

  it('is stored once when the agent sends it again, also in another batch', async () => {
    const id = await listener('Lines');
    const item = { id: randomUUID(), sender: '192.0.2.10', text: '<13>once' };
    const timestamp = new Date().toISOString();
    expect(await give(id, [item], timestamp)).toMatchObject({ stored: 1 });
    expect(await give(id, [item, { ...item, id: randomUUID() }], timestamp)).toMatchObject({ stored: 1, duplicate: 1 });
  });

  it('is taken line by line from whoever has the token, whose claims are not marked as verified', async () => {
    const created = await source('Syslog', 'Posted');
    const post = (body: string, type: string) =>
      world.call(null, 'POST', `/v1/intake/${created.id}`, body, { authorization: `Bearer ${created.token}`, 'content-type': type });
    expect((await post('<13>1 - posted-1 a - - - one\n<200>two\n\n<14>1 - posted-1 a - - - three\n', 'text/plain')).body).toMatchObject({
      stored: 2,
      refused: 1,
    });
    await post(JSON.stringify({ verified: 'user', sender: '192.0.2.1', text: '<13>1 - posted-2 a - - - x' }), 'application/json');
    const [packet] = await packetsOf(world, 'posted-2');
    expect(packet?.message.Properties).toEqual({ Hostname: 'posted-2', App: 'a', Facility: 'user', Sender: '192.0.2.1' });
  });
});

describe('SNMP traps', () => {
  const mib = `PLANT-MIB DEFINITIONS ::= BEGIN
IMPORTS enterprises FROM SNMPv2-SMI;
plant OBJECT IDENTIFIER ::= { enterprises 99999 }
pumpStopped NOTIFICATION-TYPE OBJECTS { pumpName } STATUS current DESCRIPTION "x" ::= { plant 0 7 }
pumpName OBJECT-TYPE SYNTAX OCTET STRING MAX-ACCESS read-only STATUS current DESCRIPTION "x" ::= { plant 1 }
pumpLevel OBJECT-TYPE SYNTAX INTEGER MAX-ACCESS read-only STATUS current DESCRIPTION "x" ::= { plant 2 }
END`;

  it('have the names of the MIBs of their tenant, numbers as metrics and texts as properties', async () => {
    await source('SnmpTraps', 'Traps');
    const id = await listener('Traps');
    const trap = {
      sender: '192.0.2.20',
      verified: 'user',
      version: '3',
      user: 'eva',
      trap: '1.3.6.1.4.1.99999.0.7',
      uptime: 12_345,
      varbinds: [
        { oid: '1.3.6.1.4.1.99999.1.0', value: 'Pump 7' },
        { oid: '1.3.6.1.4.1.99999.2.1', value: 3 },
        { oid: '1.3.6.1.4.1.99999.2.2', value: 4 },
      ],
    };
    await give(id, [trap]);
    expect((await packetsOf(world, '192.0.2.20'))[0]?.message).toMatchObject({ Value: '1.3.6.1.4.1.99999.0.7' });
    await world.call(me, 'PUT', '/v1/mibs', { name: 'Plant', tenantId: home.tenantId, text: mib });
    // Another tenant's names are not this one's.
    await world.call(holder([other.tenantId]), 'PUT', '/v1/mibs', {
      name: 'P',
      tenantId: other.tenantId,
      text: mib.replaceAll('pump', 'theirs'),
    });
    await give(id, [trap]);
    expect((await packetsOf(world, '192.0.2.20'))[1]?.message).toEqual({
      Value: 'pumpStopped',
      Metrics: { 'pumpLevel.1': 3, 'pumpLevel.2': 4, UptimeSeconds: 123.45 },
      Properties: {
        pumpName: 'Pump 7',
        TrapOid: '1.3.6.1.4.1.99999.0.7',
        User: 'eva',
        Version: '3',
        Sender: '192.0.2.20',
        Gateway: 'gateway-1',
        Verified: 'user',
      },
    });
  });

  it('name devices by their objects, and those that cannot be read are refused with a sample', async () => {
    const created = await source('SnmpTraps', 'Named', { deviceName: '{sysName|sender}', mapping: 'States.Port = {ifOperStatus}' });
    const id = await listener('Named');
    const varbinds = [
      { oid: '1.3.6.1.2.1.1.5.0', value: 'core-1' },
      { oid: '.1.3.6.1.2.1.2.2.1.8.4', value: 2 },
    ];
    expect(await give(id, [{ trap: '1.3.6.1.6.3.1.1.5.3', varbinds }, { trap: 'linkDown' }])).toMatchObject({ stored: 1, refused: 1 });
    expect((await packetsOf(world, 'core-1'))[0]?.message).toMatchObject({
      Value: 'linkDown',
      States: { Port: '2' },
      Metrics: { ifOperStatus: 2 },
    });
    expect(await refusalsOf(created)).toEqual({ InvalidItem: expect.stringContaining('1 A trap has its identifier as trap') });
  });
});

describe('MQTT', () => {
  it('reads JSON, numbers and texts; levels of the topic name devices and metrics', async () => {
    await source('Mqtt', 'Plant', { deviceName: '{topic.2}' });
    const id = await listener('Plant');
    const send = (topic: string, payload: string) => give(id, [{ topic, payload }]);
    await send('plant/press-1/temperature', '21.5');
    await send('plant/press-1/report', '{"load":0.5,"status":"ok","site":{"floor":2}}');
    await send('plant/press-1/door', 'open');
    const topic = (last: string) => ({ Topic: `plant/press-1/${last}`, Gateway: 'gateway-1', Verified: 'no' });
    expect((await packetsOf(world, 'press-1')).map(({ message }) => message)).toEqual([
      { Value: 21.5, Metrics: { temperature: 21.5 }, Properties: topic('temperature') },
      { Metrics: { load: 0.5, 'site.floor': 2 }, States: { status: 'ok' }, Properties: topic('report') },
      { Value: 'open', Properties: topic('door') },
    ]);
  });

  it('follows a mapping with the payload and the levels of the topic, also for the items of a list', async () => {
    await source('Mqtt', 'Mapped', {
      deviceName: '{topic.1}-{n}',
      mapping: 'Items = payload.all\nMetrics.{topic.last} = {v}\nTime = {at}',
    });
    const id = await listener('Mapped');
    const at = Date.now() - 60_000;
    const payload = JSON.stringify({
      all: [
        { n: 1, v: 5, at },
        { n: 2, v: '6', at },
      ],
    });
    expect(await give(id, [{ topic: 'mapped/flow', payload }])).toMatchObject({ stored: 2 });
    expect(await packetsOf(world, 'mapped-2')).toMatchObject([
      { timestamp: new Date(at).toISOString(), message: { Metrics: { flow: 6 } } },
    ]);
  });

  it('is posted to a topic behind the address; what says nothing is refused', async () => {
    const created = await source('Mqtt', 'Posted topics');
    const post = (path: string, body: string) =>
      world.call(null, 'POST', `/v1/intake/${created.id}${path}`, body, { authorization: `Bearer ${created.token}` });
    expect((await post('/hall/fan%201', '7')).body).toMatchObject({ stored: 1 });
    expect((await packetsOf(world, 'hall/fan 1'))[0]?.message.Metrics).toEqual({ 'fan 1': 7 });
    for (const [path, body] of [
      ['/hall/%zz', '1'],
      ['/hall/fan', ''],
      ['', '{"payload":"1"}'],
      ['/hall/deep', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`],
      ['/__proto__', '5'],
      ['', '{"refusal":{"code":"Made","message":"up"},"sample":1,"count":900}'],
      ['/hall/proto', '{"__proto__":{"x":1}}'],
    ] as const)
      expect([path, body, (await post(path, body)).status]).toEqual([path, body, path === '/hall/proto' ? 200 : 400]);
  });
});

describe('the agent', () => {
  it('gives items only to the source that its operation names, and only those of its tenant', async () => {
    const theirs = await addedSource(world, holder([other.tenantId]), { kind: 'Syslog', name: 'Theirs', ...other });
    await source('Webhook', 'Hook');
    await source('Syslog', 'Off', { enabled: false });
    const item = { sender: '192.0.2.30', text: '<13>x' };
    const problemOf = async (id: string): Promise<string | undefined> => (await give(id, [item])).problems[0]?.message;
    expect(await problemOf(await listener('Theirs'))).toMatch('There is no source Theirs in the tenant.');
    expect(await problemOf(await listener(theirs.id))).toMatch(/There is no source/);
    expect(await problemOf(await listener(null))).toMatch('The operation names no source');
    expect(await problemOf(await listener('Hook'))).toMatch('is not one of those that listeners give items to: SNMP traps, Syslog, MQTT.');
    expect(await problemOf(await listener('Off'))).toMatch('The source Off is disabled.');
    expect(await problemOf(randomUUID())).toMatch('The operation is no longer one of this device.');
    const second = await enrolDevice(world, home, { machineName: 'gateway-2' });
    expect(await problemOf(await listener('Lines', second))).toMatch('The operation is no longer one of this device.');
    expect(await packetsOf(world, '192.0.2.30')).toEqual([]);
  });

  it('does not reach a device of another tenant by its name', async () => {
    const theirs = await enrolDevice(world, other, { machineName: 'db-9' });
    const created = await source('Syslog', 'Strict', { unknownEntities: 'Refuse' });
    const id = await listener('Strict');
    expect(await give(id, [{ sender: '192.0.2.31', text: '<13>1 - db-9 a - - - x' }])).toMatchObject({ stored: 0, refused: 1 });
    expect(await packetsOf(world, 'db-9')).toEqual([]);
    expect(await refusalsOf(created)).toEqual({ UnknownName: '1 No device of the subscription is named db-9.' });
    expect(theirs.deviceId).not.toBe('');
  });

  it('counts what it has refused itself, with its reason and sample, beside what is stored', async () => {
    const created = await source('Syslog', 'Counted');
    const id = await listener('Counted');
    const refusal = {
      refusal: { code: 'TooManyMessages', message: '192.0.2.40 sends more than 200 messages a second.' },
      sample: null,
      count: 4_000,
    };
    expect(await give(id, [refusal, { sender: '192.0.2.41', text: '<13>neighbour' }])).toMatchObject({ stored: 1, refused: 4_000 });
    expect(await refusalsOf(created)).toEqual({ TooManyMessages: '4000 192.0.2.40 sends more than 200 messages a second.' });
  });

  it('is needed: others may not give items', async () => {
    const id = await listener('Lines');
    const body = { items: [{ deviceOperationId: id, timestamp: new Date().toISOString(), item: { text: '<13>x' } }] };
    expect((await world.call(null, 'POST', '/v1/agent/items', body)).status).toBe(401);
    expect((await world.call(me, 'POST', '/v1/agent/items', body)).status).toBe(403);
    expect((await world.call(device.caller, 'POST', '/v1/agent/items', { items: [] })).status).toBe(400);
  });
});

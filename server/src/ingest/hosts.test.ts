/** By what people know the machine of a device: what its inventory and its registration say, for searches. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFlow, send, type Flow } from '../rules/testing/flow.ts';
import type { Ingest } from './accept.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

const card = (address: string, mac: string) => ({ interface: 'eth0', family: 'IPv4', address, mac });
const inventory = (entityId: string, serial: string, ...addresses: unknown[]) => ({
  entityId,
  timestamp: new Date().toISOString(),
  message: { States: { HostName: 'web-7', SerialNumber: serial, OperatingSystem: 'Debian' }, Diagnostics: { addresses, software: [] } },
});
const factsOf = async (device: string) =>
  (await flow.rows<{ facts: string | null }>('select host_facts as facts from device where device_id = $1', device))[0]?.facts;
const changesOf = async (device: string) =>
  (await flow.rows<{ n: number }>(`select count(*)::int as n from change where entity = 'devices' and entity_id = $1`, device))[0]?.n;

it('are the host name, serial number and addresses of the last inventory', async () => {
  const device = await flow.device();
  await send(
    ingest,
    flow.ctx,
    inventory(device, 'SN-ZX81', card('192.0.2.9', '02:00:5e:10:00:01'), card('2001:db8::9', '02:00:5e:10:00:01')),
  );
  expect(await factsOf(device)).toBe(
    'web-7\nSN-ZX81\n192.0.2.9\n02:00:5e:10:00:01\n2001:db8::9\n02-00-5e-10-00-01 0200.5e10.0001 02005e100001',
  );
  const changes = await changesOf(device);
  await send(
    ingest,
    flow.ctx,
    inventory(device, 'SN-ZX81', card('192.0.2.9', '02:00:5e:10:00:01'), card('2001:db8::9', '02:00:5e:10:00:01')),
  );
  expect(await changesOf(device)).toBe(changes);
  await send(ingest, flow.ctx, inventory(device, 'SN\n\u202eZX82', 7, card('192.0.2.10', '')));
  expect(await factsOf(device)).toBe('web-7\nSN ZX82\n192.0.2.10');
  await send(ingest, flow.ctx, { entityId: device, timestamp: new Date().toISOString(), message: { States: { HostName: 'other' } } });
  expect(await factsOf(device)).toBe('web-7\nSN ZX82\n192.0.2.10');
});

it('have each notation of a MAC address, whichever the inventory has', async () => {
  const device = await flow.device();
  for (const mac of ['AA-BB-CC-0D-0E-0F', 'aabb.cc0d.0e0f', 'AABBCC0D0E0F', 'aa:bb:cc:0d:0e:0f']) {
    await send(ingest, flow.ctx, inventory(device, 'SN-1', card('192.0.2.9', mac)));
    expect((await factsOf(device))?.split('\n').slice(2)).toEqual([
      '192.0.2.9',
      'aa:bb:cc:0d:0e:0f',
      'aa-bb-cc-0d-0e-0f aabb.cc0d.0e0f aabbcc0d0e0f',
    ]);
  }
  await send(ingest, flow.ctx, inventory(device, 'x', card('192.0.2.9', 'none')));
  expect((await factsOf(device))?.split('\n').slice(2)).toEqual(['192.0.2.9', 'none']);
});

it('are the host name and the address of the registration, as they change', async () => {
  const device = await flow.device();
  const [row] = await flow.rows<{ id: string }>(
    `insert into pending_device (tenant_id, machine_key, machine_name, operating_system, architecture, ip_address, last_ping)
      select tenant_id, uuidv7(), 'web-8', 'Linux', 'x64', '192.0.2.20', now() from device where device_id = $1 returning pending_device_id as id`,
    device,
  );
  const registered = async () =>
    (await flow.rows<{ text: string | null }>('select registered_as as text from device where device_id = $1', device))[0]?.text;
  expect(await registered()).toBeNull();
  await flow.rows('update pending_device set device_id = $2 where pending_device_id = $1', row?.id, device);
  expect(await registered()).toBe('web-8\n192.0.2.20');
  await flow.rows(`update pending_device set ip_address = '192.0.2.21' where pending_device_id = $1`, row?.id);
  expect(await registered()).toBe('web-8\n192.0.2.21');
});

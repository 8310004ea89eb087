/**
 * The heaviest call of each kind that a single caller can send keeps nobody else waiting: between two turns of the event loop
 * pass at most 100 ms of processor time. Packets are in `ingest/caps.test.ts`.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seriesLimits } from '@cloudfit/contract/actions/series/series.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { declaredRawRoutes } from '../testing/all-actions.ts';
import { longestTurnOf } from '../testing/longest-turn.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';

const maxMs = 100;
const rows = limits.pageMax;

let world: TestWorld;
let tenantId: string;
let authorization: string;
let devices: string[];
let units: number[];

beforeAll(async () => {
  world = await createWorld({ rawRoutes: declaredRawRoutes() });
  const { db } = world.system;
  const tenant = await world.tenant('Heavy');
  ({ tenantId } = tenant);
  ({ authorization } = await world.connect(holder([tenantId])));
  devices = (
    await db.query<{ id: string }>({
      text: `insert into device (tenant_id, subscription_id, name, description, tags) select $1, $2, 'Device ' || n, repeat('x', 200), array['a', 'b']
        from generate_series(1, $3::int) n returning device_id as id`,
      values: [tenantId, tenant.subscriptionId, rows],
    })
  ).map(({ id }) => id);
  units = (
    await db.query<{ id: number }>({
      text: `insert into work_unit (tenant_id, title, description, work_unit_type_id, created_by, modified_by)
        select $1, 'Unit ' || n, repeat('Pump é stopped. ', 60), 1, 'test', 'test' from generate_series(1, $2::int) n returning work_unit_id::int as id`,
      values: [tenantId, rows],
    })
  ).map(({ id }) => id);
  await db.query({
    text: `insert into work_unit_note (tenant_id, work_unit_id, detail, created_by, correlation_id)
      select $1, w, repeat('A long note. ', 20), 'test', uuidv7() from unnest($2::bigint[]) w, generate_series(1, 5)`,
    values: [tenantId, units],
  });
  for (const table of ['packet', 'latest_packet'])
    await db.query({
      text: `insert into ${table} (packet_id, tenant_id, entity_id, timestamp, received_timestamp, message)
        select uuidv7(), $1, d, now() - n * interval '90 seconds', now() - n * interval '90 seconds', jsonb_build_object('Metrics', (select jsonb_object_agg('M' || m, (m * n) % 97) from generate_series(1, 50) m))
        from unnest($2::uuid[]) with ordinality d(d, i), generate_series(1, $3::int) n where n = 1 or i <= 50`,
      values: [tenantId, devices, table === 'packet' ? 60 : 1],
    });
  await db.query({ text: 'analyze device, work_unit, work_unit_note, packet, latest_packet' });
}, 120_000);
afterAll(() => world.close());

interface Call {
  method?: string;
  url: string;
  body?: () => unknown;
  headers?: Record<string, string>;
  /** The status of the answer, if it is not 200. */
  status?: number;
}

const list = () => `/v1/workunits?$top=${rows}&$count=true&$expand=tenant,workUnitType,notes`;
const from = new Date(Date.now() - 86_400_000).toISOString();
/** A body of the most bytes, of as many small values as fit. */
const filled = (item: string, bytes: number = limits.bodyBytes) =>
  `[${Array.from({ length: (bytes - 100) / (item.length + 1) }, () => item).join(',')}]`;

const calls: Record<string, () => Call> = {
  'groups of all rows': () => ({ url: '/v1/workunits?$apply=groupby((title,description,created),aggregate($count as n))&$top=1000' }),
  'a filter by 500 values': () => ({
    url: `/v1/workunits?$top=1000&$filter=${encodeURIComponent(`workUnitId in (${units.slice(0, limits.inValues).join(',')})`)}`,
  }),
  'an export as CSV': () => ({ url: `/v1/workunits/Export()?$top=${rows}&$expand=tenant,protocol` }),
  'an export as JSON': () => ({ url: `/v1/workunits/Export()?$top=${rows}&$expand=notes`, headers: { accept: 'application/json' } }),
  'a batch of lists': () => ({
    method: 'POST',
    url: '/v1/$batch',
    body: () => ({ requests: Array.from({ length: 12 }, (_, i) => ({ id: String(i), method: 'GET', url: list() })) }),
    headers: { prefer: 'continue-on-error' },
  }),
  'a batch of many small calls': () => ({
    method: 'POST',
    url: '/v1/$batch',
    body: () => ({ requests: Array.from({ length: limits.batchParts }, (_, i) => ({ id: String(i), method: 'GET', url: 'permissions' })) }),
    headers: { prefer: 'continue-on-error' },
  }),
  'the description of the API': () => ({ url: '/v1/openapi.json' }),
  'the model': () => ({ url: '/v1/$metadata' }),
  'the model as JSON': () => ({ url: '/v1/$metadata?$format=json' }),
  'a mass edit': () => ({
    method: 'PATCH',
    url: '/v1/workunits',
    body: () => ({ ids: units, newState: { title: `Edited ${Math.random()}` } }),
  }),
  'a JSON Patch of the most operations': () => ({
    method: 'PATCH',
    url: `/v1/workunits/${units[0]}`,
    body: () =>
      Array.from({ length: limits.patchOperations }, (_, i) => ({ op: 'replace', path: '/description', value: 'x'.repeat(2_000) + i })),
    headers: { 'content-type': 'application/json-patch+json' },
  }),
  'a body of half a million numbers': () => ({ method: 'POST', url: '/v1/locations', body: () => filled('1'), status: 400 }),
  'a body of escaped texts': () => ({ method: 'POST', url: '/v1/locations', body: () => filled(String.raw`"\u0041"`), status: 400 }),
  'a body of unknown properties': () => ({
    method: 'POST',
    url: '/v1/locations',
    body: () => `{${Array.from({ length: 80_000 }, (_, i) => `"p${i}":1`).join(',')}}`,
    status: 400,
  }),
  'unknown properties of an action': () => ({
    method: 'POST',
    url: '/v1/rules/matchingNow',
    body: () => `{${Array.from({ length: 80_000 }, (_, i) => `"p${i}":1`).join(',')}}`,
    status: 400,
  }),
  'a list of values that an action refuses': () => ({
    method: 'POST',
    url: '/v1/series',
    body: () => `{"from":"${from}","series":${filled('{}', 1_000_000)}}`,
    status: 400,
  }),
  'an import that is tried': () => ({
    method: 'POST',
    url: '/v1/configuration?dryRun=true',
    body: () => ({
      cloudfit: 'configuration',
      version: 1,
      rows: { locations: Array.from({ length: 300 }, (_, i) => ({ locationId: crypto.randomUUID(), name: `Place ${i}`, tenantId })) },
    }),
  }),
  'a spreadsheet of wrong lines': () => ({
    method: 'POST',
    url: '/v1/lists/import',
    body: () => ({
      list: 'devices',
      tenantId,
      text: `name,location,os\n${Array.from({ length: 20_000 }, (_, i) => `device-${i},Nowhere,Amiga`).join('\n')}`,
    }),
  }),
  'an import of too many rows': () => ({
    method: 'POST',
    url: '/v1/configuration?dryRun=true',
    body: () => `{"cloudfit":"configuration","version":1,"rows":{"locations":${filled('{}', 7_000_000)}}}`,
    status: 400,
  }),
  'a hundred series of two thousand points': () => ({
    method: 'POST',
    url: '/v1/series',
    body: () => ({
      from,
      points: seriesLimits.points / 2,
      series: [{ entityIds: devices.slice(0, seriesLimits.series), metric: 'M1' }],
    }),
  }),
  'the same as a file': () => ({
    method: 'POST',
    url: '/v1/series',
    body: () => ({
      from,
      points: seriesLimits.points / 2,
      format: 'csv',
      series: [{ entityIds: devices.slice(0, seriesLimits.series), metric: 'M1' }],
    }),
  }),
  'what collides with a plan of a thousand devices': () => ({
    method: 'POST',
    url: '/v1/maintenance/collisions',
    body: () => ({ tenantId, deviceIds: devices, from, until: new Date(Date.now() + 86_400_000).toISOString() }),
  }),
  'the noise of all rules': () => ({ url: `/v1/rules/noise?tenantId=${tenantId}&days=90` }),
  packets: () => ({ url: `/v1/packets?$top=${rows}` }),
};

it.each(Object.keys(calls))(
  'gives others their turn: %s',
  async (name) => {
    const { method = 'GET', url, body, headers = {}, status = 200 } = calls[name]?.() ?? { url: '' };
    const content = body?.();
    const payload = typeof content === 'string' ? content : JSON.stringify(content);
    const longest = await longestTurnOf(maxMs, async () => {
      const answer = await world.app.inject({
        method: method as 'GET',
        url,
        headers: { authorization, ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(payload === undefined ? {} : { payload }),
        // Joining and decoding the whole answer would be the work of this test, not of the server.
        payloadAsStream: true,
      });
      let start = '';
      for await (const chunk of answer.stream()) if (start === '') start = String((chunk as Buffer).subarray(0, 600));
      expect([answer.statusCode, answer.statusCode === status ? '' : start]).toEqual([status, '']);
    });
    expect(longest).toBeLessThan(maxMs);
  },
  60_000,
);

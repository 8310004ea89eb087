/** Exports of lists as CSV or JSON: same rows, permissions and options as the list; each export is audited. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let subscriptionId: string;
let me: TestCaller;

async function unit(title: string, tenant = tenantId): Promise<void> {
  const answer = await world.call(holder('all'), 'PUT', '/v1/workunits', {
    title,
    description: 'Text.',
    workUnitTypeId: 1,
    tenantId: tenant,
  });
  expect(answer.status).toBe(201);
}

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId, subscriptionId } = await world.tenant('Northwind'));
  me = holder([tenantId]);
});
afterAll(() => world.close());

/** Requests an export; returns its rows as lists of cells, after a check that every cell is quoted. */
async function file(
  who: TestCaller,
  method: 'GET' | 'POST',
  path: string,
): Promise<{ status: number; headers: Record<string, unknown>; rows: string[][] }> {
  const answer = await world.call(who, method, path);
  const rows = answer.text
    .split('\r\n')
    .slice(0, -1)
    .map((line) => [...line.matchAll(/"((?:[^"]|"")*)"/g)].map((cell) => (cell[1] ?? '').replaceAll('""', '"')));
  return { ...answer, rows };
}

/** A device that has reported `Cpu`. */
async function reporting(): Promise<string> {
  const device = await world.call(me, 'PUT', '/v1/devices', { name: 'Reporting', tenantId, subscriptionId });
  const id = String(device.body['deviceId']);
  await world.system.db.query({
    text: `insert into packet (tenant_id, entity_id, timestamp, message) select tenant_id, device_id, now(), '{"Metrics": {"Cpu": 7}}' from device where device_id = $1`,
    values: [id],
  });
  return id;
}

describe('an export', () => {
  it('answers the rows of the list as a file, by GET and POST, with the options of the list', async () => {
    for (const title of ['=HYPERLINK("http://x")', 'Pump "7", silent']) await unit(title);
    const query = '?$select=title,severityId&$filter=contains(title,%27%22%27)&$orderby=title desc&$expand=tenant($select=name)';
    for (const [method, path] of [
      ['GET', '/v1/workunits/Export()'],
      ['POST', '/api/v1/WorkUnits/export'],
    ] as const) {
      const { status, headers, rows } = await file(me, method, path + query);
      await proves('[WU-019] is named workunits.csv', () =>
        expect(headers['content-disposition']).toBe('attachment; filename="workunits.csv"'),
      );
      await proves('[API-141] has the rows', () => {
        expect(status).toBe(200);
        expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
        expect(rows).toEqual([
          ['Title', 'Severity', 'Tenant Name'],
          ['Pump "7", silent', 'Sev0', 'Northwind'],
          [`'=HYPERLINK("http://x")`, 'Sev0', 'Northwind'],
        ]);
      });
    }
  });

  it('[LIM-004] holds at most a thousand rows, of the own tenants alone', async () => {
    const freshTenant = await world.tenant();
    for (const [tenant, n] of [
      [freshTenant.tenantId, 1_200],
      [tenantId, 5],
    ] as const)
      await world.system.db.query({
        text: `insert into work_unit (tenant_id, title, description, work_unit_type_id, created_by, modified_by)
          select $1, 'Unit ' || n, repeat('x', 500), 1, 't', 't' from generate_series(1, $2::int) n`,
        values: [tenant, n],
      });
    const other = holder([freshTenant.tenantId]);
    const { rows } = await file(other, 'GET', '/v1/workunits/Export()');
    expect(rows).toHaveLength(1_001);
    expect((await file(other, 'GET', '/v1/workunits/Export()?$top=10')).rows).toHaveLength(11);
    expect((await file(other, 'GET', `/v1/workunits/Export()?$filter=tenantId eq ${tenantId}`)).rows).toHaveLength(1);
  });

  it('says by Link where the rest of a longer list begins, until there is none', async () => {
    const { tenantId: fresh } = await world.tenant();
    await world.system.db.query({
      text: `insert into work_unit (tenant_id, title, description, work_unit_type_id, created_by, modified_by)
        select $1, 'Unit ' || n, 'x', 1, 't', 't' from generate_series(1, $2::int) n`,
      values: [fresh, 1_200],
    });
    const other = holder([fresh]);
    const first = await file(other, 'POST', "/v1/workunits/Export()?$select=title&$filter=title ne '>'");
    const [, next = ''] = /^<https?:\/\/[^/]+(\S+)>; rel="next"$/.exec(String(first.headers['link'])) ?? [];
    const rest = await file(other, 'GET', next);
    const titles = [...first.rows.slice(1), ...rest.rows.slice(1)].flat();
    expect([first.rows.length, rest.rows.length, new Set(titles).size, rest.headers['link']]).toEqual([1_001, 201, 1_200, undefined]);
    expect((await file(other, 'GET', '/v1/workunits/Export()?$top=10')).headers['link']).toBeUndefined();
  });

  it('answers rows as JSON to a client that asks for that, one on each line, and is recorded like a file', async () => {
    const { tenantId: fresh } = await world.tenant('Rows');
    for (const title of ['One two', 'Three']) await unit(title, fresh);
    const path = '/v1/workunits/Export()?$orderby=title&$select=title&$expand=tenant($select=name)';
    const answer = await world.call(holder([fresh]), 'GET', path, undefined, { accept: 'application/json' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body['value']).toEqual(['One two', 'Three'].map((title) => ({ title, tenant: { name: 'Rows' } })));
    expect(answer.text.split('\n')).toHaveLength(3);
    const [recorded] = await world.system.db.query<{ rows: number }>({
      text: `select (after ->> 'rows')::int as rows from audit where verb = 'export' and tenant_id = $1`,
      values: [fresh],
    });
    expect(recorded).toEqual({ rows: 2 });
    for (const accept of ['*/*', 'text/csv', 'application/json, text/plain, */*'])
      expect((await world.call(holder([fresh]), 'GET', path, undefined, { accept })).headers['content-type']).toMatch(/^text\/csv/);
  });

  it('begins with the mark by which Excel reads UTF-8, as every file of rows does', async () => {
    const series = [{ entityId: await reporting(), metric: 'Cpu' }];
    expect((await world.call(me, 'GET', '/v1/locations/Export()')).text.charCodeAt(0)).toBe(0xfeff);
    const file = await world.call(me, 'POST', '/v1/series', { from: '2026-01-01T00:00:00Z', series, format: 'csv' });
    expect([file.headers['content-type'], file.text.charCodeAt(0)]).toEqual(['text/csv; charset=utf-8; header=present', 0xfeff]);
  });

  it('is what a list, and a call with a format, answer to a client that prefers CSV, page by page', async () => {
    const { tenantId: fresh } = await world.tenant();
    await world.system.db.query({
      text: `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by)
        select $1, 'Unit ' || n, 1, 't', 't' from generate_series(1, 1001) n`,
      values: [fresh],
    });
    const get = (path: string, accept: string) => world.call(holder([fresh]), 'GET', path, undefined, { accept });
    for (const path of ['/v1/workunits/Export()?$select=title', '/v1/workunits?$select=title']) {
      const first = await get(path, 'text/csv');
      expect([path, first.status, first.text.split('\r\n').length]).toEqual([path, 200, 1_002]);
      const [, next = ''] = /^<https?:\/\/[^/]+(\S+)>; rel="next"$/.exec(String(first.headers['link'])) ?? [];
      expect((await get(next, 'text/csv')).text.split('\r\n')).toHaveLength(3);
    }
    for (const accept of ['application/json', '*/*', 'text/csv;q=0.5, application/json', 'text/html, */*'])
      expect((await get('/v1/workunits?$top=1', accept)).headers['content-type']).toMatch(/^application\/json/);
    const [range, series] = [{ from: '2026-01-01T00:00:00Z' }, [{ entityId: await reporting(), metric: 'Cpu' }]];
    const read = async (accept: string, format?: string) => {
      const body = { ...range, series, ...(format ? { format } : {}) };
      return (await world.call(me, 'POST', '/v1/series', body, { accept })).headers['content-type'];
    };
    expect(await read('text/csv')).toMatch(/^text\/csv/);
    expect(await read('text/csv', 'json')).toMatch(/^application\/json/);
    expect(await read('*/*')).toMatch(/^application\/json/);
  });

  it('[API-098] [VER-010] names the version report versionreport.csv', async () => {
    const { status, headers } = await file(me, 'POST', '/v1/compliancereport/Export()');
    expect([status, headers['content-disposition']]).toEqual([200, 'attachment; filename="versionreport.csv"']);
  });

  it('names what a row refers to, and has no two columns of one name', async () => {
    const other = await world.tenant('Names');
    const caller = holder([other.tenantId]);
    await unit('Named', other.tenantId);
    const whole = await file(caller, 'GET', '/v1/workunits/Export()');
    const cell = (label: string) => whole.rows[1]?.[whole.rows[0]?.indexOf(label) ?? -1];
    expect([cell('Tenant'), cell('Work Unit Type')]).toEqual(['Names', 'Incident']);
    const chosen = await file(caller, 'GET', '/v1/workunits/Export()?$select=title,tenantId');
    expect(chosen.rows).toEqual([
      ['Title', 'Tenant'],
      ['Named', 'Names'],
    ]);
    const unnamed = await file(holder([other.tenantId], [permission('WorkUnits', 'view')]), 'GET', '/v1/workunits/Export()');
    expect(unnamed.rows[1]?.[unnamed.rows[0]?.indexOf('Tenant') ?? -1]).toBe(other.tenantId);
    for (const { name, verbs } of resources.filter(({ verbs }) => verbs.includes('list'))) {
      const { status, rows } = await file(caller, 'GET', `/v1/${name}/Export()?$top=1`);
      expect([name, verbs, status, new Set(rows[0]).size]).toEqual([name, verbs, 200, rows[0]?.length]);
    }
  });

  it('finds the name of every reference, except where the row has it beside the key', () => {
    const nameless = resources.flatMap(({ name, key, fields, relations }) =>
      Object.entries(fields)
        .filter(([field, { ref }]) => ref && field !== key && !Object.values(relations).some(({ many, from }) => !many && from === field))
        .map(([field]) => `${name}.${field}`),
    );
    expect(nameless).toEqual([
      'pendingDevices.deviceId',
      'complianceReport.subscriptionId',
      'actionTries.workUnitId',
      'communicationContacts.personId',
      // Mails are listed below their communication.
      'communicationMails.workUnitCommunicationId',
    ]);
  });

  it('leaves a key that has the name beside it as it is', async () => {
    const answer = await file(me, 'GET', '/v1/compliancereport/Export()?$top=1');
    expect(answer.rows[0]).toEqual(expect.arrayContaining(['Tenant ID', 'Tenant', 'Device ID', 'Device Name']));
    const blocks = await file(me, 'GET', '/v1/blocks/Export()?$top=1');
    expect(blocks.rows[0]).toEqual(expect.arrayContaining(['Device', 'Entity ID']));
  });

  it('is recorded: who, which rows, how many', async () => {
    await file(me, 'GET', '/v1/workunits/Export()?$top=1');
    const [entry] = await world.system.db.query({
      text: "select verb, actor_name, after from audit where entity = 'workUnits' and verb = 'export' and tenant_id = $1 order by audit_id desc limit 1",
      values: [tenantId],
    });
    expect(entry).toEqual({ verb: 'export', actor_name: 'person@example.com', after: { query: '$top=1', rows: 1 } });
  });

  it('asks for the right to view, and says what it cannot do', async () => {
    const status = async (who: TestCaller, path: string) => (await world.call(who, 'GET', path)).status;
    expect(await status(holder([tenantId], ['CloudFit.CFS.Devices:view']), '/v1/workunits/Export()')).toBe(403);
    expect(await status(me, '/v1/workunits/Export()?$select=nothing')).toBe(400);
    expect(await status(me, '/v1/workunits/Export()?$expand=notes')).toBe(400);
    expect((await world.call(null, 'GET', '/v1/workunits/Export()')).status).toBe(401);
    expect((await world.call(me, 'DELETE', '/v1/workunits/Export()')).status).toBe(405);
  });
});

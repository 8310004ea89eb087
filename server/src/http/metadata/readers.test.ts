/**
 * Programs that only read: their requests as they were recorded (Power Query in Excel and Power BI) or as their published
 * sources build them (Infinity for Grafana), sent to a server with the real sign-in behind a proxy.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIntegrationToken } from '../../auth/integration-token.ts';
import { shippedSets } from '../../auth/shipped.ts';
import { startInstallation, type Installation } from '../../testing/installation.ts';

let installation: Installation;
let tenantId: string;
let token: string;
const entityId = crypto.randomUUID();
const hour = 3_600_000;
const from = new Date(Math.floor(Date.now() / hour - 24) * hour).toISOString();
const to = new Date(Date.parse(from) + hour).toISOString();

beforeAll(async () => {
  installation = await startInstallation();
  const { db } = installation.system;
  tenantId = await installation.tenant("O'Neil & Sons");
  const created = createIntegrationToken();
  token = created.token;
  await db.query({
    text: 'insert into token_grant (tenant_id, name, token_hash, token_hint, permission_set_id) values ($1, $2, $3, $4, $5)',
    values: [tenantId, 'Reports', created.hash, created.hint, shippedSets.reader.id],
  });
  await db.query({
    text: `insert into work_unit (tenant_id, title, severity_id, work_unit_type_id, created, created_by, modified_by)
      select $1, 'Unit ' || n, 'Sev' || n % 3, 1, $2::timestamptz + n * interval '1 second', 'test', 'test' from generate_series(1, 2500) n`,
    values: [tenantId, from],
  });
  await db.query({
    text: `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, message)
      select $1, $2, at, at, jsonb_build_object('Metrics', jsonb_build_object('Cpu', 40)) from generate_series($3::timestamptz, $4::timestamptz, '5 minutes') at`,
    values: [tenantId, entityId, from, to],
  });
});
afterAll(() => installation.close());

async function send(
  path: string,
  headers: Readonly<Record<string, string>>,
  rest: RequestInit = {},
): Promise<{ status: number; type: string; text: string; json: () => Record<string, unknown>; headers: Headers }> {
  const address = path.startsWith('http') ? path : `${installation.publicUrl}/v1/${path}`;
  const answer = await fetch(address, { ...rest, headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7', ...headers } });
  const text = await answer.text();
  const json = (): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text, json, headers: answer.headers };
}

describe('Power Query, in Excel and Power BI', () => {
  const basic = (): string => `Basic ${Buffer.from(`reports:${token}`).toString('base64')}`;
  const recorded = (more: Record<string, string> = {}): Record<string, string> => ({
    'accept-encoding': 'gzip, deflate',
    'user-agent': 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)',
    maxdataserviceversion: '3.0',
    'odata-maxversion': '4.0',
    accept:
      'application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7',
    authorization: basic(),
    ...more,
  });
  const get = (path: string, more: Record<string, string> = {}) => send(path, recorded(more));
  /** The query as .NET escapes it. */
  const folded = (options: Readonly<Record<string, string>>): string =>
    Object.entries(options)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');

  it('signs in by the token as a password over https only, and is told why not', async () => {
    expect((await get('')).status).toBe(200);
    const refused = await get('', { 'x-forwarded-proto': 'http' });
    expect([refused.status, refused.text]).toEqual([401, expect.stringContaining('over https only')]);
    expect((await get('', { authorization: `Basic ${Buffer.from('reports:wrong').toString('base64')}` })).status).toBe(401);
  });

  it('learns by the 401 how to sign in, but a browser does not ask a person for a password', async () => {
    const signIns = async (headers: Record<string, string>) => (await send('workUnits', headers)).headers.get('www-authenticate');
    expect(await signIns({})).toBe('Bearer, Basic realm="CloudFit", charset="UTF-8"');
    expect(await signIns({ 'x-forwarded-proto': 'http' })).toBe('Bearer');
    expect(await signIns({ 'sec-fetch-site': 'same-origin' })).toBe('Bearer');
  });

  it('reads the service document as JSON with one version header, and the sets in it', async () => {
    const { json, type, headers } = await get('');
    expect([type, headers.get('odata-version'), headers.get('content-encoding')]).toEqual([
      expect.stringMatching(/^application\/json;odata\.metadata=minimal/),
      '4.0',
      'gzip',
    ]);
    const { '@odata.context': context, value } = json();
    expect(context).toBe(`${installation.publicUrl}/v1/$metadata`);
    expect(value).toContainEqual(expect.objectContaining({ kind: 'EntitySet', name: 'workUnits', url: 'workUnits' }));
  });

  it.each([{}, { accept: 'application/xml' }])('reads the model as XML, by any of its headers %j', async (more) => {
    const { status, type, text } = await get('$metadata', more);
    expect([status, type]).toEqual([200, expect.stringMatching(/^application\/xml/)]);
    expect(text).toContain('<EntitySet Name="workUnits"');
  });

  it('loads a whole set by its next links, each row once', async () => {
    const ids: number[] = [];
    let pages = 0;
    for (let next: string | undefined = 'workUnits'; next !== undefined; pages++) {
      const { status, json } = await get(next, pages % 2 ? { prefer: 'odata.maxpagesize=1000' } : {});
      expect([next, status]).toEqual([next, 200]);
      const page = json();
      ids.push(...(page['value'] as { workUnitId: number }[]).map(({ workUnitId }) => workUnitId));
      next = page['@odata.nextLink'] as string | undefined;
    }
    expect([ids.length, new Set(ids).size]).toEqual([2500, 2500]);
    expect(pages).toBeGreaterThan(2);
  });

  it('passes filters, columns, order and the first rows on', async () => {
    const query = folded({
      $filter: `severityId eq 'Sev1' and created ge ${from} and contains(title,'Unit 1') and tenant/name eq 'O''Neil & Sons'`,
      $orderby: 'created desc,workUnitId',
      $select: 'workUnitId,title,created',
      $top: '3',
    });
    const { value } = (await get(`workUnits?${query}`)).json() as { value: object[] };
    expect(value.map((row) => Object.keys(row).filter((name) => !name.startsWith('@')))).toEqual(
      Array.from({ length: 3 }, () => ['workUnitId', 'title', 'created']),
    );
    expect((await get(`workUnits?${folded({ $skip: '2499', $top: '1000', $select: 'title' })}`)).json()['value']).toHaveLength(1);
  });

  it('counts rows by a path of its own', async () => {
    const { status, type, text } = await get(`workUnits/$count?${folded({ $filter: "severityId eq 'Sev0'" })}`);
    expect([status, type.split(';')[0], text]).toEqual([200, 'text/plain', '833']);
  });

  it('expands a column of records, and follows one from a row', async () => {
    const expanded = (await get(`workUnits?${folded({ $top: '1', $select: 'title', $expand: 'tenant($select=name)' })}`)).json();
    expect(expanded['value']).toMatchObject([{ tenant: { name: "O'Neil & Sons" } }]);
    const [{ workUnitId } = { workUnitId: 0 }] = (await get('workUnits?$top=1&$select=workUnitId')).json()['value'] as {
      workUnitId: number;
    }[];
    expect((await get(`workUnits(${workUnitId})/tenant`)).json()).toMatchObject({ name: "O'Neil & Sons" });
  });

  it('groups rows on the server', async () => {
    const query = folded({ $apply: "filter(title ne 'x')/groupby((severityId),aggregate($count as Count,workUnitId with max as Last))" });
    const { value } = (await get(`workUnits?${query}`)).json() as { value: Record<string, unknown>[] };
    expect(value.toSorted((a, b) => String(a['severityId']).localeCompare(String(b['severityId'])))).toMatchObject([
      { severityId: 'Sev0', Count: 833 },
      { severityId: 'Sev1', Count: 834 },
      { severityId: 'Sev2', Count: 833 },
    ]);
  });
});

describe('the Infinity data source of Grafana', () => {
  const headers = (): Record<string, string> => ({
    accept: 'application/json;q=0.9,text/plain',
    'user-agent': 'Go-http-client/1.1',
    'accept-encoding': 'gzip',
    authorization: `Bearer ${token}`,
  });

  it('reads rows at "value" of the range of a dashboard, with blanks as plus signs and names in its order', async () => {
    // The query as Go's `url.Values.Encode` writes it, with the range of the dashboard in place of ${__from:date:iso}
    // and ${__to:date:iso}.
    const middle = new Date(Date.parse(from) + 10_000).toISOString();
    const query = new URLSearchParams({
      $filter: `created gt ${from} and created le ${middle}`,
      $orderby: 'created',
      $select: 'created,severityId',
    });
    query.sort();
    const { status, json } = await send(`workUnits?${query.toString()}`, headers());
    expect(query.toString()).toContain('%24filter=created+gt+');
    expect([status, json()['value']]).toEqual([
      200,
      Array.from({ length: 10 }, (_, n) =>
        expect.objectContaining({ severityId: `Sev${(n + 1) % 3}`, created: expect.stringMatching(/Z$/) }),
      ),
    ]);
  });

  it('counts by a group as a table', async () => {
    const query = new URLSearchParams({ $apply: 'groupby((severityId),aggregate($count as units))', $orderby: 'severityId' });
    expect((await send(`workUnits?${query.toString()}`, headers())).json()['value']).toMatchObject([
      { severityId: 'Sev0', units: 833 },
      { severityId: 'Sev1', units: 834 },
      { severityId: 'Sev2', units: 833 },
    ]);
  });

  it('reads a metric over time by POST, points at the times of their buckets', async () => {
    const body = JSON.stringify({ from, to, points: 12, series: [{ entityId, metric: 'Cpu' }] });
    const { status, json } = await send('series', { ...headers(), 'content-type': 'application/json' }, { method: 'POST', body });
    const [series] = (json()['series'] ?? []) as { buckets: number[][] }[];
    expect([status, series?.buckets.map(([at, , average]) => [at, average])]).toEqual([
      200,
      Array.from({ length: 12 }, (_, n) => [Date.parse(from) + (n * hour) / 12, 40]),
    ]);
  });

  it('signs in by user name and password too', async () => {
    const authorization = `Basic ${Buffer.from(`grafana:${token}`).toString('base64')}`;
    expect((await send('workUnits?$top=1', { ...headers(), authorization })).status).toBe(200);
  });
});

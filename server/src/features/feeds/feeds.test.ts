/** Feeds of people and of status pages: what they contain, for whom, and that other programs can read them. */
import ICAL from 'ical.js';
import { validateXML } from 'xmllint-wasm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { personIn } from '../../testing/samples.ts';
import { until } from '../../rules/testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

/** What RFC 4287 demands of the elements that feeds here have. */
const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="http://www.w3.org/2005/Atom" targetNamespace="http://www.w3.org/2005/Atom" elementFormDefault="qualified">
  <xs:import namespace="http://www.w3.org/XML/1998/namespace"/>
  <xs:simpleType name="urn"><xs:restriction base="xs:anyURI"><xs:pattern value="urn:uuid:[0-9a-f-]{36}"/></xs:restriction></xs:simpleType>
  <xs:complexType name="link"><xs:attribute name="rel" use="required"/><xs:attribute name="type"/><xs:attribute name="href" type="xs:anyURI" use="required"/></xs:complexType>
  <xs:element name="feed"><xs:complexType><xs:sequence>
    <xs:element name="id" type="urn"/><xs:element name="title" type="xs:string"/><xs:element name="updated" type="xs:dateTime"/>
    <xs:element name="link" type="link" minOccurs="2" maxOccurs="2"/>
    <xs:element name="author"><xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
    <xs:element name="generator" type="xs:string"/>
    <xs:element name="entry" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>
      <xs:element name="id" type="urn"/><xs:element name="title" type="xs:string"/><xs:element name="updated" type="xs:dateTime"/><xs:element name="published" type="xs:dateTime"/>
      <xs:element name="link" type="link" minOccurs="0"/>
      <xs:element name="category" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:attribute name="term" use="required"/></xs:complexType></xs:element>
      <xs:element name="content"><xs:complexType><xs:simpleContent><xs:extension base="xs:string"><xs:attribute name="type" fixed="text"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
    </xs:sequence></xs:complexType></xs:element>
  </xs:sequence><xs:anyAttribute namespace="http://www.w3.org/XML/1998/namespace" processContents="skip"/></xs:complexType></xs:element>
</xs:schema>`;

let world: TestWorld;
let tenantId: string;
let personId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Fjord & Sons'));
  personId = await personIn(world, tenantId);
  await grant('CloudFit.CFS.WorkUnits:view', 'CloudFit.CFS.Maintenance:view');
  me = { ...holder([tenantId]), actor: { kind: 'person', id: personId, name: 'Ada', userName: 'ada@example.com' } };
});
afterAll(() => world.close());

const rows = (text: string, ...values: unknown[]) => world.system.db.query({ text, values });
const grant = (...permissions: string[]) =>
  rows(
    'update permission_set s set permissions = $2 from access_grant g where g.permission_set_id = s.permission_set_id and g.person_id = $1',
    personId,
    JSON.stringify(permissions),
  );
const unit = async (fields: object) => {
  const created = await world.call(me, 'PUT', '/v1/workUnits', { severityId: 'Sev2', workUnitTypeId: 1, tenantId, ...fields });
  expect(created.status, created.text).toBe(201);
  return created.body;
};
async function add(body: object, caller = me) {
  const created = await world.call(caller, 'PUT', '/v1/ownFeeds', { tenantId, ...body });
  return { ...created, id: String(created.body['feedId']), path: String(created.body['url']).replace('http://localhost', '') };
}
const read = (path: string) => world.call(null, 'GET', path);

async function requireAtom(text: string): Promise<void> {
  const { valid, errors } = await validateXML({
    xml: { fileName: 'feed.xml', contents: text },
    schema: { fileName: 'atom.xsd', contents: schema },
  });
  expect({ valid, errors }).toEqual({ valid: true, errors: [] });
}
const titles = (text: string) => [...text.matchAll(/<entry>[\s\S]*?<title>(.*?)<\/title>/g)].map(([, title]) => title);

it('has the open work units of the tenant, or of a view as it is now, with the rights of its owner', async () => {
  await unit({ title: 'Disk <full> & hot', severityId: 'Sev1', description: 'A & B' });
  const done = await unit({ title: 'Over' });
  await world.call(me, 'POST', `/v1/workUnits/${String(done['workUnitId'])}`, { stateId: 'Canceled' });
  await unit({ title: 'Later' });
  const feed = await add({ kind: 'workUnits' });
  const shown = await read(`${feed.path}.atom`);
  expect(shown.headers['content-type']).toBe('application/atom+xml; charset=utf-8');
  await requireAtom(shown.text);
  expect(titles(shown.text)).toHaveLength(2);
  expect(shown.text).toContain('Disk &lt;full&gt; &amp; hot');
  expect(shown.text).toContain('<title>Open work units: Fjord &amp; Sons</title>');
  expect((await read(feed.path)).text).toBe(shown.text);
  const view = await world.call(me, 'POST', '/v1/savedViews', {
    screen: 'workunitsv2',
    name: 'Urgent',
    address: 'severityId=Sev1',
    filter: "severityId eq 'Sev1' or assignedTo eq '{reader}'",
    hidden: null,
    sharing: 'Me',
    team: null,
    inMenu: false,
    tenantId,
  });
  expect(view.status, view.text).toBe(200);
  const ofView = await add({ kind: 'workUnits', savedViewId: view.body['savedViewId'] });
  expect(titles((await read(ofView.path)).text)).toEqual([expect.stringContaining('Sev1 #')]);
  await world.call(me, 'POST', `/v1/savedViews/${String(view.body['savedViewId'])}`, { filter: "severityId eq 'Sev4'" });
  expect(titles((await read(ofView.path)).text)).toEqual([]);
  await requireAtom((await read(ofView.path)).text);
  // The owner loses the right: the link shows nothing more.
  await grant('CloudFit.CFS.Devices:view');
  expect((await read(feed.path)).status).toBe(404);
  await grant('CloudFit.CFS.WorkUnits:view', 'CloudFit.CFS.Maintenance:view');
  expect((await read(feed.path)).status).toBe(200);
  await rows('update person set enabled = false where person_id = $1', personId);
  expect((await read(feed.path)).status).toBe(404);
  await rows('update person set enabled = true where person_id = $1', personId);
});

it('is listed without its link, and is dead when its owner removes it', async () => {
  const feed = await add({ kind: 'calendar' });
  const listed = (await world.call(me, 'GET', '/v1/ownFeeds')).body['feeds'] as { feedId: string }[];
  expect(listed.find(({ feedId }) => feedId === feed.id)).toMatchObject({
    kind: 'calendar',
    tenantId,
    tenantName: 'Fjord & Sons',
    viewName: null,
  });
  expect(JSON.stringify(listed)).not.toContain('/v1/feeds/');
  const other = { ...me, actor: { kind: 'person', id: await personIn(world, tenantId), name: 'Bo', userName: 'bo@example.com' } } as const;
  expect((await world.call(other, 'DELETE', `/v1/ownFeeds/${feed.id}`)).status).toBe(404);
  expect((await read(feed.path)).status).toBe(200);
  expect((await world.call(me, 'DELETE', `/v1/ownFeeds/${feed.id}`)).status).toBe(204);
  expect((await read(feed.path)).status).toBe(404);
  expect((await read('/v1/feeds/x.y')).status).toBe(404);
  const { tenantId: elsewhere } = await world.tenant();
  expect((await add({ kind: 'workUnits', tenantId: elsewhere })).status).toBe(404);
  expect((await add({ kind: 'calendar', savedViewId: feed.id })).body).toMatchObject({ error: { details: [{ target: 'savedViewId' }] } });
  expect(await rows("select verb from audit where entity_id = $1 and verb = 'removeFeed'", personId)).toHaveLength(1);
});

it('has changes, maintenance and freezes as a calendar', async () => {
  const now = Date.now();
  const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString();
  await rows(
    `insert into work_unit (tenant_id, title, work_unit_type_id, planned_start_time, planned_finish_time, created_by, modified_by) values ($1, 'Patch; db, one' || chr(10) || 'and two with a long name that does not fit in a line of seventy-five bytes: ÄÖÜ', 2, $2, $3, 'x', 'x')`,
    tenantId,
    at(24),
    at(26),
  );
  await rows(
    "insert into maintenance_window (tenant_id, reason, starts_at, ends_at, device_ids, created_by, modified_by) values ($1, 'New disks', $2, $3, '[]', 'x', 'x')",
    tenantId,
    at(48),
    at(50),
  );
  await rows(
    "insert into change_freeze (name, starts_at, ends_at, created_by, modified_by) values ('Year end', $1, $2, 'x', 'x')",
    at(72),
    at(96),
  );
  const { path } = await add({ kind: 'calendar' });
  const shown = await read(`${path}.ics`);
  expect(shown.headers['content-type']).toBe('text/calendar; charset=utf-8');
  const calendar = new ICAL.Component(ICAL.parse(shown.text) as unknown[]);
  const events = calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
  expect(events.map(({ summary }) => summary.replace(/#\d+/, '#n'))).toEqual([
    expect.stringMatching(/^Change #n: Patch; db, one\sand two with a long name .* ÄÖÜ$/),
    'Maintenance: New disks',
    'No changes: Year end',
  ]);
  expect(events[1]?.startDate.toJSDate().toISOString().slice(0, 19)).toBe(at(48).slice(0, 19));
  expect(new Set(events.map(({ uid }) => uid)).size).toBe(3);
  expect(events[0]?.component.getFirstPropertyValue('status')).toBe('TENTATIVE');
  expect(shown.text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
});

it('has the incidents of a status page, each once, and nothing of the tenant besides', async () => {
  const all = holder([tenantId]);
  const page = await world.call(all, 'PUT', '/v1/statusPages', {
    title: 'Fjord <status>',
    tenantId,
    address: 'fjord-feed',
    components: [],
  });
  await rows('update status_page set enabled = true where status_page_id = $1', page.body['statusPageId']);
  const created = await world.call(all, 'PUT', '/v1/workUnitCommunications', {
    title: 'Mail is slow',
    tenantId,
    isPublic: true,
    nextUpdate: '2036-01-01T00:00:00Z',
    rootCause: 'secret cause',
  });
  expect(created.status, created.text).toBe(201);
  const shown = await until(async () => {
    const answer = await read('/status/fjord-feed/feed.atom');
    return answer.status === 200 && answer;
  });
  await requireAtom(shown.text);
  expect(titles(shown.text)).toEqual([expect.stringContaining('Mail is slow (')]);
  expect(shown.text).not.toMatch(/secret|Fjord &amp; Sons/);
  expect(shown.text).not.toContain(tenantId);
  const again = await world.call(null, 'GET', '/status/fjord-feed/feed.atom', undefined, {
    'if-none-match': String(shown.headers['etag']),
  });
  expect(again.status).toBe(304);
  const html = await read('/status/fjord-feed');
  expect(html.text).toContain(
    '<link rel="alternate" type="application/atom+xml" title="Fjord &lt;status&gt;" href="/status/fjord-feed/feed.atom" />',
  );
  // Programs that read feeds accept no language: the German page links to the German feed.
  const german = await world.call(null, 'GET', '/status/fjord-feed', undefined, { 'accept-language': 'de' });
  const [, feed = ''] = /type="application\/atom\+xml"[^>]* href="([^"]+)"/.exec(german.text) ?? [];
  expect(titles((await read(feed)).text)).toEqual([expect.stringContaining('Mail is slow (Wird untersucht)')]);
  expect((await read('/status/no-such-page/feed.atom')).status).toBe(404);
});

/** What the audit records about refusals and sign-ins, and who can read it. */
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDenials, denialsPerMinute } from '../../auth/denials.ts';
import { shippedSets } from '../../auth/shipped.ts';
import { openDatabase } from '../../db/connection.ts';
import { Browser } from '../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../testing/installation.ts';
import { createWorld, holder } from '../../testing/world.ts';

let installation: Installation;
let tenantId: string;
let otherId: string;
let root: string;
let ada: string;

const signIn = async (userName: string) => (await new Browser(installation.publicUrl).signIn(userName, password)).access_token;

beforeAll(async () => {
  installation = await startInstallation();
  tenantId = await installation.tenant('Northwind');
  otherId = await installation.tenant('Southwind');
  await installation.person('root@example.org', { set: shippedSets.administrator.id, tenantId: null });
  await installation.person('ada@example.org', { set: shippedSets.administrator.id, tenantId });
  await installation.person('vera@example.org', { set: shippedSets.reader.id, tenantId });
  await installation.person('otto@example.org', { set: shippedSets.reader.id, tenantId: otherId });
  root = await signIn('root@example.org');
  ada = await signIn('ada@example.org');
});
afterAll(() => installation.close());

const entries = async (token: string, filter: string) =>
  (await installation.call(token, 'GET', `/v1/audit?$filter=${encodeURIComponent(filter)}&$orderby=auditId`)).body.value ?? [];

it('tells of refusals, to the tenant of the person', async () => {
  const vera = await signIn('vera@example.org');
  for (let i = 0; i < denialsPerMinute + 7; i++)
    expect((await installation.call(vera, 'PUT', '/v1/locations?$format=json', { name: 'Attic', tenantId })).status).toBe(403);
  const denied = () => entries(ada, "verb eq 'denied' and actorName eq 'vera@example.org'");
  await expect.poll(async () => (await denied()).length).toBe(denialsPerMinute);
  expect((await denied())[0]).toMatchObject({
    tenantId,
    actorKind: 'person',
    entity: 'locations',
    entityId: '/v1/locations',
    after: { method: 'PUT', reason: 'You do not have the permission CloudFit.CFS.Locations:create.' },
  });
  const otto = await signIn('otto@example.org');
  await installation.call(otto, 'PUT', '/v1/locations', { name: 'Attic', tenantId: otherId });
  await expect.poll(async () => (await entries(root, "verb eq 'denied' and actorName eq 'otto@example.org'")).length).toBe(1);
  expect(await entries(ada, "actorName eq 'otto@example.org'")).toEqual([]);
});

it('counts refusals beyond a few a minute', async () => {
  const world = await createWorld();
  const database = openDatabase({ url: world.url, max: 2, onError: () => undefined });
  let now = 0;
  const denials = createDenials(database, pino({ level: 'silent' }), () => now);
  const caller = holder([(await world.tenant()).tenantId]);
  const note = (actor: { name: string; id: string }, times: number) => {
    const ctx = world.ctx({ ...caller, actor: { kind: 'token', scopes: [], ...actor } });
    for (let i = 0; i < times; i++) denials.note(ctx, { method: 'GET', path: '/v1/devices', entity: 'devices', message: 'No.' });
  };
  const [busy, calm] = [
    { name: 'busy', id: crypto.randomUUID() },
    { name: 'calm', id: crypto.randomUUID() },
  ];
  note(busy, denialsPerMinute + 5);
  note(calm, 2);
  now = 61_000;
  note(busy, 1);
  await denials.close();
  const rows = await world.system.db.query<{ name: string; more: number | null; tenant: boolean; times: number }>({
    text: `select actor_name as name, (after->>'more')::int as more, tenant_id is not null as tenant, count(*)::int as times from audit
      where verb = 'denied' group by 1, 2, 3 order by 1, 2`,
  });
  expect(rows).toEqual([
    { name: 'busy', more: 5, tenant: true, times: 1 },
    { name: 'busy', more: null, tenant: true, times: denialsPerMinute + 1 },
    { name: 'calm', more: null, tenant: true, times: 2 },
  ]);
  await database.close();
  await world.close();
});

it("shows a tenant's administrator the sign-ins of the own people", async () => {
  const browser = new Browser(installation.publicUrl);
  const { page } = await browser.openSignIn();
  await browser.tryPassword(page, 'vera@example.org', 'wrong wrong wrong');
  await browser.tryPassword((await new Browser(installation.publicUrl).openSignIn()).page, 'otto@example.org', 'wrong wrong wrong');
  const tokens = await browser.signIn('vera@example.org', password);
  await browser.signOut(tokens);
  const verbs = async (token: string, name: string) =>
    new Set((await entries(token, `entity eq 'people' and actorName eq '${name}'`)).map((row) => row['verb']));
  expect(await verbs(ada, 'vera@example.org')).toEqual(new Set(['sign-in', 'sign-in-refused', 'sign-out']));
  expect(await verbs(ada, 'otto@example.org')).toEqual(new Set());
  expect(await verbs(ada, 'root@example.org')).toEqual(new Set());
  expect(await verbs(root, 'root@example.org')).toEqual(new Set(['sign-in']));
});

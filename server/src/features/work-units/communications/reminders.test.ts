/** Reminders of updates that a communication promised: one mail for each due time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { remindOfUpdates } from './reminders.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Fjord Power'));
  me = holder([tenantId]);
  await world.call(me, 'POST', `/v1/tenants/${tenantId}`, { internalNotificationEmailAddress: 'desk@example.com' });
  await reader('Mara Okafor', 'mara.o', 'mara@example.com');
});

/** Adds a person who may view the communications of the tenant. */
const reader = (name: string, userName: string, email: string, locale: object | null = null) =>
  world.system.db.query({
    text: `with s as (insert into permission_set (name, permissions) values ($2, '["CloudFit.CFS.WorkUnitCommunications:view"]') returning permission_set_id),
      p as (insert into person (name, user_name, email, email_verified, locale) values ($1, $2, $3, true, $4::jsonb) returning person_id)
      insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $5 from p, s`,
    values: [name, userName, email, JSON.stringify(locale), tenantId],
  });
afterAll(() => world.close());

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

async function open(body: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const created = await world.call(me, 'PUT', '/v1/workunitcommunications', {
    title: 'Mail is down',
    tenantId,
    nextUpdate: inAnHour(),
    ...body,
  });
  expect(created.body['error']).toBeUndefined();
  return created.body;
}
const pass = (communication: Record<string, unknown>, field: 'next_update' | 'next_internal_update', back = '1 minute') =>
  world.system.db.query({
    text: `update work_unit_communication set ${field} = now() - $2::interval where work_unit_communication_id = $1`,
    values: [communication['workUnitCommunicationId'], back],
  });
async function mailsOf({ publicWorkUnitCommunicationId: id }: Record<string, unknown>) {
  const rows = await world.system.db.query<{ to: string; subject: string; link: string }>({
    text: `select payload->>'to' as to, payload->>'subject' as subject, payload->>'link' as link from job
      where name = 'send-mail' and payload->>'subject' like $1 order by job_id`,
    values: [`WUCOMM #${String(id)}:%`],
  });
  return rows;
}

it('reminds the service manager once for each due time, also with two workers', async () => {
  const communication = await open({ serviceManager: 'mara.o' });
  await remindOfUpdates(world.system.db);
  expect(await mailsOf(communication)).toEqual([]);
  await pass(communication, 'next_update');
  await Promise.all([remindOfUpdates(world.system.db), remindOfUpdates(world.system.db)]);
  await remindOfUpdates(world.system.db);
  const id = String(communication['publicWorkUnitCommunicationId']);
  const link = `/${tenantId}/workunitcommunications?publicWuCommId=${id}`;
  const customer = { to: 'mara@example.com', subject: `WUCOMM #${id}: the customer update is due`, link };
  expect(await mailsOf(communication)).toEqual([customer]);
  await pass(communication, 'next_update', '10 seconds');
  await pass(communication, 'next_internal_update');
  await remindOfUpdates(world.system.db);
  expect((await mailsOf(communication)).slice(1).toSorted((a, b) => a.subject.localeCompare(b.subject))).toEqual([
    customer,
    { ...customer, subject: `WUCOMM #${id}: the internal update is due` },
  ]);
});

it('goes to somebody who is named as a person is called only where they may view it', async () => {
  const { tenantId: other } = await world.tenant('Other Power');
  await world.system.db.query({
    text: `with s as (insert into permission_set (name, permissions) values ('Reader', '["CloudFit.CFS.WorkUnitCommunications:view"]') returning permission_set_id),
      p as (insert into person (name, user_name, email, email_verified)
        values ('Jo Berg', 'jo.1', 'a-jo@example.com', true), ('Jo Berg', 'jo.2', 'z-jo@example.com', true) returning person_id, user_name)
      insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, case user_name when 'jo.1' then $1::uuid else $2::uuid end from p, s`,
    values: [tenantId, other],
  });
  const named = await Promise.all([' jo berg', 'Sam Berg'].map((serviceManager) => open({ serviceManager })));
  for (const communication of named) await pass(communication, 'next_update');
  await remindOfUpdates(world.system.db);
  const recipients = await Promise.all(named.map(async (communication) => (await mailsOf(communication)).map(({ to }) => to)));
  expect(recipients).toEqual([['a-jo@example.com'], ['desk@example.com']]);
});

const setEnabled = (userName: string, enabled: boolean) =>
  world.system.db.query({ text: 'update person set enabled = $2 where user_name = $1', values: [userName, enabled] });
const endGrants = (userName: string) =>
  world.system.db.query({
    text: 'delete from access_grant where person_id in (select person_id from person where user_name = $1)',
    values: [userName],
  });

it.each([
  ['has been disabled', 'kim', (userName: string) => setEnabled(userName, false)],
  ['has lost the tenant', 'lou', endGrants],
])('goes to the tenant when the service manager %s', async (_has, userName, leave) => {
  await reader(`${userName} Lind`, userName, `${userName}@example.com`);
  const names = [userName, `${userName}@example.com`, `${userName} Lind`];
  const named = await Promise.all(names.map((serviceManager) => open({ serviceManager })));
  await leave(userName);
  for (const communication of named) await pass(communication, 'next_update');
  await remindOfUpdates(world.system.db);
  const recipients = await Promise.all(named.map(async (communication) => (await mailsOf(communication)).map(({ to }) => to)));
  expect(recipients).toEqual([['desk@example.com'], ['desk@example.com'], ['desk@example.com']]);
});

it('is in the language of the service manager, with the time in their zone, and otherwise in English', async () => {
  await reader('Greta Berg', 'greta.b', 'greta@example.com', { language: 'de', timeZone: 'Europe/Berlin' });
  const [forGreta, forDesk] = [await open({ serviceManager: 'greta.b' }), await open()];
  for (const communication of [forGreta, forDesk]) await pass(communication, 'next_update');
  await remindOfUpdates(world.system.db);
  const textOf = async ({ publicWorkUnitCommunicationId: id }: Record<string, unknown>) => {
    const rows = await world.system.db.query<{ text: string }>({
      text: "select payload->>'subject' || ' / ' || (payload->>'text') as text from job where name = 'send-mail' and payload->>'subject' like $1",
      values: [`WUCOMM #${String(id)}:%`],
    });
    return rows[0]?.text;
  };
  expect(await textOf(forGreta)).toMatch(
    /: die Mitteilung an den Kunden ist fällig \/ .*war für \d\d\.\d\d\.\d{4}, \d\d:\d\d MES?Z zugesagt\. Ihr Status ist Wird untersucht\./,
  );
  expect(await textOf(forDesk)).toMatch(
    /: the customer update is due \/ .*was promised for \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Its status is Investigating\./,
  );
});

it('waits while the tenant is disabled', async () => {
  const communication = await open({ serviceManager: 'sam@example.org' });
  await pass(communication, 'next_update');
  const enable = (enabled: boolean) =>
    world.system.db.query({ text: 'update tenant set enabled = $2 where tenant_id = $1', values: [tenantId, enabled] });
  await enable(false);
  await remindOfUpdates(world.system.db);
  expect(await mailsOf(communication)).toEqual([]);
  await enable(true);
  await remindOfUpdates(world.system.db);
  expect(await mailsOf(communication)).toHaveLength(1);
});

it('goes to an address that is named, or to the tenant’s own, and never for what is closed or long past', async () => {
  const [named, nobody, closed, old] = [
    await open({ serviceManager: 'sam@example.org' }),
    await open({ serviceManager: 'Sam' }),
    await open(),
    await open(),
  ];
  for (const one of [named, nobody, closed]) await pass(one, 'next_update');
  await pass(old, 'next_update', '8 days');
  await world.call(me, 'POST', `/v1/workunitcommunications/${String(closed['workUnitCommunicationId'])}`, { status: 'Cancelled' });
  await remindOfUpdates(world.system.db);
  const recipients = await Promise.all([named, nobody, closed, old].map(async (item) => (await mailsOf(item)).map(({ to }) => to)));
  expect(recipients).toEqual([['sam@example.org'], ['desk@example.com'], [], []]);
});

it('goes to those who may edit the settings of a tenant that has no address', async () => {
  const [row] = await world.system.db.query<{ address: string | null }>({
    text: 'select internal_notification_email_address as address from tenant where tenant_id = $1',
    values: [tenantId],
  });
  const address = (value: string | null) =>
    world.system.db.query({
      text: 'update tenant set internal_notification_email_address = $2 where tenant_id = $1',
      values: [tenantId, value],
    });
  await world.system.db.query({
    text: `with s as (insert into permission_set (name, permissions) values ('Owner', '["CloudFit.CFS.Settings:edit"]') returning permission_set_id),
      p as (insert into person (name, user_name, email) values ('Olga', 'olga@example.com', 'olga@example.com') returning person_id)
      insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $1 from p, s`,
    values: [tenantId],
  });
  await address('');
  const communication = await open();
  await pass(communication, 'next_update');
  await remindOfUpdates(world.system.db);
  expect((await mailsOf(communication)).map(({ to }) => to)).toEqual(['olga@example.com']);
  await address(row?.address ?? null);
});

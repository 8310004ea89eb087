/** Notices for administrators, and the settings of the process: who gets them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  await world.system.db.query({
    text: `insert into outbox_message (tenant_id, message_id, recipients, subject, body, is_important, correlation_id)
select $1, uuidv7(), 'a@example.com', 's', 'b', false, uuidv7() from generate_series(1, 3)`,
    values: [tenantId],
  });
});
afterAll(() => world.close());

const notices = (caller: ReturnType<typeof holder> | null, id = tenantId) => world.call(caller, 'GET', `/v1/notices?tenantId=${id}`);

it('tells administrators of a tenant how many of its mails are kept, and nobody else', async () => {
  expect((await notices(holder([tenantId]))).body).toEqual({ value: [{ kind: 'keptMails', count: 3 }] });
  expect((await notices(holder([tenantId, otherId]), otherId)).body).toEqual({ value: [] });
  expect((await notices(holder([otherId]))).body).toEqual({ value: [] });
  expect((await notices(holder([tenantId], ['CloudFit.CFS.Settings:view']))).body).toEqual({ value: [] });
  expect((await notices(null)).status).toBe(401);
  expect((await notices(holder('all'), 'nonsense')).body).toMatchObject({ error: { details: [{ target: 'tenantId' }] } });
});

it('tells that mails fail to the administrators of the tenant, and that no mail server is set to those of the installation', async () => {
  await world.system.db.query({
    text: `insert into destination (tenant_id, origin, last_error, created) values ($1, 'the mail server', 'refused', '2026-11-01T08:00:00Z')`,
    values: [otherId],
  });
  const fails = { kind: 'mailFails', since: '2026-11-01T08:00:00Z', isDisabled: false };
  expect((await notices(holder([otherId]), otherId)).body).toEqual({ value: [fails] });
  const without = await createWorld({ mailServerIsSet: false });
  try {
    const { tenantId: id } = await without.tenant();
    const noticesOf = async (caller: ReturnType<typeof holder>) => (await without.call(caller, 'GET', `/v1/notices?tenantId=${id}`)).body;
    expect(await noticesOf(holder('all'))).toEqual({ value: [{ kind: 'noMailServer' }] });
    expect(await noticesOf(holder([id]))).toEqual({ value: [] });
  } finally {
    await without.close();
  }
  const untried = async () => (await notices(holder('all'), otherId)).body.value?.some((candidate) => candidate['kind'] === 'mailUntried');
  expect(await untried()).toBe(true);
  await world.system.db.query({
    text: `insert into audit (actor_kind, actor_name, verb, entity, entity_id, correlation_id) values ('person', 'Ada', 'test', 'installation', 'mail', uuidv7())`,
  });
  expect(await untried()).toBe(false);
});

it('shows the settings of the process to those who may edit the settings of all tenants', async () => {
  const settings = (caller: ReturnType<typeof holder>) => world.call(caller, 'GET', '/v1/installation/settings');
  const { body } = await settings(holder('all'));
  expect(body.value).toContainEqual(expect.objectContaining({ name: 'PACKET_RETENTION_DAYS', source: 'default', value: '30' }));
  expect((await settings(holder([tenantId]))).status).toBe(403);
  expect((await settings(holder('all', ['CloudFit.CFS.Settings:view']))).status).toBe(403);
});

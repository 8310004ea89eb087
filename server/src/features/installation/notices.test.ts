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

it('shows the settings of the process to those who may edit the settings of all tenants', async () => {
  const settings = (caller: ReturnType<typeof holder>) => world.call(caller, 'GET', '/v1/installation/settings');
  const { body } = await settings(holder('all'));
  expect(body.value).toContainEqual(expect.objectContaining({ name: 'PACKET_RETENTION_DAYS', source: 'default', value: '30' }));
  expect((await settings(holder([tenantId]))).status).toBe(403);
  expect((await settings(holder('all', ['CloudFit.CFS.Settings:view']))).status).toBe(403);
});

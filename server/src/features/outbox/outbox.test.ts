/** Mail that waits and dead letters: read and retried by administrators. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let automation: Automation;
let home: { tenantId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  automation = await startAutomation(world);
  home = await world.tenant();
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await automation.stop();
  await world.close();
});

/** Inserts a mail whose job is a dead letter. */
async function dead(): Promise<{ jobId: number; messageId: string }> {
  const [row] = await world.system.db.query<{ job_id: number; message_id: string }>({
    text: `with h as (
        insert into action_history (tenant_id, action_definition_id, result_status_id, input_parameters, result_detail, correlation_id, message_id)
        values ($1, $2, 2, '{"To":"desk@example.com","Subject":"Late"}', '{"error":"no connection"}', uuidv7(), uuidv7()) returning message_id
      )
      insert into job (name, tenant_id, payload, correlation_id, attempts, dead_at, last_error)
      select 'run-action', $1, jsonb_build_object('messageId', message_id), uuidv7(), 6, now(), 'no connection' from h
      returning job_id, (payload->>'messageId')::uuid as message_id`,
    values: [home.tenantId, builtInAction.email],
  });
  return { jobId: row?.job_id ?? 0, messageId: row?.message_id ?? '' };
}

const replay = (id: unknown, caller = me) => world.call(caller, 'POST', `/v1/jobs/${String(id)}/replay`);

it('lists dead letters without their payload, and tries one again under its own message id', async () => {
  const { jobId, messageId } = await dead();
  const listed = await world.call(me, 'GET', '/v1/jobs?$filter=deadAt ne null');
  expect(listed.body.value).toMatchObject([{ jobId, name: 'run-action', attempts: 6, lastError: 'no connection' }]);
  expect(JSON.stringify(listed.body)).not.toContain(messageId);
  const answer = await replay(jobId);
  expect(answer.body).toMatchObject({ jobId, deadAt: null });
  expect(await automation.outcome(messageId)).toMatchObject({ result_status_id: 1, result_detail: { replayed: true } });
  expect(automation.mails).toMatchObject([{ messageId, subject: 'Late', to: 'desk@example.com', important: false }]);
  const [audit] = await world.system.db.query({
    text: "select * from audit where verb = 'replay' and entity_id = $1",
    values: [String(jobId)],
  });
  expect(audit).toMatchObject({ entity: 'jobs', before: { lastError: 'no connection' } });
});

it('tries again what is dead only, for those who may edit settings of its tenant', async () => {
  const { jobId } = await dead();
  expect((await replay(jobId, holder([home.tenantId], ['CloudFit.CFS.Settings:view']))).status).toBe(403);
  expect((await replay(jobId, holder([(await world.tenant()).tenantId]))).status).toBe(404);
  expect((await replay('x')).status).toBe(400);
  const [waiting] = await world.system.db.query<{ job_id: number }>({
    text: "insert into job (name, tenant_id, payload, correlation_id, run_at) values ('run-action', $1, '{}', uuidv7(), now() + interval '1 hour') returning job_id",
    values: [home.tenantId],
  });
  const refused = await replay(waiting?.job_id);
  expect([refused.status, refused.body['error']]).toEqual([
    409,
    expect.objectContaining({ message: 'Only a job of the dead letters can be tried again.' }),
  ]);
  const jobs = await world.system.db.query<{ job_id: number }>({
    text: "insert into job (name, payload, correlation_id, dead_at) values ('nothing', '{}', uuidv7(), now()) returning job_id",
  });
  expect((await replay(jobs[0]?.job_id)).status).toBe(404);
});

it('shows a mail of the installation to people with all tenants alone, in rows and in the database', async () => {
  const [row] = await world.system.db.query<{ id: string }>({
    text: `insert into outbox_message (tenant_id, message_id, recipients, subject, body, correlation_id)
      values (null, uuidv7(), 'ada@example.com', 'A new sign-in', 'Text', uuidv7()) returning outbox_message_id as id`,
  });
  const of = async (caller: TestCaller) => {
    const listed = await world.call(caller, 'GET', `/v1/outboxMessages?$filter=outboxMessageId eq ${row?.id ?? ''}`);
    return (listed.body.value as { tenantId: string | null }[]).map(({ tenantId }) => tenantId);
  };
  expect([await of(me), await of(holder('all'))]).toEqual([[], [null]]);
  const scoped = await world.ctx(me).db.query({
    text: 'select outbox_message_id from outbox_message where outbox_message_id = $1',
    values: [row?.id],
  });
  expect(scoped).toEqual([]);
});

it('shows mail and jobs to those who may edit settings only', async () => {
  const viewer = holder([home.tenantId], ['CloudFit.CFS.Settings:view']);
  for (const name of ['outboxMessages', 'jobs']) {
    expect((await world.call(viewer, 'GET', `/v1/${name}`)).status).toBe(403);
    expect((await world.call(me, 'GET', `/v1/${name}`)).status).toBe(200);
  }
  await world.system.db.query({
    text: "insert into job (name, payload, correlation_id, run_at) values ('nothing', '{}', uuidv7(), now() + interval '1 hour')",
  });
  expect((await world.call(me, 'GET', '/v1/jobs?$filter=tenantId eq null')).body.value).toEqual([]);
  expect((await world.call(holder('all'), 'GET', "/v1/jobs?$filter=name eq 'nothing' and deadAt eq null")).body.value).toHaveLength(1);
});

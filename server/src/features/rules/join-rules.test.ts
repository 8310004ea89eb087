/** What becomes of open matches and work units when copies of a rule are joined, and when that is taken back. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
const everybody = holder('all');

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const cpu = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

/** A tenant with its copy of the rule, which matches and has an open unit. */
async function tenantWithFault(enabled: boolean) {
  const home = await world.tenant();
  const copy = { name: 'Copy', ruleTypeId: 1, ...home, subscriptionId: null, enabled, conditions: [cpu] };
  const ruleId = String((await world.call(everybody, 'PUT', '/v1/rules', copy)).body['ruleId']);
  const unit = { title: 'Hot', workUnitTypeId: 1, severityId: 'Sev2', tenantId: home.tenantId };
  const reply = await world.call(everybody, 'PUT', '/v1/workUnits', unit);
  expect([reply.status, reply.body['error']]).toEqual([201, undefined]);
  const workUnitId = Number(reply.body['workUnitId']);
  const subjectId = crypto.randomUUID();
  await rows('update work_unit set rule_id = $2 where work_unit_id = $1', workUnitId, ruleId);
  await rows(
    "insert into rule_unit (tenant_id, rule_id, subject_id, phase, work_unit_id) values ($1, $2, $3, 'match', $4)",
    home.tenantId,
    ruleId,
    subjectId,
    workUnitId,
  );
  for (const closed of [null, '2026-01-01Z'])
    await rows(
      `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, closed, work_unit_id, correlation_id)
        values ($1, $2, $3, 'Hot', now() + interval '1 hour', now(), now(), $4, $5, gen_random_uuid())`,
      home.tenantId,
      ruleId,
      subjectId,
      closed,
      workUnitId,
    );
  return { ...home, ruleId, workUnitId, subjectId };
}

type Fault = Awaited<ReturnType<typeof tenantWithFault>>;

/** The rule of the open match, of the ended one, of the unit, and the one under which further matches look for the unit. */
const rulesOf = async ({ subjectId, workUnitId }: Fault) =>
  (
    await rows<{ rules: string[] }>(
      `select array[(select rule_id from rule_match where subject_id = $1 and closed is null), (select rule_id from rule_match where subject_id = $1 and closed is not null),
        (select rule_id from work_unit where work_unit_id = $2), (select rule_id from rule_unit where subject_id = $1)]::text[] as rules`,
      subjectId,
      workUnitId,
    )
  )[0]?.rules;

it('go on under the joined rule where the copy was in force, and under the copy again when it is taken back', async () => {
  const [first, second, off] = [await tenantWithFault(true), await tenantWithFault(true), await tenantWithFault(false)];
  const input = { ruleIds: [first, second, off].map(({ ruleId }) => ruleId), name: 'One' };
  const answer = await world.call(everybody, 'POST', '/v1/rules/join', input);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  const one = String(answer.body['ruleId']);
  for (const fault of [first, second]) expect(await rulesOf(fault)).toEqual([one, fault.ruleId, one, one]);
  expect(await rulesOf(off)).toEqual([off.ruleId, off.ruleId, off.ruleId, off.ruleId]);
  const undone = await world.call(everybody, 'POST', '/v1/configuration/restore', { changeSet: answer.body['changeSet'] });
  expect([undone.status, undone.body['left']]).toEqual([200, []]);
  for (const fault of [first, second, off]) {
    const { ruleId } = fault;
    expect(await rulesOf(fault)).toEqual([ruleId, ruleId, ruleId, ruleId]);
    expect((await world.call(everybody, 'GET', `/v1/rules/${ruleId}`)).body['enabled']).toBe(fault !== off);
  }
  expect((await world.call(everybody, 'GET', `/v1/rules/${one}`)).status).toBe(404);
});

it('is not done with the copy of a customer that is being offboarded, and writes nothing of one without a copy', async () => {
  const [first, second, leaving, empty] = [
    await tenantWithFault(true),
    await tenantWithFault(true),
    await tenantWithFault(true),
    await world.tenant(),
  ];
  for (const { tenantId } of [leaving, empty])
    await rows(
      "insert into offboarding (customer_id, customer_name, delete_on, reason, requested_by) values ($1, 'Leaving', now() + interval '1 day', 'ends', 'me')",
      tenantId,
    );
  const join = (...faults: Fault[]) =>
    world.call(everybody, 'POST', '/v1/rules/join', { ruleIds: faults.map(({ ruleId }) => ruleId), name: 'Without' });
  expect((await join(first, second, leaving)).text).toContain('Leaving is being offboarded.');
  const answer = await join(first, second);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  const excepted = await rows<{ id: string | null }>(
    'select tenant_id as id from rule_exception where rule_id = $1',
    answer.body['ruleId'],
  );
  for (const { tenantId } of [leaving, empty]) expect(excepted.map(({ id }) => id)).not.toContain(tenantId);
  expect((await world.call(everybody, 'POST', `/v1/rules/toggledisabled/${leaving.ruleId}`)).status).toBe(409);
});

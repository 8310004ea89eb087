/** A unit is assigned to nobody who cannot work on it, whichever way it is assigned. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { executionId } from '../../executions/execution-id.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import { queueActions } from '../../automation/queue-actions.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let automation: Automation;
let home: { tenantId: string; subscriptionId: string };
let away: string;
let me: TestCaller;
const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

/** Who cannot work on units of the tenant, with the reason. */
const refused = [
  ['gone@example.com', 'Gone is disabled.'],
  ['GONE@example.com ', 'Gone is disabled.'],
  ['reader@example.com', 'Reader may not edit work units of this tenant.'],
  ['elsewhere@example.com', 'Elsewhere may not edit work units of this tenant.'],
  ['nothing@example.com', 'Nothing may not edit work units of this tenant.'],
] as const;
const accepted = ['worker@example.com', 'everywhere@example.com', 'by-group@example.com', 'Team Alpha', null];

async function person(
  name: string,
  permissions: readonly string[] = [],
  tenantId: string | null = null,
  more = { enabled: true, group: false },
) {
  await rows(
    `with p as (
      insert into person (name, user_name, email, enabled, claims) values (initcap($1), $1 || '@example.com', $1 || '@example.com', $2, array[$1 || '-group']) returning person_id
    ), s as (
      insert into permission_set (name, permissions) values ('Set of ' || $1, $3) returning permission_set_id
    )
    insert into access_grant (person_id, claim, permission_set_id, tenant_id)
    select case when $5 then null else p.person_id end, case when $5 then $1 || '-group' end, permission_set_id, $4 from p, s where jsonb_array_length($3::jsonb) > 0`,
    name,
    more.enabled,
    JSON.stringify(permissions),
    tenantId,
    more.group,
  );
}

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  away = (await world.tenant()).tenantId;
  me = holder([home.tenantId, away]);
  automation = await startAutomation(world);
  const [view, edit] = ['CloudFit.CFS.WorkUnits:view', 'CloudFit.CFS.WorkUnits:edit'];
  await person('worker', [view, edit], home.tenantId);
  await person('everywhere', [view, edit]);
  await person('by-group', [view, edit], home.tenantId, { enabled: true, group: true });
  await person('gone', [view, edit], home.tenantId, { enabled: false, group: false });
  await person('reader', [view], home.tenantId);
  await person('elsewhere', [view, edit], away);
  await person('nothing');
});
afterAll(async () => {
  await automation.stop();
  await world.close();
});

const create = (fields: object) =>
  world.call(me, 'PUT', '/v1/workunits', { title: 'Pump', severityId: 'Sev2', workUnitTypeId: 1, tenantId: home.tenantId, ...fields });
const edit = (id: unknown, fields: object) => world.call(me, 'POST', `/v1/workunits/${String(id)}`, fields);

it('refuses it in a create, an edit, a mass edit and a move, with the reason', async () => {
  const unit = (await create({})).body;
  for (const assignedTo of accepted) {
    expect([assignedTo, (await create({ assignedTo })).status]).toEqual([assignedTo, 201]);
    expect([assignedTo, (await edit(unit['workUnitId'], { assignedTo })).status]).toEqual([assignedTo, 200]);
  }
  for (const [assignedTo, reason] of refused) {
    const details = [
      { target: expect.stringMatching(/^(?:1\/)?assignedTo$/), message: `${reason} Assign it to somebody else, or to nobody.` },
    ];
    const many = [{ workUnitId: unit['workUnitId'], newState: { assignedTo } }];
    for (const answer of [
      await create({ assignedTo }),
      await edit(unit['workUnitId'], { assignedTo }),
      await world.call(me, 'PATCH', '/v1/workunits', many),
    ])
      expect([assignedTo, answer.status, answer.body['error']]).toMatchObject([assignedTo, 400, { details }]);
  }
  const theirs = (await create({ assignedTo: 'worker@example.com' })).body['workUnitId'];
  expect((await edit(theirs, { tenantId: away })).text).toContain('Worker may not edit work units of this tenant.');
  expect((await edit(theirs, { tenantId: away, assignedTo: null })).status).toBe(200);
  // What is assigned already stays so: other fields of the unit can be edited.
  await rows("update work_unit set assigned_to = 'gone@example.com' where work_unit_id = $1", unit['workUnitId']);
  expect((await edit(unit['workUnitId'], { title: 'Pump 2' })).status).toBe(200);
});

it('stores the sign-in name of the account, in whatever capitals or by whichever address it was sent', async () => {
  await rows("update person set user_name = 'Worker@Example.com', email = 'w.orker@example.com' where user_name = 'worker@example.com'");
  const sent = ['WORKER@example.COM', ' worker@example.com ', 'W.Orker@Example.com', 'Worker@Example.com'];
  const unit = (await create({})).body;
  for (const assignedTo of sent) {
    expect([assignedTo, (await create({ assignedTo })).body['assignedTo']]).toEqual([assignedTo, 'Worker@Example.com']);
    await edit(unit['workUnitId'], { assignedTo: null });
    expect([assignedTo, (await edit(unit['workUnitId'], { assignedTo })).body['assignedTo']]).toEqual([assignedTo, 'Worker@Example.com']);
  }
  expect((await create({ assignedTo: 'team ALPHA' })).body['assignedTo']).toBe('team ALPHA');
});

it('opens and changes the unit of a rule without the assignee, and says why in its feed', async () => {
  const matchActions = [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { AssignedTo: 'gone@example.com' } }];
  const expirationActions = [
    { ActionDefinitionId: builtInAction.changeWorkUnit, Parameters: { AssignedTo: 'reader@example.com', SeverityId: 'Sev4' } },
  ];
  const [match] = await rows<{ id: string }>(
    `with d as (
  insert into device (tenant_id, subscription_id, name) values ($1, $2, 'db-07') returning device_id
), r as (
  insert into rule (tenant_id, name, rule_type_id, conditions, match_lifetime, match_actions, expiration_actions) values ($1, 'Disk', 1, '[]', 300, $3, $4) returning rule_id
)
insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
select $1, rule_id, device_id, 'Disk: db-07', now() + interval '1 hour', now(), now(), gen_random_uuid() from d, r returning rule_match_id as id`,
    home.tenantId,
    home.subscriptionId,
    JSON.stringify(matchActions),
    JSON.stringify(expirationActions),
  );
  const ruleMatchId = match?.id ?? '';
  await queueActions(world.system.db, [
    { ruleMatchId, tenantId: home.tenantId, correlationId: crypto.randomUUID(), phase: 'match', calls: matchActions },
  ]);
  const opened = 'Not assigned to gone@example.com: Gone is disabled.';
  const changed = 'Not assigned to reader@example.com: Reader may not edit work units of this tenant.';
  expect((await automation.outcome(executionId(ruleMatchId, 'match', 0))).result_detail).toMatchObject({ notAssigned: opened });
  await rows("update rule_match set expires = now() - interval '1 second' where rule_match_id = $1", ruleMatchId);
  await expireMatches(world.system.db);
  const end = await automation.outcome(executionId(ruleMatchId, 'expiration', 0));
  expect(end).toMatchObject({ result_status_id: 1, result_detail: { notAssigned: changed, severityId: 'Sev4' } });
  const feed = await rows<{ detail: string; who: string | null }>(
    `select n.detail, w.assigned_to as who from work_unit w join work_unit_note n using (work_unit_id) where w.opened_by_rule_match_id = $1 and n.detail like 'Not assigned%'`,
    ruleMatchId,
  );
  expect(feed.map(({ detail }) => detail).toSorted()).toEqual([opened, changed]);
  expect(feed.every(({ who }) => who === null)).toBe(true);
});

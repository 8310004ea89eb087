/** Which rows an explanation reads: beside each row that is read there is another that differs in one respect. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import type { Ctx } from '../../context/ctx.ts';
import { createFlow, silent, type Flow } from '../testing/flow.ts';
import { web } from '../testing/hits.ts';
import { consequencesOf } from './consequences.ts';
import { groupReasons } from './group-reasons.ts';
import { rolledOutTo, ruleVersions } from '../past/rule-versions.ts';

let flow: Flow;
let ctx: Ctx;
beforeAll(async () => {
  flow = await createFlow();
  ctx = systemCtx({ database: flow.database, log: silent, name: 'test' });
});
beforeEach(() => flow.moveToNewTenants());
afterAll(() => flow.close());

const noon = '2026-01-01T12:00:00.000Z';

/** Adds a row with these columns, and returns one of its columns. */
async function add<T = string>(table: string, row: Record<string, unknown>, key = `${table}_id`): Promise<T> {
  const columns = Object.keys(row);
  const values = columns.map((_, i) => `$${i + 1}`);
  const [added] = await flow.db.query<{ key: T }>({
    text: `insert into ${table} (${columns.join(', ')}) values (${values.join(', ')}) returning ${key} as key`,
    values: Object.values(row),
  });
  if (!added) throw new Error('Nothing was added.');
  return added.key;
}
const addMatch = (label: string, more: object = {}, tenant_id = flow.tenantId) =>
  add('rule_match', {
    tenant_id,
    rule_id: randomUUID(),
    subject_id: randomUUID(),
    label,
    expires: noon,
    first_match: noon,
    last_match: noon,
    correlation_id: randomUUID(),
    ...more,
  });
const addUnit = (title: string, more: object = {}, tenant_id = flow.tenantId) =>
  add<number>('work_unit', { tenant_id, title, work_unit_type_id: 1, created_by: 'test', modified_by: 'test', ...more });
const addGroup = (lead_match_id: string, more: object = {}) =>
  add('match_group', {
    tenant_id: flow.tenantId,
    scope_id: randomUUID(),
    group_key: randomUUID(),
    kind: 'Key',
    label: 'Site north',
    rule_id: randomUUID(),
    lead_match_id,
    unit_scope: randomUUID(),
    unit_key: randomUUID(),
    window_seconds: 60,
    summary_seconds: 60,
    joined: 3,
    opened: noon,
    ...more,
  });
const addMember = (rule_match_id: string, match_group_id: string | null, more: object = {}) =>
  add('match_group_member', { rule_match_id, tenant_id: flow.tenantId, cause: 'Key', match_group_id, ...more }, 'rule_match_id');

it('names the group of a match with its unit, its first match and how many are open', async () => {
  const rule = await flow.rule({});
  await flow.rows('update rule set storm_limit = 7 where rule_id = $1', rule);
  const [lead, second, ended, waiting, other] = [
    await addMatch('High CPU: web'),
    await addMatch('High CPU: db'),
    await addMatch('High CPU: app'),
    await addMatch('High CPU: mail'),
    await addMatch('High CPU: file'),
  ];
  const unit = await addUnit('A unit');
  const number = (await flow.rows<{ n: number }>('select public_work_unit_id as n from work_unit where work_unit_id = $1', unit))[0]?.n;
  const group = await addGroup(lead, { rule_id: rule, kind: 'Storm', work_unit_id: unit });
  for (const id of [lead, second]) await addMember(id, group);
  await addMember(ended, group, { ended: noon });
  await addMember(waiting, null);
  // Another group, without a unit, whose rule is gone.
  const alone = await addGroup(other, { label: 'Site south', joined: 2 });
  await addMember(other, alone);
  // A group whose unit belongs to another tenant.
  const foreignMatch = await addMatch('High CPU: far');
  const foreignUnit = await addUnit('Another', {}, flow.otherTenantId);
  await addMember(foreignMatch, await addGroup(foreignMatch, { label: 'Site east', work_unit_id: foreignUnit }));

  const storm =
    'More than 7 matches of this rule, or too many of its tenant, had opened within a minute, so that further ones became one group (storm brake).';
  const reasons = await groupReasons(ctx, [lead, second, waiting, other, foreignMatch], flow.tenantId);
  expect(Object.fromEntries(reasons)).toEqual({
    [lead]: [storm, `It opened the group "Site north" (3 matches, 2 open) in work unit ${number}: its actions ran for all its matches.`],
    [second]: [
      storm,
      `It joined the group "Site north" (3 matches, 2 open) in work unit ${number}, which "High CPU: web" had opened at ${noon}: the actions ran for that match, not again for this one.`,
    ],
    [waiting]: ['Its actions wait for its group.'],
    [other]: ['It opened the group "Site south" (2 matches, 1 open): its actions ran for all its matches.'],
    [foreignMatch]: ['It opened the group "Site east" (3 matches, 1 open): its actions ran for all its matches.'],
  });
  expect([...(await groupReasons(ctx, [lead], flow.otherTenantId))]).toEqual([]);
  await flow.rows('delete from rule_match where rule_match_id = $1', lead);
  expect((await groupReasons(ctx, [second], flow.tenantId)).get(second)?.[1]).toContain('which "" had opened');
});

it('names the work units that matches, their executions and their groups led to', async () => {
  const [match, other] = [await addMatch('one'), await addMatch('two')];
  const message = randomUUID();
  await add('action_history', {
    tenant_id: flow.tenantId,
    action_definition_id: randomUUID(),
    correlation_id: randomUUID(),
    message_id: message,
    reference_id: match,
    result_status_id: resultStatus.enqueueSuccess,
  });
  await addUnit('opened', { opened_by_rule_match_id: match });
  await addUnit('opened by an execution', { opened_by_rule_match_id: message });
  await addUnit('opened by another', { opened_by_rule_match_id: other });
  const far = await addMatch('three');
  const foreign = await addUnit('of another tenant', { opened_by_rule_match_id: far }, flow.otherTenantId);
  const joined = await addUnit('joined');
  await flow.rows('update rule_match set work_unit_id = $2 where rule_match_id = $1', match, joined);
  const lead = await addMatch('first of the group');
  const ofGroup = await addUnit('of its group');
  const group = await addGroup(lead, { work_unit_id: ofGroup });
  for (const id of [lead, match]) await addMember(id, group);

  const titles = async (...ids: string[]) =>
    [...(await consequencesOf(ctx, ids, flow.tenantId)).values()].map(({ workUnits }) => workUnits.map(({ title }) => title));
  expect(await titles(match)).toEqual([['opened', 'opened by an execution', 'joined', 'of its group']]);
  expect(await titles(other, lead)).toEqual([['opened by another'], []]);
  expect(await titles(far)).toEqual([[]]);
  expect([...(await consequencesOf(ctx, [match, far], flow.otherTenantId)).values()]).toMatchObject([
    { actions: [], workUnits: [] },
    { actions: [], workUnits: [{ title: 'of another tenant' }] },
  ]);
  await flow.rows('update rule_match set work_unit_id = $2 where rule_match_id = $1', lead, foreign);
  expect(await titles(lead)).toEqual([[]]);
  // The unit that the match opened is not listed a second time as the unit to which the match was added.
  await flow.rows(
    'update rule_match m set work_unit_id = w.work_unit_id from work_unit w where w.opened_by_rule_match_id = m.rule_match_id and m.rule_match_id = $1',
    other,
  );
  expect(await titles(other)).toEqual([['opened by another']]);
});

it('tells what executions wait for, and which have an action that still exists', async () => {
  const match = await addMatch('one');
  const definition = await add('action_definition', { tenant_id: flow.tenantId, name: 'Restart', action_definition_type_id: 1 });
  const later = '2100-01-01T00:00:00.000Z';
  const execution = async (result_status_id: number, more: object = {}) => {
    const message_id = randomUUID();
    const base = { tenant_id: flow.tenantId, action_definition_id: definition, correlation_id: randomUUID(), message_id };
    await add('action_history', { ...base, reference_id: match, result_status_id, ...more });
    return message_id;
  };
  const job = (once_key: string, more: object = {}) =>
    add('job', { name: 'run-action', payload: '{}', tenant_id: flow.tenantId, correlation_id: randomUUID(), once_key, ...more });
  const origin = `https://${randomUUID()}.example`;
  await add('destination', { tenant_id: flow.tenantId, origin, paused_until: later });
  await add('destination', { tenant_id: flow.otherTenantId, origin: `${origin}:1`, paused_until: later });
  const past = `${origin}:2`;
  await add('destination', { tenant_id: flow.tenantId, origin: past, paused_until: noon });
  const disabled = `${origin}:3`;
  await add('destination', { tenant_id: flow.tenantId, origin: disabled, paused_until: later, disabled: noon });

  const { enqueueSuccess, ...others } = resultStatus;
  const done = Object.values(others)[0] ?? 0;
  const queued = { run_at: noon, destination: origin };
  const waiting = await execution(enqueueSuccess);
  await job(waiting, queued);
  const ofOther = await execution(enqueueSuccess);
  await job(ofOther, { ...queued, destination: `${origin}:1` });
  const over = await execution(enqueueSuccess);
  await job(over, { ...queued, destination: past });
  const off = await execution(enqueueSuccess);
  await job(off, { ...queued, destination: disabled });
  const dead = await execution(enqueueSuccess);
  await job(dead, { ...queued, dead_at: noon });
  const set = await execution(enqueueSuccess, { next_try: later, kept_since: noon });
  await job(set, queued);
  const ran = await execution(done, { next_try: later, action_definition_id: randomUUID() });
  await job(ran, queued);
  await execution(enqueueSuccess, { reference_id: randomUUID() });
  await execution(enqueueSuccess, { tenant_id: flow.otherTenantId });

  const { actions = [] } = (await consequencesOf(ctx, [match], flow.tenantId)).get(match) ?? {};
  expect(actions.map((action) => [action.messageId, action.name, action.nextTry, action.pausedUntil, action.keptSince])).toEqual([
    [waiting, 'Restart', noon, later, null],
    [ofOther, 'Restart', noon, null, null],
    [over, 'Restart', noon, null, null],
    [off, 'Restart', noon, null, null],
    [dead, 'Restart', null, null, null],
    [set, 'Restart', later, later, noon],
    [ran, null, null, null, null],
  ]);
});

it('knows the versions of a rule by its changes', async () => {
  const ruleId = randomUUID();
  const change = (name: string, more: object = {}) =>
    add(
      'audit',
      {
        tenant_id: flow.tenantId,
        actor_kind: 'person',
        actor_name: 'A',
        verb: 'update',
        entity: 'rules',
        entity_id: ruleId,
        before: JSON.stringify({ created: noon }),
        after: JSON.stringify({ name }),
        at: noon,
        correlation_id: randomUUID(),
        ...more,
      },
      'audit_id',
    );
  await change('created', { verb: 'create', before: null });
  await change('updated');
  await change('of another rule', { entity_id: randomUUID() });
  await change('of another entity', { entity: 'devices' });
  await change('of another verb', { verb: 'disable' });
  await change('deleted', { verb: 'delete', after: null });
  const versions = await ruleVersions(ctx, ruleId, null, undefined, flow.tenantId);
  expect(versions.map(({ rule }) => rule?.name)).toEqual([undefined, 'created', 'updated', undefined]);
  expect(await rolledOutTo(ctx, { ...web, device: undefined }, null)).toEqual([]);
});

it('knows the versions of rules that campaigns brought to a device, until they came into force for all or were taken back', async () => {
  const [device, other, rule] = [await flow.device(), await flow.device(), await flow.rule({})];
  const hour = (n: number) => `2026-01-01T0${n}:00:00.000Z`;
  const campaign = async (title: string, rolledOut: object, onDevice: object, device_id = device, rule_id = rule) => {
    const tenant_id = flow.tenantId;
    const owner = { kind: 'RuleChange', owner_kind: 'person', created_by: 'A', correlation_id: randomUUID() };
    const campaign_id = await add('campaign', { tenant_id, title, total: 1, waiting: 0, state: 'Ended', ...owner });
    await add('rule_rollout', { campaign_id, tenant_id, rule_id, definition: '{}', ...rolledOut }, 'rule_id');
    await add('campaign_device', { campaign_id, tenant_id, device_id, is_own: true, begun: hour(1), ...onDevice });
  };
  await campaign('running', {}, { begun: hour(3) });
  await campaign('over', { ended: hour(5) }, { outcome: 'Succeeded', ended: hour(2) });
  await campaign('taken back', { ended: hour(5) }, { begun: hour(2), outcome: 'Returned', ended: hour(4) });
  await campaign('not begun', { ended: hour(5) }, { begun: null });
  await campaign('not by itself', { ended: hour(5) }, { is_own: false });
  await campaign('of another device', { ended: hour(5) }, {}, other);
  await campaign('of another rule', {}, { begun: hour(4) }, device, await flow.rule({}));
  const campaignsOf = async (ruleId: string | null) =>
    (await rolledOutTo(ctx, { ...web, device: { id: device } }, ruleId)).map((item) => [item.campaign, item.until]);
  const ofRule = [
    ['over', hour(5)],
    ['taken back', hour(4)],
    ['running', null],
  ];
  expect([await campaignsOf(rule), await campaignsOf(null)]).toEqual([ofRule, [...ofRule, ['of another rule', null]]]);
});

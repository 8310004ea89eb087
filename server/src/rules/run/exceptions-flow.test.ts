/** Exceptions by group, subscription, location, tag, name and device: what a packet opens, from the next packet after a change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { servedRuleExceptions } from '../../features/rules/rule-exceptions.served.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { create } from '../../resources/create.ts';
import { remove } from '../../resources/remove.ts';
import { update } from '../../resources/update.ts';
import { explainActions } from '../explain/explain.action.ts';
import { cpu, createFlow, createUnit, send, silent, until, type Flow } from '../testing/flow.ts';
import { keepUp } from '../testing/pulse.ts';
import { inForce } from './rollout.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  await keepUp(flow.db);
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

const system = () => systemCtx({ database: flow.database, log: silent, name: 'test' });
const key = '62 Cpu 3';
const except = async (ruleId: string, values: object) =>
  (await create(system(), servedRuleExceptions, { ruleId, tenantId: flow.tenantId, reason: 'Batch jobs at night', ...values }))
    .ruleExceptionId;
const withConstant = (constant: string) => ({ ownValues: { [key]: constant } });
const entityOf = async (id: string) => {
  const entity = (await ingest.entities.find([id])).get(id);
  if (!entity) throw new Error('The entity is missing.');
  return entity;
};
/** The constant with which packets of the device are compared; 'off' where the rule does not hold. */
async function constant(rule: string, device: string): Promise<string | null | undefined> {
  const entry = ingest.rules.ingestion().get(rule, flow.tenantId);
  const version = entry && inForce(entry, await entityOf(device));
  return version ? version.rule.conditions[0]?.RightOperand : 'off';
}
const becomes = (rule: string, device: string, value: string) => until(async () => (await constant(rule, device)) === value);
const matches = (rule: string, device: string) =>
  flow.rows<{ severity_id: string | null; seconds: number }>(
    'select severity_id, extract(epoch from expires - first_match)::int as seconds from rule_match where rule_id = $1 and subject_id = $2',
    rule,
    device,
  );
const explain = (id: string, entityId: string, at: string): Promise<Explanation> =>
  explainActions.find(({ action }) => action.name === 'explainRule')?.bind(({ input }) => input.parse({ id, entityId, at }))(
    system(),
  ) as Promise<Explanation>;

describe('an exception', () => {
  it('of a device goes before that of its name, location, tag and subscription, and each of them holds without the ones before', async () => {
    const device = await flow.device({ name: 'render-11' });
    const [{ subscription_id: subscriptionId } = { subscription_id: '' }] = await flow.rows<{ subscription_id: string }>(
      'select subscription_id from device where device_id = $1',
      device,
    );
    const [{ location_id: locationId } = { location_id: '' }] = await flow.rows<{ location_id: string }>(
      `insert into location (tenant_id, name) values ($1, 'Hall') returning location_id`,
      flow.tenantId,
    );
    await update(system(), servedDevices, device, { locationId, tags: 'build, prod' });
    const rule = await flow.rule({});
    await becomes(rule, device, '90');
    const added: [string, object][] = [
      ['91', { appliesTo: 'Subscription', subscriptionId }],
      ['93', { appliesTo: 'Tag', tag: 'Build', rank: 20 }],
      ['92', { appliesTo: 'Tag', tag: 'prod', rank: 10 }],
      ['94', { appliesTo: 'Location', locationId }],
      ['95', { appliesTo: 'Name', entityName: 'RENDER-11' }],
      ['96', { appliesTo: 'Device', deviceId: device }],
    ];
    const ids: string[] = [];
    for (const [value, place] of added) ids.push(await except(rule, { ...place, ...withConstant(value) }));
    await becomes(rule, device, '96');
    for (const [at, value] of [
      [5, '95'],
      [4, '94'],
      [3, '92'],
      [2, '93'],
      [1, '91'],
      [0, '90'],
    ] as const) {
      await remove(system(), servedRuleExceptions, ids[at] ?? '');
      await becomes(rule, device, value);
    }
    await send(ingest, flow.ctx, cpu(device, 91));
    expect(await matches(rule, device)).toHaveLength(1);
  });

  it('of a tag holds from the next packet after the tag was added, with lifetime and severity, and the explanation says so', async () => {
    const device = await flow.device({ name: 'build-1' });
    const rule = await flow.rule({ matchActions: [createUnit] });
    await except(rule, { appliesTo: 'Tag', tag: 'nightly', ...withConstant('50'), matchLifetime: '00:20:00', severityId: 'Sev0' });
    await becomes(rule, device, '90');
    const before = new Date().toISOString();
    await send(ingest, flow.ctx, cpu(device, 60));
    expect(await matches(rule, device)).toEqual([]);
    await update(system(), servedDevices, device, { tags: 'nightly' });
    await becomes(rule, device, '50');
    await send(ingest, flow.ctx, cpu(device, 60));
    expect(await matches(rule, device)).toEqual([{ severity_id: 'Sev0', seconds: 1_200 }]);
    const [call] = await flow.rows<{ severity: string }>(
      `select h.input_parameters::jsonb ->> 'SeverityId' as severity from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1`,
      rule,
    );
    expect(call?.severity).toBe('Sev0');
    const now = await explain(rule, device, new Date().toISOString());
    expect([now.outcome, now.rule?.conditions]).toEqual(['hit', 'Metric Cpu > 50']);
    expect(now.reasons.join(' ')).toContain('exception for the tag nightly (test: Batch jobs at night)');
    // By its tags of then, the device was one of the others.
    const then = await explain(rule, device, new Date(Date.parse(before) + 1).toISOString());
    expect(then.rule?.conditions).toBe('Metric Cpu > 90');
    expect(then.reasons.join(' ')).not.toContain('exception');
  });

  it('that takes the rule from a device ends at its time, and the explanation of before still has it', async () => {
    const device = await flow.device({ name: 'spare' });
    const rule = await flow.rule({});
    const id = await except(rule, { appliesTo: 'Device', deviceId: device, isOff: true });
    await becomes(rule, device, 'off');
    await send(ingest, flow.ctx, cpu(device, 99));
    const at = new Date().toISOString();
    expect(await matches(rule, device)).toEqual([]);
    expect((await explain(rule, device, at)).reasons.join(' ')).toContain('does not hold by the exception for this device');
    await remove(system(), servedRuleExceptions, id);
    await becomes(rule, device, '90');
    expect(await explain(rule, device, at)).toMatchObject({ outcome: 'disabled' });
    await send(ingest, flow.ctx, cpu(device, 99));
    expect(await matches(rule, device)).toHaveLength(1);
  });

  it('of a rule of all tenants for a tag holds for the devices of each tenant, with own values of a device before it', async () => {
    const [mine, theirs] = [await flow.device({ name: 'a' }), await flow.device({ name: 'b', tenantId: flow.otherTenantId })];
    for (const device of [mine, theirs]) await update(system(), servedDevices, device, { tags: 'gold' });
    const rule = await flow.rule({ tenantId: null });
    await except(rule, { tenantId: null, appliesTo: 'Tag', tag: 'gold', ...withConstant('70') });
    await except(rule, { appliesTo: 'Device', deviceId: mine, ...withConstant('80') });
    await becomes(rule, mine, '80');
    const other = {
      ...systemCtx({ database: flow.database, log: silent, name: 'test', tenants: [flow.otherTenantId] }),
      actor: flow.ctx.actor,
    };
    await send(ingest, flow.ctx, cpu(mine, 75));
    await send(ingest, other, cpu(theirs, 75));
    expect([await matches(rule, mine), await matches(rule, theirs)].map(({ length }) => length)).toEqual([0, 1]);
    await flow.rows('delete from rule_exception where rule_id = $1', rule);
    await flow.rows('delete from rule where rule_id = $1', rule);
  });
});

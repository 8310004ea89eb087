/** Explanations of rules that are not about single packets: their event, their values, and gaps of the record. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Explanation } from '@cloudfit/contract/actions/explain.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { workUnitEventJob } from '../../automation/work-unit-event.job.ts';
import type { Ctx } from '../../context/ctx.ts';
import { createWorkUnit } from '../../features/work-units/create.ts';
import { servedWorkUnits } from '../../features/work-units/work-units.served.ts';
import { update } from '../../resources/update.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { correlateJob } from '../run/correlate.job.ts';
import { countMany } from '../run/count-many.ts';
import { evaluateSilenceOfAll } from '../run/silence/sweep.ts';
import { ago, cpu, createFlow, createUnit, send, silent, until, type Flow } from '../testing/flow.ts';
import { workUnitRules } from '../run/work-unit-rules.ts';
import { explainActions } from './explain.action.ts';
import { about } from '../testing/hits.ts';

let flow: Flow;
let ingest: Ingest;
beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
beforeEach(() => flow.moveToNewTenants());
afterAll(() => flow.close());

const holding = (permissions: readonly string[], tenantId = flow.tenantId): Ctx => ({
  ...flow.ctx,
  tenants: [tenantId],
  actor: { kind: 'person', id: randomUUID(), name: 'P', userName: 'p@example.com' },
  permissions: new Map([[tenantId, new Set<string>(permissions)]]),
});
const run = (name: string, input: unknown, ctx = holding(allPermissions)) =>
  explainActions.find((explainAction) => explainAction.action.name === name)?.bind(({ input: schema }) => schema.parse(input))(
    ctx,
  ) as Promise<Explanation>;
const explain = (id: string, who: { entityId?: string; workUnitId?: number; at?: string }, ctx?: Ctx) =>
  run('explainRule', { id, ...who }, ctx);

describe('explanations of silence', () => {
  it('tell the silence that opened a match, the one that is too short, and name what conditions point to', async () => {
    const [quiet, loud] = [await flow.device({ name: 'quiet' }), await flow.device({ name: 'loud' })];
    const rule = await flow.rule({ ruleTypeId: 3, conditions: [about(70, 3, '60')] });
    const named = await flow.rule({ ruleTypeId: 3, conditions: [about(30, 1, quiet), about(70, 3, '600')] });
    await until(() => ingest.rules.silence().get(named));
    await send(ingest, flow.ctx, cpu(quiet, 5, ago(90)), cpu(loud, 5, ago(30)));
    await evaluateSilenceOfAll(flow.db, ingest);
    expect(await explain(rule, { entityId: quiet })).toMatchObject({
      outcome: 'hit',
      event: 'silence',
      match: { matchCount: 1 },
      conditions: [{ satisfied: true }],
    });
    const [match] = await flow.rows<{ rule_match_id: string }>('select rule_match_id from rule_match where rule_id = $1', rule);
    expect(await run('explainRuleMatch', { id: match?.rule_match_id })).toMatchObject({
      outcome: 'hit',
      event: 'silence',
      basis: 'recorded',
    });
    // The silence is still too short for the rule, so the explained event is the packet.
    expect(await explain(rule, { entityId: loud })).toMatchObject({ outcome: 'miss', event: 'packet', match: null });
    const explanation = await explain(named, { entityId: quiet });
    expect(explanation.rule?.conditions).toBe('Device = quiet and Seconds Since Last Packet > 600');
    expect(explanation.conditions[0]?.text).toBe('Device = quiet');
    // Only callers who may view the rows see names.
    const blind = await explain(named, { entityId: quiet }, holding(['CloudFit.CFS.Rules:view']));
    expect(blind.rule?.conditions).toContain(`Device = ${quiet}`);
    expect(await explain(rule, { entityId: await flow.device() })).toMatchObject({ outcome: 'noPacket', event: null });
  });
});

describe('explanations of matches that meet', () => {
  it('tell which of the others was there', async () => {
    const [both, one] = [await flow.device({ name: 'both' }), await flow.device({ name: 'one' })];
    const hot = await flow.rule({ name: 'hot' });
    const full = await flow.rule({ name: 'full', conditions: [about(62, 3, '95', { LeftOperandFieldName: 'Disk' })] });
    const rule = await flow.rule({ ruleTypeId: 2, conditions: [about(80, 1, hot), about(80, 1, full)], matchActions: [createUnit] });
    await until(() => ingest.rules.correlation().get(rule) && ingest.rules.ingestion().get(full));
    expect(await explain(rule, { entityId: both })).toMatchObject({ outcome: 'notEvaluated', basis: 'none', event: null });
    await send(ingest, flow.ctx, cpu(both, 99), cpu(one, 99));
    await flow.runJobs(correlateJob(ingest));
    await send(ingest, flow.ctx, { entityId: both, message: { Metrics: { Disk: 99 } } });
    await flow.runJobs(correlateJob(ingest));
    expect(await explain(rule, { entityId: both })).toMatchObject({
      outcome: 'hit',
      event: 'match',
      match: { matchCount: 1 },
      actions: [{ name: 'Create Work Unit' }],
    });
    const explanation = await explain(rule, { entityId: one });
    expect(explanation).toMatchObject({ outcome: 'miss', event: 'match', match: null });
    expect(explanation.reasons).toEqual(['Condition 2 (Active Match of Rule = full) saw nothing, which does not hold.']);
  });
});

describe('explanations of many entities', () => {
  it('add the packets up again, asked for by the subscription or by an entity of it', async () => {
    const devices = [await flow.device({ name: 'agg-1' }), await flow.device({ name: 'agg-2' })];
    const conditions = (right: string) => [about(31, 9, 'agg-'), about(71, 6, right, { WindowSeconds: 60 })];
    const rule = await flow.rule({ ruleTypeId: 6, conditions: conditions('4') });
    const more = await flow.rule({ ruleTypeId: 6, conditions: conditions('5') });
    await until(() => ingest.rules.aggregation().get(more));
    for (let i = 0; i < 2; i += 1) await send(ingest, flow.ctx, ...devices.map((id) => cpu(id, 50)));
    await countMany(flow.db, ingest);
    const later = new Date(Date.now() + 6_000).toISOString();
    expect(await explain(rule, { entityId: devices[0] ?? '', at: later })).toMatchObject({
      outcome: 'repeated',
      event: 'count',
      entityName: 'Default',
      match: { matchCount: 1 },
      conditions: [{ satisfied: true }, { value: 4, satisfied: true }],
    });
    expect(await explain(more, { entityId: devices[0] ?? '', at: later })).toMatchObject({
      outcome: 'miss',
      conditions: [{}, { value: 4, satisfied: false }],
    });
    await expect(explain(rule, { entityId: randomUUID() })).rejects.toMatchObject({ status: 404 });
  });
});

describe('explanations of work units', () => {
  it('tell the change that a rule saw, to who may view the unit', async () => {
    const ctx = () => systemCtx({ database: flow.database, log: silent, name: 'test' });
    const rule = await flow.rule({ ruleTypeId: 4, conditions: [about(103, 1, 'Sev1'), about(100, 5, 'printer')] });
    await until(() => ingest.rules.workUnit().get(rule));
    const unit = await ctx().db.transaction((db) =>
      createWorkUnit({ ...ctx(), db }, { tenantId: flow.tenantId, title: 'Printer on fire', severityId: 'Sev3', workUnitTypeId: 1 }),
    );
    const workUnitId = unit?.workUnitId ?? 0;
    await flow.runJobs(workUnitEventJob([workUnitRules(ingest)]));
    expect(await explain(rule, { workUnitId })).toMatchObject({
      outcome: 'miss',
      event: 'workUnit',
      entityName: 'Printer on fire',
      reasons: ['Condition 1 (Work Unit Severity = Sev1) saw Sev3, which does not hold.'],
    });
    await update(ctx(), servedWorkUnits, workUnitId, { severityId: 'Sev1' });
    await flow.runJobs(workUnitEventJob([workUnitRules(ingest)]));
    expect(await explain(rule, { workUnitId })).toMatchObject({ outcome: 'hit', event: 'workUnit', match: { matchCount: 1 } });
    await expect(explain(rule, {})).rejects.toMatchObject({ details: [{ target: 'workUnitId' }] });
    await expect(explain(rule, { workUnitId }, holding(['CloudFit.CFS.Rules:view']))).rejects.toMatchObject({ status: 403 });
    await expect(explain(rule, { workUnitId: 999_999 })).rejects.toMatchObject({ status: 404 });
    await expect(explain(rule, { workUnitId }, holding(allPermissions, flow.otherTenantId))).rejects.toMatchObject({ status: 404 });
  });
});

describe('a rule that looks at another rule', () => {
  it('is explained by what the other rule was at the time of the packet', async () => {
    const device = await flow.device({ name: 'database' });
    const over = (field: string) => about(62, 3, '90', { LeftOperandFieldName: field });
    const full = await flow.rule({ name: 'Disk full', conditions: [about(30, 1, device), over('Disk')] });
    const busy = await flow.rule({ name: 'Busy', conditions: [about(30, 1, device), over('Cpu'), about(83, 2, full)] });
    await until(() => ingest.rules.ingestion().get(full) && ingest.rules.dependent().get(busy));
    const packet = (Metrics: object, timestamp: string) => ({ entityId: device, timestamp, message: { Metrics } });
    await send(ingest, flow.ctx, packet({ Disk: 95 }, ago(1_500)), packet({ Cpu: 95 }, ago(1_400)));
    const missed = await explain(busy, { entityId: device, at: ago(1_390) });
    expect(missed).toMatchObject({ outcome: 'miss', conditions: [{}, {}, { value: 'Disk full', held: false, satisfied: false }] });
    expect(missed.reasons).toContain('Condition 3 (Match of Rule on Same Device ≠ Disk full) saw Disk full, which does not hold.');
    await send(ingest, flow.ctx, packet({ Cpu: 95 }, ago(60)));
    const later = await explain(busy, { entityId: device, at: ago(50) });
    expect(later).toMatchObject({ outcome: 'hit', conditions: [{}, {}, { saw: 'saw no match of it, which holds', satisfied: true }] });
  });
});

/** Parts of an explanation: the rule version in force, recorded evaluations, and the consequences of an event. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Entity } from '../entities.ts';
import type { SubjectEvent } from '../evaluate-subjects.ts';
import { createFlow, silent, type Flow } from '../testing/flow.ts';
import { packetAt, web } from '../testing/hits.ts';
import { lookAtEvents } from './look-at-events.ts';
import { endOf, maintenanceThen } from './maintenance-then.ts';
import { evaluationOfPacket, evaluationUpTo, matchAround, matchById, matchOpenAt, traceIn } from './on-record.ts';
import { definitionOf, ruleVersions, versionAt, type RuleVersion, type WireRule } from './rule-versions.ts';

const cpuOver90: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const wireRule = (extra: Partial<WireRule> = {}): WireRule => ({
  ruleId: 'r1',
  name: 'High CPU',
  enabled: true,
  ruleTypeId: 1,
  tenantId: 't1',
  matchLifetime: '01:02:03',
  conditions: [cpuOver90],
  created: '2026-01-01T00:00:00.000Z',
  ...extra,
});

describe('a rule of the record', () => {
  it('is evaluated with what it leaves out', () => {
    expect(definitionOf(wireRule())).toEqual({
      ruleId: 'r1',
      name: 'High CPU',
      ruleTypeId: 1,
      tenantId: 't1',
      subscriptionId: null,
      conditions: [cpuOver90],
      timeConditions: null,
      lifetimeMs: 3_723_000,
      sliding: false,
      matchActions: [],
      expirationActions: [],
    });
    const full = { subscriptionId: 's1', useSlidingExpiration: true, modified: '2026-01-02T00:00:00.000Z' };
    expect(definitionOf(wireRule(full))).toMatchObject({ subscriptionId: 's1', sliding: true, since: Date.parse(full.modified) });
  });

  it('has the version that began last', () => {
    const versions: RuleVersion[] = [0, 1_000, 2_000].map((from) => ({ from, rule: null }));
    expect([999, 1_000, 1_999, 2_000].map((at) => versionAt(versions, at)?.from)).toEqual([0, 1_000, 1_000, 2_000]);
    expect(versionAt([{ from: 5, rule: null }], 4)).toBeUndefined();
  });

  const versionsOf = async (now: WireRule | null, ...newestFirst: object[]) => {
    const ctx = { db: { query: () => Promise.resolve(newestFirst) } } as unknown as Ctx;
    return (await ruleVersions(ctx, 'r1', now, undefined)).map(({ from, rule }) => [from, rule?.name ?? null]);
  };
  const at = (second: number) => ({ at: new Date(second * 1_000).toISOString() });
  const created = Date.parse(wireRule().created);

  it('has its versions from its changes, the first from what was before them', async () => {
    const [old, current] = [wireRule({ name: 'old' }), wireRule({ name: 'new' })];
    expect(await versionsOf(current, { ...at(20), before: old, after: current }, { ...at(10), before: null, after: old })).toEqual([
      [0, null],
      [10_000, 'old'],
      [20_000, 'new'],
    ]);
    expect(await versionsOf(current, { ...at(20), before: old, after: current })).toEqual([
      [0, null],
      [created, 'old'],
      [20_000, 'new'],
    ]);
    expect(await versionsOf(null, { ...at(20), before: old, after: null })).toEqual([
      [0, null],
      [created, 'old'],
      [20_000, null],
    ]);
  });

  it('without changes is as it is now, or never was', async () => {
    expect(await versionsOf(wireRule())).toEqual([
      [0, null],
      [created, 'High CPU'],
    ]);
    expect(await versionsOf(null)).toEqual([]);
  });
});

describe('events that are looked at again', () => {
  const event = (timestamp: number, Cpu: number): SubjectEvent => {
    const packet = packetAt(timestamp, Cpu);
    return { entity: web, cause: packet, event: { entity: web, packet } };
  };
  const twice = wireRule({ conditions: [{ ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } }] });
  const inForce: RuleVersion[] = [{ from: 0, rule: twice }];

  it('lead to the trace of the last, with the memory of those before', () => {
    expect(lookAtEvents([], inForce)).toBeUndefined();
    expect(lookAtEvents([event(1_000, 95)], inForce)).toMatchObject({ at: 1_000, trace: { outcome: 'miss' }, error: undefined });
    expect(lookAtEvents([event(1_000, 95), event(2_000, 96)], inForce)).toMatchObject({ at: 2_000, trace: { outcome: 'hit' } });
  });

  it('lead to no trace while the rule is disabled, missing or does not compile', () => {
    const look = (rule: WireRule | null) => lookAtEvents([event(1_000, 95)], [{ from: 0, rule }]);
    expect(look(null)).toEqual({ at: 1_000, trace: undefined, error: undefined });
    expect(look({ ...twice, enabled: false })).toEqual({ at: 1_000, trace: undefined, error: undefined });
    expect(look({ ...twice, conditions: [] })).toEqual({ at: 1_000, trace: undefined, error: 'Condtions are required for rules.' });
  });

  it('use the version of their time', () => {
    const versions = [...inForce, { from: 2_000, rule: wireRule({ conditions: [{ ...cpuOver90, RightOperand: '99' }] }) }];
    expect(lookAtEvents([event(1_000, 95), event(1_999, 95)], versions)).toMatchObject({ trace: { outcome: 'hit' } });
    expect(lookAtEvents([event(1_000, 95), event(2_000, 95)], versions)).toMatchObject({ trace: { outcome: 'miss' } });
  });
});

describe('a recorded detail', () => {
  it('is a trace when it has conditions and groups', () => {
    const trace = { conditions: [], groups: [] };
    expect(traceIn(trace)).toBe(trace);
    for (const other of [null, undefined, 'x', {}, { conditions: [] }, { groups: [] }, { error: 'x' }])
      expect(traceIn(other)).toBeUndefined();
  });
});

describe('the record', () => {
  let flow: Flow;
  let ctx: Ctx;
  let device: string;
  let rule: string;
  beforeAll(async () => {
    flow = await createFlow();
    ctx = systemCtx({ database: flow.database, log: silent, name: 'test' });
    device = await flow.device();
    rule = await flow.rule({});
  });
  afterAll(() => flow.close());

  const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
  const packetId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

  it('has the newest evaluation of a packet, and of a subject up to a time', async () => {
    for (const [at, outcome, packet] of [
      [1, 'hit', 1],
      [2, 'miss', 2],
      [3, 'suppressed', 2],
    ] as const)
      await flow.rows(
        'insert into rule_evaluation (tenant_id, rule_id, subject_id, outcome, correlation_id, at) values ($1, $2, $3, $4, $5, $6)',
        flow.tenantId,
        rule,
        device,
        outcome,
        packetId(packet),
        second(at),
      );
    const outcomes = await Promise.all([
      evaluationOfPacket(flow.db, rule, packetId(1)),
      evaluationOfPacket(flow.db, rule, packetId(2)),
      evaluationOfPacket(flow.db, rule, packetId(3)),
      evaluationUpTo(flow.db, rule, device, second(0)),
      evaluationUpTo(flow.db, rule, device, second(1)),
      evaluationUpTo(flow.db, rule, device, second(2)),
      evaluationUpTo(flow.db, rule, device, second(9)),
      evaluationUpTo(flow.db, rule, packetId(1), second(9)),
    ]);
    expect(outcomes.map((one) => one?.outcome)).toEqual([
      'hit',
      'suppressed',
      undefined,
      undefined,
      'hit',
      'miss',
      'suppressed',
      undefined,
    ]);
  });

  it('has the match around a time, and the one that was open', async () => {
    const open = async (first: number, last: number, closed: number | null) => {
      const [row] = await flow.rows<{ id: string }>(
        `insert into rule_match (rule_match_id, tenant_id, rule_id, subject_id, label, expires, closed, match_count, first_match, last_match, correlation_id)
         values (uuidv7(), $1, $2, $3, 'x', $4, $5, 1, $6, $7, uuidv7()) returning rule_match_id as id`,
        flow.tenantId,
        rule,
        device,
        second(closed ?? 59),
        closed === null ? null : second(closed),
        second(first),
        second(last),
      );
      return row?.id;
    };
    const [one, two, three] = [await open(10, 12, 15), await open(20, 22, 25), await open(30, 32, null)];
    const around = await Promise.all([9, 10, 12, 13, 22, 32, 33].map((n) => matchAround(flow.db, rule, device, second(n))));
    expect(around.map((match) => match?.ruleMatchId)).toEqual([undefined, one, one, undefined, two, three, undefined]);
    const opened = await Promise.all([9, 10, 14, 15, 24, 30, 50].map((n) => matchOpenAt(flow.db, rule, device, second(n))));
    expect(opened.map((match) => match?.ruleMatchId)).toEqual([undefined, one, one, undefined, two, three, three]);
    expect(await matchById(flow.db, two ?? '')).toMatchObject({ ruleMatchId: two, firstMatch: second(20), closed: second(25) });
    expect(await matchOpenAt(flow.db, device, device, second(50))).toBeUndefined();
  });

  it('has the maintenance rules that hold, by name', async () => {
    const entity: Entity = { ...web, tenantId: flow.tenantId };
    const isWeb: Condition = { Type: 'And', LeftOperand: 31, Operator: 1, RightOperand: 'web' };
    const always = { TimeZoneId: 'UTC', DaysOfWeek: [0, 1, 2, 3, 4, 5, 6] };
    const add = (name: string, extra: object = {}) =>
      flow.rule({ name, ruleTypeId: 5, conditions: [isWeb], timeConditions: always, ...extra });
    const [second, first] = [await add('b'), await add('a')];
    await add('over', { timeConditions: { ...always, EndRange: '2020-01-01T00:00:00Z' } });
    await add('other', { tenantId: flow.otherTenantId });
    await add('no maintenance', { ruleTypeId: 1 });
    await add('does not compile', { conditions: [{ ...isWeb, Operator: 8, RightOperand: '(' }] });
    const disabled = await add('disabled');
    await flow.rows('update rule set enabled = false where rule_id = $1', disabled);
    expect(await maintenanceThen(ctx, entity, Date.now())).toEqual({
      inMaintenance: true,
      windows: [],
      rules: [
        { ruleId: first, name: 'a' },
        { ruleId: second, name: 'b' },
      ],
      until: null,
    });
  });

  it('end when the last of their windows does, and never without one', () => {
    const noon = Date.parse('2026-11-20T12:00:30Z');
    const until = (text: string) => (at: number) => at < Date.parse(text);
    const iso = (windows: Parameters<typeof endOf>[0]) => {
      const end = endOf(windows, noon);
      return end === undefined ? undefined : new Date(end).toISOString();
    };
    expect(iso([until('2026-11-20T12:10:00Z'), until('2026-11-20T13:00:00Z')])).toBe('2026-11-20T13:00:00.000Z');
    expect(
      iso([until('2026-11-20T12:01:00Z'), (at) => at >= Date.parse('2026-11-20T12:01:00Z') && at < Date.parse('2026-11-20T12:02:00Z')]),
    ).toBe('2026-11-20T12:02:00.000Z');
    expect(iso([until('2026-11-20T12:10:00Z'), undefined])).toBeUndefined();
    expect(iso([() => true])).toBeUndefined();
  });
});

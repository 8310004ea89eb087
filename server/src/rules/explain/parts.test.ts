/** Parts of an explanation: the rule version in force, recorded evaluations, and the consequences of an event. */
import { englishWords } from '../../platform/rule-words.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import type { Ctx } from '../../context/ctx.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import type { Entity } from '../run/entity.ts';
import type { SubjectEvent } from '../run/evaluate-subjects.ts';
import { createFlow, silent, type Flow } from '../testing/flow.ts';
import { mayBeAheadMs } from '../past/past-packets.ts';
import { packetAt, web } from '../testing/hits.ts';
import { lastStep, stepOf } from './last-step.ts';
import { packetById, packetsUpTo } from './replay-packet.ts';
import { endOf, heldBy, explainMaintenance } from './explain-maintenance.ts';
import { newerPacketThan } from './newer-packet.ts';
import {
  evaluationOfPacket,
  evaluationsOfPacket,
  evaluationUpTo,
  matchAround,
  matchById,
  matchesBetween,
  matchOpenAt,
  traceIn,
} from './on-record.ts';
import { definitionOf, ruleVersions, versionAt, type RuleVersion, type WireRule } from '../past/rule-versions.ts';
import { whoDisabled } from './who-changed.ts';

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
    expect(definitionOf(wireRule({ clearFor: '00:02:00' }))).toMatchObject({ clearForMs: 120_000 });
    expect(definitionOf(wireRule({ clearFor: '00:00:00' }))).toEqual(definitionOf(wireRule()));
    const calls = [{ ActionDefinitionId: 'a1', Parameters: {} }];
    const more = { neverReported: true, recoveryConditions: [cpuOver90], matchActions: calls, expirationActions: calls };
    expect(definitionOf(wireRule(more))).toMatchObject(more);
    expect(definitionOf(wireRule({ neverReported: false, recoveryConditions: [], matchLifetime: '1' }))).toEqual({
      ...definitionOf(wireRule()),
      lifetimeMs: 3_600_000,
    });
  });

  it('has the version that began last', () => {
    const versions: RuleVersion[] = [0, 1_000, 2_000].map((from) => ({ from, rule: null }));
    expect([999, 1_000, 1_999, 2_000].map((at) => versionAt(versions, at)?.from)).toEqual([0, 1_000, 1_000, 2_000]);
    expect(versionAt([{ from: 5, rule: null }], 4)).toBeUndefined();
  });

  const versionsOf = async (now: WireRule | null, ...newestFirst: object[]) => {
    const ctx = { db: { query: () => Promise.resolve(newestFirst) } } as unknown as Ctx;
    return (await ruleVersions(ctx, 'r1', now, undefined, 't1')).map(({ from, rule }) => [from, rule?.name ?? null]);
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

  it('has the version that a campaign brought to the device alone, until that is over', async () => {
    const second = (n: number) => new Date(n * 1_000).toISOString();
    const old = wireRule({ name: 'old' });
    const versionsWith = async (begun: number, until: number | null) => {
      const rollout = { campaign: 'Calm', definition: { name: 'new' }, begun: second(begun), until: until && second(until) };
      const query = ({ name }: { name?: string }) =>
        Promise.resolve(name === 'explain-rolled-out' ? [rollout] : [{ ...at(10), before: null, after: old }]);
      const versions = await ruleVersions({ db: { query } } as unknown as Ctx, 'r1', old, web, 't1');
      return versions.map(({ from, rule, campaign }) => [from / 1_000, rule?.name, campaign]);
    };
    const unchanged = [
      [0, undefined, undefined],
      [10, 'old', undefined],
    ];
    expect(await versionsWith(30, null)).toEqual([...unchanged, [30, 'new', 'Calm']]);
    expect(await versionsWith(30, 40)).toEqual([...unchanged, [30, 'new', 'Calm'], [40, 'old', undefined]]);
    // Before the rule existed there was nothing to change.
    expect(await versionsWith(5, 8)).toEqual(unchanged);
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
  const evaluate = (events: SubjectEvent[], versions: RuleVersion[]) => lastStep(events.map(stepOf), versions);
  const twice = wireRule({ conditions: [{ ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow', Times: 2 } }] });
  const inForce: RuleVersion[] = [{ from: 0, rule: twice }];

  it('lead to the trace of the last, with the memory of those before', () => {
    expect(evaluate([], inForce)).toBeUndefined();
    expect(evaluate([event(1_000, 95)], inForce)).toMatchObject({ at: 1_000, trace: { outcome: 'miss' }, error: undefined });
    expect(evaluate([event(1_000, 95), event(2_000, 96)], inForce)).toMatchObject({ at: 2_000, trace: { outcome: 'hit' } });
  });

  it('lead to no trace while the rule is disabled, missing or does not compile', () => {
    const look = (rule: WireRule | null) => evaluate([event(1_000, 95)], [{ from: 0, rule }]);
    const unevaluated = { at: 1_000, stale: false, trace: undefined, error: undefined, state: undefined };
    expect(look(null)).toEqual(unevaluated);
    expect(look({ ...twice, enabled: false })).toEqual(unevaluated);
    expect(look({ ...twice, conditions: [] })).toEqual({ ...unevaluated, error: 'Condtions are required for rules.' });
  });

  it('use the version of their time', () => {
    const versions = [...inForce, { from: 2_000, rule: wireRule({ conditions: [{ ...cpuOver90, RightOperand: '99' }] }) }];
    expect(evaluate([event(1_000, 95), event(1_999, 95)], versions)).toMatchObject({ trace: { outcome: 'hit' } });
    expect(evaluate([event(1_000, 95), event(2_000, 95)], versions)).toMatchObject({ trace: { outcome: 'miss' } });
  });
});

describe('what holds a match', () => {
  const window = {
    maintenanceWindowId: 'w1',
    reason: 'New disk',
    until: '',
    isChange: false,
    workUnitId: 7,
    publicWorkUnitId: 12,
    selection: null,
  };
  const rule = { ruleId: 'r1', name: 'Every night' };

  it('is named, windows before rules', () => {
    expect(heldBy({ windows: [], rules: [] }, englishWords)).toBe('held by a maintenance');
    expect(heldBy({ windows: [window], rules: [] }, englishWords)).toBe('held by the maintenance "New disk"');
    expect(heldBy({ windows: [{ ...window, isChange: true }], rules: [rule] }, englishWords)).toBe(
      'held by change #12 (New disk) and the rule Every night',
    );
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
  });
  beforeEach(async () => {
    await flow.moveToNewTenants();
    [device, rule] = [await flow.device(), await flow.rule({})];
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
    expect(outcomes.map((outcome) => outcome?.outcome)).toEqual([
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

  it('has the last evaluation of a packet by each rule', async () => {
    const [packet, other, first, second2] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    for (const [at, ruleId, outcome, of] of [
      [2, first, 'miss', packet],
      [1, first, 'hit', packet],
      [1, second2, 'late', packet],
      [3, second2, 'hit', other],
    ] as const)
      await flow.rows(
        'insert into rule_evaluation (tenant_id, rule_id, subject_id, outcome, correlation_id, at) values ($1, $2, $3, $4, $5, $6)',
        flow.tenantId,
        ruleId,
        device,
        outcome,
        of,
        second(at),
      );
    const all = await evaluationsOfPacket(flow.db, packet);
    expect([all.size, all.get(first)?.outcome, all.get(second2)?.outcome]).toEqual([2, 'miss', 'late']);
  });

  it('has the matches of subjects that were open or hit between two times, the latest of each rule', async () => {
    const [subject, other] = [randomUUID(), randomUUID()];
    interface AddedMatch {
      of?: string;
      first?: number;
      last?: number;
      closed?: number;
      ruleId?: string;
    }
    const add = async ({ of = subject, first = 10, last = first, closed, ruleId = randomUUID() }: AddedMatch) => {
      await flow.rows(
        `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, closed, first_match, last_match, correlation_id)
         values ($1, $2, $3, 'x', $4, $5, $6, $7, gen_random_uuid())`,
        flow.tenantId,
        ruleId,
        of,
        second(59),
        closed === undefined ? null : second(closed),
        second(first),
        second(last),
      );
      return ruleId;
    };
    const twice = randomUUID();
    await add({ ruleId: twice, first: 12, closed: 25 });
    const within = [
      await add({}),
      await add({ first: 30 }),
      await add({ closed: 21 }),
      await add({ last: 20, closed: 15 }),
      await add({ ruleId: twice, first: 26, closed: 40 }),
    ];
    await add({ first: 31 });
    await add({ closed: 20, last: 19 });
    await add({ of: other });
    const matchByRule = await matchesBetween(flow.db, [subject], second(20), second(30));
    expect([...matchByRule.keys()].toSorted()).toEqual(within.toSorted());
    expect(matchByRule.get(twice)).toMatchObject({ firstMatch: second(26), closed: second(40) });
    expect(Object.keys(matchByRule.get(twice) ?? {})).not.toContain('ruleId');
    expect([...matchByRule.keys()][0]).toBe(within[1]);
  });

  it('has the latest match of a rule that opened thousands in the period', async () => {
    const [subject, ruleId] = [randomUUID(), randomUUID()];
    await flow.rows(
      `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, closed, first_match, last_match, correlation_id)
       select $1, $2, $3, 'x', $4::timestamptz, $4, $4::timestamptz - n * interval '1 millisecond', $4, gen_random_uuid()
       from generate_series(1, 2100) n`,
      flow.tenantId,
      ruleId,
      subject,
      second(50),
    );
    const matchByRule = await matchesBetween(flow.db, [subject], second(20), second(50));
    expect(Date.parse(second(50)) - Date.parse(String(matchByRule.get(ruleId)?.firstMatch))).toBe(1);
  });

  it('has who disabled or deleted rules last, up to a time', async () => {
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    const add = (
      at: number,
      by: string,
      extra: { id?: string; verb?: string; entity?: string; before?: object | null; after?: object | null },
    ) => {
      const { id = one, verb = 'update', entity = 'rules', before = { enabled: true }, after = { enabled: false } } = extra;
      return flow.rows(
        `insert into audit (tenant_id, actor_kind, actor_name, verb, entity, entity_id, before, after, at, correlation_id)
         values ($1, 'person', $2, $3, $4, $5, $6, $7, $8, gen_random_uuid())`,
        flow.tenantId,
        by,
        verb,
        entity,
        id,
        before && JSON.stringify(before),
        after && JSON.stringify(after),
        second(at),
      );
    };
    await add(10, 'A', {});
    await add(11, 'renamed it', { before: { enabled: false } });
    await add(12, 'enabled it', { before: { enabled: false }, after: { enabled: true } });
    await add(13, 'renamed it', { after: { enabled: true } });
    await add(14, 'created it', { verb: 'create', before: null });
    await add(15, 'another entity', { verb: 'delete', entity: 'devices', after: null });
    await add(20, 'B', {});
    await add(30, 'C', { verb: 'delete', before: { enabled: false }, after: null });
    await add(10, 'enabled it', { id: two, before: { enabled: false }, after: { enabled: true } });
    await add(10, 'D', { id: three });
    const by = async (at: number) => [...(await whoDisabled(ctx, [one, two], second(at)))].map(([id, { by }]) => `${id === one} ${by}`);
    expect(await Promise.all([9, 10, 19, 20, 29, 30].map(by))).toEqual([[], ['true A'], ['true A'], ['true B'], ['true B'], ['true C']]);
    expect((await whoDisabled(ctx, [one], second(10))).get(one)).toEqual({ by: 'A', at: second(10) });
    expect(await whoDisabled(ctx, [], second(30))).toEqual(new Map());
  });

  it('has packets by their id, up to a time, and the newer one that made one stale', async () => {
    // A time today, because packets are stored by day.
    const base = Date.now() - 3_600_000;
    const time = (at: number) => new Date(base + at).toISOString();
    const [entity, other] = [randomUUID(), randomUUID()];
    const add = async (timestamp: number, received = timestamp, of = entity) => {
      const id = uuidV7(base + received);
      await flow.rows(
        `insert into packet (tenant_id, entity_id, packet_id, timestamp, received_timestamp, message) values ($1, $2, $3, $4, $5, '{}')`,
        flow.tenantId,
        of,
        id,
        time(timestamp),
        time(received),
      );
      return id;
    };
    const [first, second3, third] = [await add(1_000), await add(2_000, 9_000), await add(3_000)];
    await add(3_000, 3_000, other);
    const ahead = await add(5_000 + mayBeAheadMs - 1, 5_000);
    const upTo = async (at: number, count: number) =>
      (await packetsUpTo(flow.db, entity, base + at, count)).map((packet) => packet.packetId);
    expect([await upTo(999, 9), await upTo(3_000, 9), await upTo(3_000, 2)]).toEqual([[], [first, second3, third], [second3, third]]);
    const packets = await Promise.all([first, ahead].map((id) => packetById(flow.db, entity, id)));
    expect(packets.map((packet) => packet?.packetId)).toEqual([first, ahead]);
    const tooFar = await add(6_000 + mayBeAheadMs, 6_000);
    for (const id of [tooFar, randomUUID(), uuidV7(base)]) expect(await packetById(flow.db, entity, id)).toBeUndefined();
    expect(await packetById(flow.db, other, first)).toBeUndefined();
    const newer = async (timestamp: number, received: number) =>
      (
        await newerPacketThan(flow.db, {
          entityId: entity,
          packetId: '',
          timestamp: base + timestamp,
          received: base + received,
          message: {},
        })
      )?.packetId;
    // The third packet is the newer one if it was received first and has a later time, not if the receipts or the times are
    // equal.
    expect(
      await Promise.all([newer(2_000, 3_001), newer(2_000, 3_000), newer(3_000, 3_001), newer(2_999, 3_001), newer(500, 2_000)]),
    ).toEqual([third, undefined, undefined, third, first]);
    expect([await newer(4_000, 5_000), await newer(4_000, 5_001), await newer(5_000, 5_001)]).toEqual([undefined, ahead, undefined]);
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
    expect(await explainMaintenance(ctx, entity, Date.now())).toEqual({
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

/** Silence at its limits: which entities a sweep reads, what it repeats, and the effect of a failing rule. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Ingest } from '../../ingest/accept.ts';
import type { EvaluationNote } from './evaluate-entity.ts';
import { withoutQuiet } from './evaluate-subjects.ts';
import { matchKey, type OpenMatch } from './decide-matches.ts';
import { startSchedule } from '../../jobs/schedule.ts';
import type { IngestRule } from './ingest-rule.ts';
import { evaluateSilence, quietMs, quietMsOf } from './silence.ts';
import { evaluateSilenceOfAll } from './silence/sweep.ts';
import { silenceWork } from './silence/work.ts';
import { ago, cpu, createFlow, send, silent, until, type Flow } from '../testing/flow.ts';
import { hitAt, indexOf, ruleOf, web } from '../testing/hits.ts';
import { keepUp } from '../testing/pulse.ts';

const silentFor = (seconds: number): Condition => ({ Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: String(seconds) });
const isDevice = (id: string): Condition => ({ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: id });

describe('one entity that is silent', () => {
  const minute = ruleOf({ ruleTypeId: 3, conditions: [silentFor(60)] });

  it('matches from the moment at which its silence is longer, as an event of that moment', () => {
    const notes: EvaluationNote[] = [];
    expect(evaluateSilence(indexOf(minute), web, { at: 1_000, memory: null }, { gaps: [] }, 61_000, notes)).toEqual([]);
    const [hit, ...others] = evaluateSilence(indexOf(minute), web, { at: 1_000, memory: null }, { gaps: [] }, 61_001, notes);
    expect(hit).toMatchObject({
      rule: { ruleId: 'r1' },
      entity: web,
      packet: { timestamp: 61_001, message: {} },
      event: { kind: 'tick', previous: { timestamp: 1_000 } },
      before: undefined,
      isSilence: true,
    });
    expect(hit?.packet.packetId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect([others, notes]).toEqual([[], []]);
  });

  it('has the grace of a beat after an outage, of which neither counts', () => {
    const at = (now: number) =>
      evaluateSilence(
        indexOf(minute),
        web,
        { at: 1_000, memory: null, beatMs: 20_000 },
        { gaps: [{ from: 2_000, until: 50_000 }] },
        now,
        [],
      );
    expect([at(129_000).length, at(129_001).length]).toEqual([0, 1]);
  });

  it('is compared with what each rule remembers', () => {
    const few = ruleOf({
      ruleTypeId: 3,
      conditions: [{ Type: 'And', LeftOperand: 71, Operator: 4, RightOperand: '3', WindowSeconds: 60 }],
    });
    const rules = indexOf(few);
    const key = rules.get('r1')?.conditions[0]?.key ?? '';
    const memory = { r1: { [key]: { window: { since: 0, steps: [49, 1, 0, 0] } } } };
    const hits = evaluateSilence(rules, web, { at: 99_000, memory }, { gaps: [] }, 100_000, []);
    expect(hits.map((hit) => hit.before)).toEqual([memory.r1]);
    expect(evaluateSilence(rules, web, { at: 99_000, memory: { other: memory.r1 } }, { gaps: [] }, 100_000, [])).toEqual([]);
  });

  it('is noted for a rule that fails, and judged by the others', () => {
    const rules = indexOf(minute, ruleOf({ ruleTypeId: 3, ruleId: 'r2', conditions: [silentFor(60)] }));
    const broken = rules.get('r1');
    if (!broken) throw new Error('The rule is missing.');
    broken.inTimeWindow = () => {
      throw new Error('No such time zone.');
    };
    const notes: EvaluationNote[] = [];
    expect(evaluateSilence(rules, web, { at: 0, memory: null }, { gaps: [] }, 61_000, notes).map((hit) => hit.rule.ruleId)).toEqual(['r2']);
    expect(notes).toMatchObject([
      { outcome: 'failed', rule: { ruleId: 'r1' }, entity: web, packet: { timestamp: 61_000 }, detail: { error: 'No such time zone.' } },
    ]);
  });
});

describe('a hit that repeats an open match', () => {
  it('counts once the time of quiet is over, or the match is', () => {
    const match: OpenMatch = {
      ruleMatchId: 'm1',
      ruleId: 'r1',
      tenantId: 't1',
      subjectId: web.id,
      firstMatch: 10_000,
      expires: 100_000,
      lastMatch: 10_000,
      matchCount: 1,
      inMaintenance: false,
    };
    const remaining = (at: number, open: OpenMatch = match) =>
      withoutQuiet([hitAt(at)], new Map([[matchKey(open.ruleId, open.subjectId), open]]), () => quietMs).length;
    expect([69_999, 70_000, 100_000].map((at) => remaining(at))).toEqual([0, 1, 1]);
    expect([remaining(20_000), remaining(20_000, { ...match, expires: 20_000 }), remaining(20_000, { ...match, expires: 20_001 })]).toEqual(
      [0, 1, 0],
    );
    expect(remaining(20_000, { ...match, ruleId: 'r2' })).toBe(1);
  });
});

describe('continued silence', () => {
  const quiet = (rule: Partial<IngestRule>) => quietMsOf(ruleOf(rule));

  it('counts again only when that puts off the end of a match, after half of the time', () => {
    expect([quiet({ lifetimeMs: 600_000, sliding: true }), quiet({ lifetimeMs: 600_000 })]).toEqual([300_000, Infinity]);
    expect([quiet({ lifetimeMs: 600_000, clearForMs: 900_000 }), quiet({ lifetimeMs: 100_000, sliding: true })]).toEqual([
      450_000,
      quietMs,
    ]);
  });
});

describe('a sweep', () => {
  let flow: Flow;
  let ingest: Ingest;
  beforeAll(async () => {
    flow = await createFlow();
    ingest = await flow.openIngest();
  });
  beforeEach(() => keepUp(flow.db));
  afterAll(() => flow.close());

  /** Creates a rule on the silence of one device that reported once, this many seconds ago. */
  async function silentDevice(reported: number, condition = silentFor(60)) {
    const device = await flow.device();
    const rule = await flow.rule({ ruleTypeId: 3, conditions: [isDevice(device), condition] });
    await until(() => ingest.rules.silence().get(rule));
    await send(ingest, flow.ctx, cpu(device, 5, ago(reported)));
    return { device, rule };
  }
  const sweep = () => evaluateSilenceOfAll(flow.db, ingest);
  const matchesOf = (rule: string) =>
    flow.rows<{ match_count: number; open: boolean; subject_id: string }>(
      'select match_count, closed is null as open, subject_id from rule_match where rule_id = $1 order by created',
      rule,
    );

  it('reads by the shortest silence among the rules of a tenant', async () => {
    const [late, soon, long] = [
      await silentDevice(90, silentFor(80)),
      await silentDevice(45, silentFor(40)),
      await silentDevice(90, silentFor(4_000)),
    ];
    await sweep();
    const counts = await Promise.all([late, soon, long].map(async ({ rule }) => (await matchesOf(rule)).length));
    expect(counts).toEqual([1, 1, 0]);
  });

  it('reads what a window counted, also where other rules of the tenant have none', async () => {
    const device = await flow.device();
    const reported: Condition = { Type: 'And', LeftOperand: 71, Operator: 6, RightOperand: '1', WindowSeconds: 600 };
    const rules = [
      await flow.rule({ ruleTypeId: 3, conditions: [isDevice(device), silentFor(60), reported] }),
      await flow.rule({ ruleTypeId: 3, conditions: [isDevice(device), silentFor(60)] }),
    ];
    for (const rule of rules) await until(() => ingest.rules.silence().get(rule));
    await send(ingest, flow.ctx, cpu(device, 5, ago(90)));
    await sweep();
    const counts = await Promise.all(rules.map(async (rule) => (await matchesOf(rule)).length));
    expect(counts).toEqual([1, 1]);
  });

  it('takes what never reported as silent since its creation, where the rule says so', async () => {
    const rule = async (device: string, neverReported: boolean) => {
      const id = await flow.rule({ ruleTypeId: 3, conditions: [isDevice(device), silentFor(60)] });
      await flow.rows(
        "with r as (update rule set never_reported = $2 where rule_id = $1) select pg_notify('rules', $1::text)",
        id,
        neverReported,
      );
      await until(() => ingest.rules.silence().get(id)?.rule.neverReported === neverReported);
      return id;
    };
    const created = async (seconds: number, enabled = true) => {
      const device = await flow.device({ enabled });
      await flow.rows("update device set created = now() - $2 * interval '1 second' where device_id = $1", device, seconds);
      return device;
    };
    const [old, young, disabled] = [await created(90), await created(30), await created(90, false)];
    const first = await rule(old, true);
    await sweep();
    const rules = [first, await rule(old, false), await rule(young, true), await rule(disabled, true)];
    await sweep();
    expect(await Promise.all(rules.map(matchesOf))).toEqual([[{ match_count: 1, open: true, subject_id: old }], [], [], []]);
    // A device that reported is silent since its packet.
    const reported = await created(90);
    const other = await rule(reported, true);
    await send(ingest, flow.ctx, cpu(reported, 5));
    await sweep();
    expect(await matchesOf(other)).toEqual([]);
  });

  it('leaves out a device that is disabled or deleted', async () => {
    const [disabled, deleted] = [await silentDevice(90), await silentDevice(90)];
    await flow.rows('update device set enabled = false where device_id = $1', disabled.device);
    await flow.rows('update device set is_deleted = true where device_id = $1', deleted.device);
    const entities = { ...ingest.entities, find: (await flow.openIngest()).entities.find };
    await evaluateSilenceOfAll(flow.db, { rules: ingest.rules, entities });
    expect([await matchesOf(disabled.rule), await matchesOf(deleted.rule)]).toEqual([[], []]);
  });

  it('opens nothing for a device that sends a packet meanwhile', async () => {
    // The packet that ends the silence does not match.
    const noPackets: Condition = { Type: 'And', LeftOperand: 71, Operator: 4, RightOperand: '1', WindowSeconds: 30 };
    const { device, rule } = await silentDevice(90, noPackets);
    const other = await silentDevice(90, noPackets);
    await evaluateSilenceOfAll(flow.db, {
      rules: ingest.rules,
      entities: {
        ...ingest.entities,
        find: async (ids) => {
          await send(ingest, flow.ctx, cpu(device, 5));
          return ingest.entities.find(ids);
        },
      },
    });
    expect([await matchesOf(rule), await matchesOf(other.rule)]).toEqual([[], [{ match_count: 1, open: true, subject_id: other.device }]]);
  });

  it('opens another match once the one before is over, however recent its last hit', async () => {
    const { device, rule } = await silentDevice(90);
    await sweep();
    await sweep();
    expect(await matchesOf(rule)).toEqual([{ match_count: 1, open: true, subject_id: device }]);
    await flow.rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1", rule);
    await sweep();
    expect(await matchesOf(rule)).toEqual([
      { match_count: 1, open: false, subject_id: device },
      { match_count: 1, open: true, subject_id: device },
    ]);
  });

  it('records a rule that fails, also where no other rule matches', async () => {
    const { rule } = await silentDevice(90);
    const compiled = ingest.rules.silence().get(rule);
    if (!compiled) throw new Error('The rule is missing.');
    compiled.inTimeWindow = () => {
      throw new Error('No such time zone.');
    };
    await sweep();
    expect(await flow.rows("select detail from rule_evaluation where rule_id = $1 and outcome = 'failed'", rule)).toEqual([
      { detail: { error: 'No such time zone.' } },
    ]);
    expect(await flow.rows('select evaluation_failure as cause from rule where rule_id = $1', rule)).toEqual([
      { cause: 'No such time zone.' },
    ]);
  });

  it('happen on whole five seconds, so that a backtest can look at the same times', async () => {
    const { everyMs, aligned } = silenceWork(ingest);
    const work = { name: 'silence-aligned', everyMs, aligned, run: () => Promise.resolve() };
    const schedule = await startSchedule({ database: flow.database, log: silent, works: [work] });
    const [next] = await until(() =>
      flow
        .rows<{ ms: number }>(
          `select (extract(epoch from next_run) * 1000)::float8 as ms from schedule where name = 'silence-aligned' and last_run is not null`,
        )
        .then((rows) => rows.length > 0 && rows),
    );
    await schedule.stop();
    expect((next?.ms ?? 1) % 5_000).toBe(0);
  });
});

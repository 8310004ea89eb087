/** Which event of a rule and a subject an explanation is about. The test supplies the database's answers. */
import { describe, expect, it } from 'vitest';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Statement } from '../../db/db.ts';
import { subjectOfWorkUnit } from '../../features/work-units/subject.ts';
import { iso, type PastPacket } from '../past/past-packets.ts';
import { web } from '../testing/hits.ts';
import { find, type ExplainQuestion } from './find.ts';
import type { RuleVersion, WireRule } from '../past/rule-versions.ts';

const at = Date.parse('2026-01-14T12:00:00.000Z');
const cpuOver90: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const silentFor60: Condition = { Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: '60' };
const ruleOf = (extra: Partial<WireRule> = {}): WireRule => ({
  ruleId: 'r1',
  name: 'Hot',
  enabled: true,
  ruleTypeId: ruleTypeId.ingestion,
  tenantId: 't1',
  matchLifetime: '00:01:00',
  conditions: [cpuOver90],
  created: '2026-01-01T00:00:00.000Z',
  ...extra,
});
const silence = ruleOf({ ruleTypeId: ruleTypeId.history, conditions: [silentFor60] });
const packetAt = (timestamp: number, Cpu = 95, received = timestamp + 100): PastPacket => ({
  entityId: web.id,
  packetId: `p${timestamp}`,
  timestamp,
  received,
  message: { Metrics: { Cpu } },
});
const recordedAs = (outcome: string, extra: object = {}) => ({ outcome, detail: null, ruleMatchId: null, at: iso(at - 500), ...extra });
const matchOf = (ruleMatchId: string, firstMatch: number) => ({ ruleMatchId, firstMatch: iso(firstMatch) });

/** The rows that the fake database of `ctxOf` returns. */
interface Rows {
  packets?: PastPacket[];
  /** The recorded evaluations, by correlation id. */
  ofPacket?: Record<string, object>;
  upTo?: object;
  matches?: Record<string, object>;
  around?: object;
  open?: object;
  recovered?: object;
  gaps?: object[];
}

function ctxOf({ packets = [], ofPacket = {}, upTo, matches = {}, around, open, recovered, gaps = [] }: Rows): Ctx {
  const some = (row: object | undefined) => (row ? [row] : []);
  const answer = ({ name, text, values = [] }: Statement): unknown[] => {
    switch (name) {
      case 'explain-kept-packet':
        return some(ofPacket[String(values[1])]);
      case 'explain-kept-time':
        return some(upTo);
      case 'explain-match':
        return some(matches[String(values[0])]);
      case 'explain-match-around':
        return some(around);
      case 'explain-match-open':
        return some(open);
      case 'explain-match-recovered':
        return some(recovered);
      case 'gaps-between':
        return gaps;
      case 'beat-times':
        return [];
    }
    if (text.includes('min(received_timestamp)') || text.includes('from audit')) return [];
    if (text.includes('from packet p')) return packets.filter((packet) => packet.timestamp <= Date.parse(String(values[1]))).toReversed();
    throw new Error(`No answer to ${text}`);
  };
  return { db: { query: (statement: Statement) => Promise.resolve(answer(statement)) } } as unknown as Ctx;
}

const explain = (rows: Rows, rule: WireRule | null = ruleOf(), extra: Partial<ExplainQuestion> = {}, versions?: RuleVersion[]) =>
  find(
    ctxOf(rows),
    { ruleId: 'r1', tenantId: 't1', rule, entityId: web.id, entity: web, at, ...extra },
    versions ?? (rule ? [{ from: 0, rule }] : []),
  );
const findingOf = async (...parameters: Parameters<typeof explain>) => (await explain(...parameters)).finding;

describe('a rule about packets', () => {
  const packet = packetAt(at - 1_000);

  it('had none to look at, or was not in force', async () => {
    const nothing = { event: null, eventAt: null, versionTime: at };
    expect(await explain({})).toMatchObject({ ...nothing, finding: { outcome: 'noPacket', basis: 'none' } });
    expect(await explain({}, ruleOf({ enabled: false }))).toMatchObject({ ...nothing, finding: { outcome: 'disabled' } });
    expect((await findingOf({}, ruleOf(), {}, [{ from: at + 1, rule: ruleOf() }])).outcome).toBe('absent');
    // The open match of an entity without packets was opened by the silence since the creation of the entity.
    const match = matchOf('m1', at - 5_000);
    expect(await explain({ open: match })).toMatchObject({
      finding: { outcome: 'hit', basis: 'recorded' },
      match,
      event: 'silence',
      eventAt: at,
    });
  });

  it('has what is on record of the packet, with its match', async () => {
    const recorded = { [packet.packetId]: recordedAs('suppressed', { ruleMatchId: 'm1' }) };
    const match = matchOf('m1', at - 5_000);
    expect(await explain({ packets: [packet], ofPacket: recorded, matches: { m1: match }, around: matchOf('m2', 0) })).toMatchObject({
      finding: { outcome: 'suppressed', basis: 'recorded' },
      match,
      packet,
      event: 'packet',
      eventAt: at - 1_000,
      versionTime: at - 900,
    });
    const without = { [packet.packetId]: recordedAs('miss') };
    expect(await explain({ packets: [packet], ofPacket: without })).toMatchObject({ finding: { outcome: 'miss' }, match: undefined });
  });

  it('otherwise is evaluated again, and opened its match at the time of the packet', async () => {
    const outcome = async (firstMatch: number) => (await findingOf({ packets: [packet], around: matchOf('m1', firstMatch) })).outcome;
    expect([await outcome(at - 1_000), await outcome(at - 999), await outcome(at - 1_001)]).toEqual(['hit', 'repeated', 'repeated']);
    expect(await findingOf({ packets: [packet] })).toMatchObject({
      outcome: 'repeated',
      reasons: [expect.stringContaining('not on record')],
    });
    expect(await findingOf({ packets: [packetAt(at, 85)] })).toMatchObject({ outcome: 'miss', reasons: [] });
    const ended = async (rule: WireRule) =>
      (await findingOf({ packets: [packetAt(at, 85)], recovered: matchOf('m1', at - 5_000) }, rule)).reasons;
    expect(await ended(ruleOf({ recoveryConditions: [silentFor60] }))).toEqual(['Its recovery conditions held and ended the match.']);
    expect(await ended(ruleOf())).toEqual(['The entity reported again, which ended the match.']);
    expect((await findingOf({ packets: [packetAt(at + 1)] })).outcome).toBe('noPacket');
  });

  it('is judged by its version when the packet came', async () => {
    const versions = (from: number, rule: WireRule | null): RuleVersion[] => [
      { from: 0, rule: ruleOf() },
      { from, rule },
    ];
    const outcome = async (from: number, rule: WireRule | null) =>
      (await findingOf({ packets: [packet] }, ruleOf(), {}, versions(from, rule))).outcome;
    expect(await outcome(packet.received, ruleOf({ enabled: false }))).toBe('disabled');
    expect(await outcome(packet.received + 1, ruleOf({ enabled: false }))).toBe('repeated');
    expect(await outcome(packet.received, ruleOf({ subscriptionId: 's2' }))).toBe('outOfScope');
    expect(await outcome(packet.received, null)).toBe('absent');
    expect((await findingOf({ packets: [packet] }, ruleOf(), {}, [{ from: packet.received + 1, rule: ruleOf() }])).outcome).toBe('absent');
  });
});

describe('a rule about silence', () => {
  const last = packetAt(at - 61_000);

  it('is about the silence once that is long enough', async () => {
    expect(await explain({ packets: [last], open: matchOf('m1', at - 5_000) }, silence)).toMatchObject({
      finding: { outcome: 'hit', basis: 'evaluatedAgain', reasons: [] },
      match: { ruleMatchId: 'm1' },
      packet: last,
      event: 'silence',
      eventAt: at,
      versionTime: at,
    });
    expect((await explain({ packets: [packetAt(at - 60_000)] }, silence)).event).toBe('packet');
    expect((await explain({ packets: [packetAt(at - 60_001)] }, silence)).event).toBe('silence');
  });

  it('repeats a match that opened more than five seconds before', async () => {
    const outcome = async (open: object | undefined) =>
      (await findingOf(open ? { packets: [last], open } : { packets: [last] }, silence)).outcome;
    expect(await outcome(matchOf('m1', at - 5_001))).toBe('repeated');
    expect(await outcome(matchOf('m1', at - 4_999))).toBe('hit');
    expect(await outcome(undefined)).toBe('hit');
  });

  it('does not count times in which no packets were taken, and says so', async () => {
    const gaps = [{ from: at - 50_000, until: at - 20_000 }];
    expect(await findingOf({ packets: [last], gaps }, silence)).toMatchObject({
      outcome: 'miss',
      reasons: [
        'Times in which the installation took no packets do not count as silence, nor does the usual time between two packets after each.',
      ],
    });
  });

  it('is about the packet where the rule is disabled, elsewhere, broken or without silence', async () => {
    const event = async (rule: WireRule) => (await explain({ packets: [last] }, rule)).event;
    expect(await event({ ...silence, enabled: false })).toBe('packet');
    expect(await event({ ...silence, subscriptionId: 's2' })).toBe('packet');
    expect(await event({ ...silence, conditions: [] })).toBe('packet');
    expect(await event(ruleOf({ ruleTypeId: ruleTypeId.history }))).toBe('packet');
  });
});

describe('a match that is explained', () => {
  const packet = packetAt(at - 61_000);
  const opened = { ruleMatchId: 'm1', correlationId: packet.packetId };

  it('is about the packet that opened it', async () => {
    const ofPacket = { [packet.packetId]: recordedAs('hit', { ruleMatchId: 'm1' }) };
    const rows: Rows = { packets: [packet, packetAt(at - 1_000)], ofPacket, matches: { m1: matchOf('m1', packet.timestamp) } };
    for (const rule of [silence, ruleOf()])
      expect(await explain(rows, rule, { opened })).toMatchObject({
        event: 'packet',
        packet,
        finding: { outcome: 'hit', basis: 'recorded' },
      });
  });

  it('is about silence where no packet opened it', async () => {
    const cause = { ruleMatchId: 'm1', correlationId: 'c1' };
    const rows: Rows = {
      packets: [packet],
      ofPacket: { c1: recordedAs('hit', { ruleMatchId: 'm1', detail: { at: at - 700, conditions: [], groups: [] } }) },
      matches: { m1: matchOf('m1', at) },
    };
    expect(await explain(rows, silence, { opened: cause })).toMatchObject({
      event: 'silence',
      eventAt: at - 700,
      match: { ruleMatchId: 'm1' },
      finding: { outcome: 'hit', basis: 'recorded' },
      versionTime: at,
    });
  });
});

describe('what only the record tells', () => {
  const correlation = ruleOf({ ruleTypeId: ruleTypeId.correlation, enabled: false });

  it('is the newest evaluation by then, with the event of the rule’s type', async () => {
    const upTo = recordedAs('miss', { ruleMatchId: 'm1' });
    const rows = { upTo, matches: { m1: matchOf('m1', at) } };
    expect(await explain(rows, correlation)).toMatchObject({
      finding: { outcome: 'miss', basis: 'recorded' },
      match: { ruleMatchId: 'm1' },
      event: 'match',
      eventAt: at - 500,
      versionTime: at,
    });
    const events = [ruleTypeId.workUnit, ruleTypeId.aggregation, ruleTypeId.history, ruleTypeId.maintenance].map(
      async (typeId) => (await explain({ upTo }, ruleOf({ ruleTypeId: typeId, enabled: false }), { entity: undefined })).event,
    );
    expect(await Promise.all(events)).toEqual(['workUnit', 'count', 'silence', 'silence']);
  });

  it('is otherwise why there is nothing', async () => {
    expect(await explain({}, correlation)).toMatchObject({
      finding: { outcome: 'disabled' },
      event: null,
      eventAt: null,
      match: undefined,
    });
    const reasons = async (typeId: number) => (await findingOf({}, ruleOf({ ruleTypeId: typeId }), { entity: undefined })).reasons;
    expect(await reasons(ruleTypeId.workUnit)).toEqual(['No change of this work unit is on record by then.']);
    expect(await reasons(ruleTypeId.aggregation)).toEqual(['Too many packets to add up again, or nobody looked at that time.']);
    expect(await reasons(ruleTypeId.ingestion)).toEqual(['Of rules of type Ingestion only what was recorded can be shown.']);
    expect(await reasons(99)).toEqual(['Of rules of type an unknown type only what was recorded can be shown.']);
    expect((await findingOf({}, null, {}, [])).outcome).toBe('notEvaluated');
    expect((await findingOf({}, null, {}, [{ from: 0, rule: null }])).outcome).toBe('absent');
  });

  it('is also told where the rule was in force and saw nothing by then', async () => {
    const unit = ruleOf({
      ruleTypeId: ruleTypeId.workUnit,
      conditions: [{ Type: 'And', LeftOperand: 100, Operator: 5, RightOperand: 'x' }],
    });
    const entity = { ...web, id: subjectOfWorkUnit(7) };
    expect(await findingOf({}, unit, { entity })).toMatchObject({
      basis: 'none',
      reasons: ['No change of this work unit is on record by then.'],
    });
    expect(await explain({ upTo: recordedAs('hit') }, unit, { entity })).toMatchObject({ finding: { outcome: 'hit' }, event: 'workUnit' });
    expect(await explain({}, { ...unit, conditions: [] }, { entity })).toMatchObject({
      finding: { outcome: 'failed', reasons: ['Condtions are required for rules.'] },
      event: null,
    });
  });

  it('is all of a rule that was deleted, by the type of its last version', async () => {
    const versions: RuleVersion[] = [
      { from: 0, rule: ruleOf({ ruleTypeId: ruleTypeId.workUnit }) },
      { from: at - 1, rule: null },
    ];
    expect(await explain({ upTo: recordedAs('hit') }, null, {}, versions)).toMatchObject({ finding: { outcome: 'hit' }, event: 'silence' });
    expect(await explain({ upTo: recordedAs('hit') }, ruleOf({ ruleTypeId: ruleTypeId.workUnit }), {}, versions)).toMatchObject({
      event: 'workUnit',
    });
  });
});

describe('a maintenance rule', () => {
  const maintenance = ruleOf({
    ruleTypeId: ruleTypeId.maintenance,
    conditions: [{ Type: 'And', LeftOperand: 31, Operator: 1, RightOperand: 'web' }],
    timeConditions: { DailyStartTime: '11:00', DailyEndTime: '13:00', TimeZoneId: 'UTC' },
  });

  it('is about the time, if it is in force and reaches the entity', async () => {
    expect(await explain({}, maintenance)).toMatchObject({ finding: { outcome: 'hit' }, event: 'time', eventAt: at, versionTime: at });
    expect((await findingOf({}, { ...maintenance, enabled: false })).outcome).toBe('disabled');
    expect((await findingOf({}, { ...maintenance, subscriptionId: 's2' })).outcome).toBe('outOfScope');
  });

  it('of an entity that is not there any more has only its record', async () => {
    expect((await findingOf({}, maintenance, { entity: undefined })).outcome).toBe('notEvaluated');
  });
});

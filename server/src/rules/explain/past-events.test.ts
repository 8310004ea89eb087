/** Which past events an explanation reads. The test supplies the record. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { describe, expect, it } from 'vitest';
import { compileRule, ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Db, Statement } from '../../db/db.ts';
import { subjectOfWorkUnit } from '../../features/work-units/subject.ts';
import type { Entity } from '../run/entity.ts';
import { ruleOf, web } from '../testing/hits.ts';
import { pastEvents } from './past-events.ts';

const at = Date.parse('2026-02-01T00:00:00.000Z');
const time = (offset: number) => new Date(at + offset).toISOString();

const deviceRow = (id: string, subscription = 's1', name = id) => ({
  device_id: id,
  tenant_id: 't1',
  subscription_id: subscription,
  name,
  enabled: true,
  tenant_enabled: true,
});

interface Rows {
  matches?: object[];
  changes?: object[];
  packets?: object[];
  devices?: ReturnType<typeof deviceRow>[];
  gaps?: object[];
  operations?: string[];
}

function dbOf({ matches = [], changes = [], packets = [], devices = [], gaps = [], operations = [] }: Rows) {
  const sent: { what: string; values: readonly unknown[] }[] = [];
  const query = ({ name, text, values = [] }: Statement): Promise<unknown[]> => {
    const note = (what: string, rows: unknown[]) => {
      sent.push({ what, values });
      return Promise.resolve(rows);
    };
    const ids = values[0] as string[];
    if (name === 'ingest-devices')
      return note(
        'devices',
        devices.filter((device) => ids.includes(device.device_id)),
      );
    if (name === 'correlate-operations')
      return note(
        'operations',
        operations.map((id) => ({ id })),
      );
    if (name === 'gaps-between') return note('gaps', gaps);
    if (text.includes('from rule_match')) return note('matches', matches);
    if (text.includes('from audit')) return note('changes', changes);
    if (text.includes('from latest_packet'))
      return note(
        'reporters',
        devices.map((device) => ({ id: device.device_id })),
      );
    if (text.includes('from packet p'))
      return note(
        'packets',
        packets.filter((packet) => ids.includes((packet as { entityId: string }).entityId) && inPeriod(packet, values)),
      );
    return Promise.resolve([]);
  };
  const inPeriod = (item: object, values: readonly unknown[]) => {
    const { timestamp } = item as { timestamp: number };
    return timestamp >= Date.parse(String(values[1])) && timestamp < Date.parse(String(values[2]));
  };
  return { db: { query } as unknown as Db, sent, of: (what: string) => sent.filter((item) => item.what === what) };
}

const match = (ruleMatchId: string, created: number, extra: object = {}) => ({
  ruleMatchId,
  ruleId: 'a',
  subjectId: 'web',
  created: at + created,
  firstMatch: at + created,
  lastMatch: at + created,
  closed: null,
  matchCount: 1,
  ...extra,
});

describe('the changes of matches that a rule reads', () => {
  const condition: Condition = { Type: 'And', LeftOperand: 80, Operator: 1, RightOperand: 'a' };
  const rule = compileRule(ruleOf({ ruleTypeId: ruleTypeId.correlation, conditions: [condition] }));
  const devices = [deviceRow('web')];

  it('are those of the rules that it names, up to the time, and none of its own', async () => {
    const matches = [
      match('m1', -5_000),
      match('m2', -4_000, { ruleId: 'r1' }),
      match('m3', -3_000, { ruleId: 'b' }),
      match('m4', 0),
      match('m5', 1),
    ];
    const { db } = dbOf({ matches, devices });
    const events = await pastEvents(db, rule, web, at);
    expect(events?.map(({ cause }) => [cause.packetId, cause.timestamp - at])).toEqual([
      ['m1', -5_000],
      ['m4', 0],
    ]);
  });

  it('count once if they are of one rule and one moment, because one job evaluates them', async () => {
    const { db } = dbOf({ matches: [match('m1', -5_000), match('m2', -5_000), match('m3', -4_000)], devices });
    expect((await pastEvents(db, rule, web, at))?.map(({ cause }) => cause.packetId)).toEqual(['m1', 'm3']);
  });

  it('are read of the device and its operations, a day and the window back', async () => {
    const { db, of } = dbOf({ devices, operations: ['o1'] });
    expect(await pastEvents(db, rule, web, at)).toEqual([]);
    const values = of('matches')[0]?.values ?? [];
    expect([values[2], values[5], values[7]]).toEqual([time(1), time(-dayMs - 300_000), ['web', 'o1']]);
  });
});

describe('the changes of a unit', () => {
  const rule = compileRule(
    ruleOf({ ruleTypeId: ruleTypeId.workUnit, conditions: [{ Type: 'And', LeftOperand: 100, Operator: 5, RightOperand: 'x' }] }),
  );

  it('are all up to the time, of a unit alone', async () => {
    const { db, of } = dbOf({ changes: [{ id: 1, at, verb: 'update', after: { workUnitId: 7, title: 'x' }, correlationId: 'c1' }] });
    const events = await pastEvents(db, rule, { ...web, id: subjectOfWorkUnit(7) }, at);
    expect(events).toMatchObject([{ cause: { packetId: 'c1', timestamp: at }, entity: { kind: 'workUnit', name: 'x' } }]);
    expect(of('changes')[0]?.values).toEqual(['t1', new Date(0).toISOString(), time(1), 0, 2_000, '7']);
    expect([await pastEvents(db, rule, web, at), of('changes').length]).toEqual([[], 1]);
  });
});

describe('the checks of sums', () => {
  const subscription: Entity = { ...web, id: 's1', kind: 'subscription', subscriptionId: 's1' };
  const member: Condition = { Type: 'And', LeftOperand: 31, Operator: 9, RightOperand: 'agg-' };
  const sum = (extra: Partial<Condition> = {}): Condition => ({
    Type: 'And',
    LeftOperand: 71,
    Operator: 6,
    RightOperand: '1',
    WindowSeconds: 60,
    ...extra,
  });
  const rule = (extra: Partial<Condition> = {}, since?: number) =>
    compileRule(
      ruleOf({ ruleTypeId: ruleTypeId.aggregation, conditions: [member, sum(extra)], ...(since === undefined ? {} : { since }) }),
    );
  const devices = [deviceRow('d1', 's1', 'agg-1'), deviceRow('d2', 's2', 'agg-2'), deviceRow('d3', 's1', 'other')];
  const packet = (entityId: string, offset: number) => ({
    entityId,
    packetId: `${entityId} ${offset}`,
    timestamp: at + offset,
    received: at + offset,
    message: {},
  });

  it('is the one at the time, with the packets of the members of the subscription', async () => {
    const packets = [packet('d1', -20_000), packet('d1', -10_000), packet('d2', -10_000), packet('d3', -10_000), packet('d1', -300_000)];
    const { db, of } = dbOf({ devices, packets });
    const events = (await pastEvents(db, rule(), subscription, at)) ?? [];
    expect(events.map(({ cause }) => cause.timestamp)).toEqual([at]);
    expect(Object.values(events[0]?.event.totals ?? {})).toMatchObject([{ count: 2 }]);
    const periods = of('packets').map((item) => [item.values[0], item.values[1], item.values[2]]);
    expect(periods).toEqual([[['d1'], time(-120_000), time(360_001)]]);
    expect(of('matches')).toEqual([]);
  });

  it('begin with the rule, a window before', async () => {
    const { db, of } = dbOf({ devices });
    await pastEvents(db, rule({}, at - 30_000), subscription, at);
    expect(of('packets')[0]?.values[1]).toBe(time(-90_000));
  });

  it('are all within the reach of a pattern, except while no packets were taken', async () => {
    const pattern: Partial<Condition> = { OccurrencePattern: { Kind: 'TimesWithin', Times: 2, Seconds: 90 } };
    const times = async (gaps: object[]) => {
      const events = (await pastEvents(dbOf({ devices, gaps }).db, rule(pattern), subscription, at)) ?? [];
      return events.map(({ cause }) => cause.timestamp - at);
    };
    const all = Array.from({ length: 19 }, (_, n) => -90_000 + n * 5_000);
    expect(await times([])).toEqual(all);
    const gap = { from: at - 50_000, until: at - 30_000 };
    expect(await times([gap])).toEqual(all.filter((item) => item < -50_000 || item >= -30_000));
    const [event] = (await pastEvents(dbOf({ devices, gaps: [gap] }).db, rule(), subscription, at)) ?? [];
    expect(event?.event.gaps).toEqual([gap]);
  });

  it('are unknown with more than a hundred thousand packets', async () => {
    const packets = (count: number) => Array.from({ length: count }, () => packet('d1', -1_000));
    expect(await pastEvents(dbOf({ devices, packets: packets(100_000) }).db, rule(), subscription, at)).toHaveLength(1);
    expect(await pastEvents(dbOf({ devices, packets: packets(100_001) }).db, rule(), subscription, at)).toBeUndefined();
  });
});

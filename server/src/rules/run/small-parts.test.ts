/** Pure parts of the rules at run time: maintenance, the matches that Correlation rules read, windows, and stale events. */
import { englishWords } from '../../platform/rule-words.ts';
import { describe, expect, it } from 'vitest';
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { countParts, counting } from './count-many.ts';
import { subjectOfWorkUnit } from '../../features/work-units/subject.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { subjectOf } from './correlate.job.ts';
import { isCorrelatedBy } from './correlated.ts';
import type { Entity } from './entity.ts';
import { maintenanceAt } from './maintenance/maintenance.ts';
import { about, indexOf, ruleOf, web } from '../testing/hits.ts';
import { clockReasons } from '../explain/clock.ts';
import { widestWindowMs } from './widest-window.ts';
import { subjectEventOf } from './work-unit-rules.ts';

describe('maintenance', () => {
  const night = ruleOf({
    ruleTypeId: ruleTypeId.maintenance,
    conditions: [about(31, 1, 'web')],
    timeConditions: { DailyStartTime: '22:00', DailyEndTime: '06:00', TimeZoneId: 'UTC' },
  });

  it('is while a rule selects the entity within its hours', () => {
    const at = (time: string, entity: Entity = web) => maintenanceAt(indexOf(night), entity, Date.parse(`2026-01-14T${time}Z`));
    expect([at('21:59:59'), at('22:00:00'), at('05:59:59'), at('06:00:00')]).toEqual([false, true, true, false]);
    expect(at('23:00:00', { ...web, device: { id: 'db', name: 'db' } })).toBe(false);
    expect(at('23:00:00', { ...web, tenantId: 't2' })).toBe(false);
    expect(maintenanceAt(indexOf(), web, 0)).toBe(false);
  });

  it('is not because of a rule that fails', () => {
    const rules = indexOf(night);
    const rule = rules.get('r1');
    if (!rule) throw new Error('The rule is missing.');
    rule.inTimeWindow = () => {
      throw new Error('No such time zone.');
    };
    expect(maintenanceAt(rules, web, 0)).toBe(false);
  });
});

describe('the rules whose matches correlation reads', () => {
  const correlation = (conditions: Condition[], extra = {}) => ruleOf({ ruleTypeId: ruleTypeId.correlation, conditions, ...extra });

  it('are those that every group names by Equals, of its tenant', () => {
    const isRead = isCorrelatedBy(
      indexOf(
        correlation([about(80, 1, 'A'), about(80, 1, 'b', { Type: 'Or' }), about(81, 6, '2')]),
        correlation([about(80, 1, 'c')], { ruleId: 'r2' }),
      ),
    );
    expect(['a', 'b', 'c', 'd'].map((ruleId) => isRead('t1', ruleId))).toEqual([true, true, true, false]);
    expect(isRead('t2', 'a')).toBe(false);
  });

  it('are all where a group names none', () => {
    const groups = [[about(81, 6, '2')], [about(80, 2, 'a')], [about(80, 1, 'a'), about(81, 6, '2', { Type: 'Or' })]];
    for (const conditions of groups) expect(isCorrelatedBy(indexOf(correlation(conditions)))('t1', 'any')).toBe(true);
    const both = indexOf(correlation([about(81, 6, '2')]), correlation([about(80, 1, 'c')], { ruleId: 'r2' }));
    expect(isCorrelatedBy(both)('t1', 'any')).toBe(true);
  });

  it('are none without such rules', () => {
    expect(isCorrelatedBy(indexOf())('t1', 'a')).toBe(false);
  });

  it('are computed again when the rules change', () => {
    const before = indexOf(correlation([about(80, 1, 'a')]));
    expect([isCorrelatedBy(before)('t1', 'a'), isCorrelatedBy(before)('t1', 'a')]).toEqual([true, true]);
    expect(isCorrelatedBy(before.withoutRule('r1'))('t1', 'a')).toBe(false);
  });
});

describe('the widest window', () => {
  it('is the longest of all conditions, and five minutes at least', () => {
    const window = (WindowSeconds: number) => about(71, 3, '1', { WindowSeconds });
    const widest = (...conditions: Condition[]) => widestWindowMs(indexOf(ruleOf({ ruleTypeId: 6, conditions })));
    expect([widest(window(60)), widest(window(60), window(600)), widest(about(71, 3, '1'))]).toEqual([300_000, 600_000, 300_000]);
  });
});

describe('what a batch adds to the sums', () => {
  const subscription = { ...web, subscriptionId: 's1' };
  const cpu = { LeftOperandFieldName: 'Cpu', WindowSeconds: 60 };
  const packet = (timestamp: number, Metrics: Record<string, number> = {}, entity: Entity = subscription) => ({
    entity,
    packet: { timestamp, message: { Metrics } },
  });
  const average = ruleOf({ ruleTypeId: 6, conditions: [about(31, 1, 'web'), about(72, 3, '1', cpu)] });

  it('is one row for each step of a condition', () => {
    const batch = [packet(1_999, { Cpu: 5 }), packet(1_000, { Cpu: 2 }), packet(500, { Cpu: 9 }), packet(2_000, { Cpu: 7 }), packet(1_500)];
    expect(countParts(indexOf(average), batch)).toMatchObject([
      { tenant_id: 't1', rule_id: 'r1', subject_id: 's1', step: 0, count: 3, sum: 16, min: 2, max: 9 },
      { step: 1, count: 1, sum: 7, min: 7, max: 7 },
    ]);
  });

  it('is each packet for a count, with or without a metric', () => {
    const count = ruleOf({ ruleTypeId: 6, conditions: [about(71, 3, '1', { WindowSeconds: 60 })] });
    expect(countParts(indexOf(count), [packet(0, { Cpu: 5 }), packet(1)])).toMatchObject([{ count: 2, sum: 0, min: 0, max: 0 }]);
  });

  it('is nothing for an entity that is not selected, of another subscription, or of none', () => {
    const others = [{ ...subscription, device: { id: 'db', name: 'db' } }, web, { ...subscription, tenantId: 't2' }];
    expect(
      countParts(
        indexOf(average),
        others.map((entity) => packet(0, { Cpu: 5 }, entity)),
      ),
    ).toEqual([]);
    const bound = { ...average, subscriptionId: 's2' };
    expect(countParts(indexOf(bound), [packet(0, { Cpu: 5 })])).toEqual([]);
    expect(countParts(indexOf(bound), [packet(0, { Cpu: 5 }, { ...subscription, subscriptionId: 's2' })])).toHaveLength(1);
  });

  it('is read back from the oldest step of the window', () => {
    const rule = indexOf(average);
    const key = rule.get('r1')?.conditions[1]?.key;
    expect(counting(rule, 120_000)).toEqual([{ rule_id: 'r1', key, first: 60 - 30 + 1 }]);
  });
});

describe('the event of a work unit', () => {
  const eventOf = (after: Record<string, unknown>) => subjectEventOf({ workUnitId: 7, tenantId: 't1', at: 5, after, correlationId: 'c1' });

  it('has the unit after the change, with its fields as text', () => {
    const after = { title: 'Broken fan', severityId: 'Sev1', stateId: 'New', publicWorkUnitId: 12 };
    const Properties = { WorkUnitId: '7', PublicWorkUnitId: '12', Title: 'Broken fan', Severity: 'Sev1', State: 'New' };
    const entity = { id: subjectOfWorkUnit(7), kind: 'workUnit', tenantId: 't1', name: 'Broken fan', enabled: true };
    const cause = { packetId: 'c1', timestamp: 5, message: { Properties } };
    expect(eventOf(after)).toEqual({ entity, cause, event: { kind: 'workUnit', entity, packet: cause, workUnit: after } });
  });

  it('names a unit without a title by its number', () => {
    const { entity, cause } = eventOf({ title: null, severityId: {} });
    const Properties = { WorkUnitId: '7', PublicWorkUnitId: null, Title: null, Severity: null, State: null };
    expect([entity.name, cause.message]).toEqual(['7', { Properties }]);
  });
});

describe('the clock of a sender', () => {
  const received = Date.parse('2026-02-01T00:00:00.000Z');
  const reasonsOf = (aheadMs: number) =>
    clockReasons({ entityId: 'web', packetId: uuidV7(received), timestamp: received + aheadMs, received, message: {} }, englishWords);

  it('is mentioned when it is more than five seconds ahead, in whole seconds', () => {
    expect(reasonsOf(5_000)).toEqual([]);
    expect([5_001, 500_500].flatMap(reasonsOf).map((item) => /\d+ s/.exec(item)?.[0])).toEqual(['5 s', '501 s']);
  });
});

describe('what correlation looks at', () => {
  it('is the device of an operation, and anything else itself', () => {
    const device = { id: 'd1', name: 'web' };
    const entities: Entity[] = [
      { ...web, id: 'o1', kind: 'operation', device },
      { ...web, id: 'd1', device },
      { id: 'b1', kind: 'block', tenantId: 't1', name: 'Power', enabled: true },
    ];
    expect(entities.map(subjectOf)).toEqual(['d1', 'd1', 'b1']);
  });
});

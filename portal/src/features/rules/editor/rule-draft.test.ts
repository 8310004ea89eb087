import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { operandTable } from '@cloudfit/contract/rules/operands.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import {
  blankCondition,
  boxesOf,
  changedFields,
  maintenanceType,
  movedCondition,
  startValues,
  valuesOf,
  wireCondition,
  withCondition,
  withOperand,
  withPattern,
  withoutCondition,
  withTenant,
  type ConditionDraft,
  type RuleValues,
} from './rule-draft.ts';
import { problemsOf, tabOf } from './rule-form-problems.ts';
import { sentenceOf } from './rule-words.ts';

const cpu: Condition = {
  Type: 'And',
  LeftOperand: 62,
  LeftOperandFieldName: 'Cpu',
  Operator: 3,
  RightOperand: '90',
  OccurrencePattern: { Kind: 'TimesInRow', Times: 3 },
};
const types = fc.array(fc.constantFrom<'And' | 'Or'>('And', 'Or'), { minLength: 1, maxLength: 8 });
const linesOf = (list: readonly ('And' | 'Or')[]) => list.map((Type) => blankCondition(Type));
const keys = (conditions: readonly ConditionDraft[]) => boxesOf(conditions).map((box) => box.map((item) => item.key));
const noPattern = () => undefined;

describe('the list of conditions', () => {
  it('keeps every other condition in its box when one goes', () => {
    fc.assert(
      fc.property(types, fc.nat(), (list, n) => {
        const conditions = linesOf(list);
        const { key } = conditions[n % conditions.length] as ConditionDraft;
        const expected = keys(conditions)
          .map((box) => box.filter((item) => item !== key))
          .filter((box) => box.length > 0);
        expect(keys(withoutCondition(conditions, key))).toEqual(expected);
      }),
    );
  });

  it('keeps the boxes as large as they are when conditions move, and moving back undoes it', () => {
    fc.assert(
      fc.property(types, fc.nat(), fc.constantFrom<1 | -1>(1, -1), (list, n, by) => {
        const conditions = linesOf(list);
        const { key } = conditions[n % conditions.length] as ConditionDraft;
        const moved = movedCondition(conditions, key, by);
        expect(boxesOf(moved).map((box) => box.length)).toEqual(boxesOf(conditions).map((box) => box.length));
        expect(moved.map((item) => item.key).toSorted()).toEqual(conditions.map((condition) => condition.key).toSorted());
        if (moved !== conditions) expect(movedCondition(moved, key, by === 1 ? -1 : 1)).toEqual(conditions);
      }),
    );
  });

  it('choosing a tenant adds its condition, another tenant changes it, clearing removes it', async () => {
    const values = valuesOf({
      ruleTypeId: 1,
      conditions: [
        { ...cpu, Type: 'Or' },
        { ...cpu, Type: 'Or' },
      ],
    });
    const chosen = withTenant(values, 'a');
    await proves('[RULE-040] adds the condition', () =>
      expect(chosen.conditions.map(({ Type, LeftOperand, Operator, RightOperand }) => [Type, LeftOperand, Operator, RightOperand])).toEqual(
        [
          ['And', 20, 1, 'a'],
          ['And', 62, 3, '90'],
          ['Or', 62, 3, '90'],
        ],
      ),
    );
    const other = withTenant(chosen, 'b');
    await proves('[RULE-040] changes the condition', () => {
      expect(other.conditions.map((condition) => condition.RightOperand)).toEqual(['b', '90', '90']);
      expect(other.conditions[0]?.key).toBe(chosen.conditions[0]?.key);
    });
    const cleared = withTenant(other, null);
    await proves('[RULE-041] removes the condition', () =>
      expect([cleared.tenantId, cleared.conditions.map((condition) => condition.LeftOperand)]).toEqual([null, [62, 62]]),
    );
  });

  it('a new rule starts with the condition of its tenant and a line to fill in', () => {
    expect(startValues('a', 's').conditions.map((condition) => condition.LeftOperand)).toEqual([20, null]);
    expect(startValues(null, null).conditions.map((condition) => condition.LeftOperand)).toEqual([null]);
  });

  it('another operand keeps what still makes sense', () => {
    const metric = withOperand(blankCondition(), 62, 'Cpu');
    expect(metric).toMatchObject({ Operator: 3, LeftOperandFieldName: 'Cpu' });
    expect(withOperand({ ...metric, RightOperand: '90' }, 72)).toMatchObject({
      Operator: 3,
      RightOperand: '90',
      LeftOperandFieldName: 'Cpu',
    });
    expect(withOperand({ ...metric, RightOperand: '90' }, 20)).toMatchObject({ Operator: 1, RightOperand: '', LeftOperandFieldName: '' });
  });
});

it('a rule that was only opened is not changed', () => {
  const rule = { name: 'x', tenantId: 'a', conditions: [cpu, { ...cpu, OccurrencePattern: { Kind: 'EveryTime' } as const }] };
  expect(changedFields(valuesOf(rule), valuesOf(rule))).toEqual([]);
  const values = valuesOf(rule);
  expect(changedFields({ ...values, conditions: withCondition(values.conditions, 1, blankCondition()) }, values)).toEqual(['conditions']);
});

it.each([
  ['TimesInRow', { Times: 3 }],
  ['TimesWithin', { Times: 3, Seconds: 300 }],
  ['EveryTimeDuring', { Seconds: 300 }],
  ['NotSeenFor', { Seconds: 300 }],
  ['Changed', {}],
] as const)('sends the numbers of the pattern %s, and a rule with it can be saved and is read back', (Kind, numbers) => {
  const line = withPattern({ ...withOperand(blankCondition(), 62, 'Cpu'), RightOperand: '90' }, Kind);
  const values = { ...valuesOf({ name: 'x', ruleTypeId: 1, tenantId: '01a1fcdb-e331-70c1-ba47-fd1610462aee' }), conditions: [line] };
  expect(wireCondition(line)['OccurrencePattern']).toEqual({ Kind, ...numbers });
  expect([...problemsOf(values, noPattern)]).toEqual([]);
  const saved = { ...cpu, RightOperand: '90', OccurrencePattern: { Kind, ...numbers } as Condition['OccurrencePattern'] };
  expect(valuesOf({ conditions: [saved] }).conditions.map(wireCondition)).toEqual([wireCondition(line)]);
});

it('every operand can be written with each of its operators, in each rule type that offers it', () => {
  const id = '01a1fcdb-e331-70c1-ba47-fd1610462aee';
  for (const operand of operandTable)
    for (const Operator of operand.operators) {
      const RightOperand = operand.lookup ? id : operand.choices ? String(operand.choices[0]?.value) : '1';
      const line = { ...withOperand(blankCondition(), operand.id, operand.needsFieldName ? 'Cpu' : undefined), Operator, RightOperand };
      for (const ruleTypeId of operand.ruleTypes) {
        const timeConditions = ruleTypeId === 5 ? { DaysOfWeek: [1], TimeZoneId: 'UTC' } : null;
        const values = { ...valuesOf({ name: 'x', tenantId: id, ruleTypeId, timeConditions }), conditions: [line] };
        expect([operand.name, Operator, ruleTypeId, ...problemsOf(values, noPattern)]).toEqual([operand.name, Operator, ruleTypeId]);
      }
      expect(operand.operators).toContain(withOperand(blankCondition(), operand.id).Operator);
    }
});

describe('what is wrong', () => {
  const valid = valuesOf({ name: 'x', ruleTypeId: 1, tenantId: '01a1fcdb-e331-70c1-ba47-fd1610462aee', conditions: [cpu] });
  const problemsWith = (change: object) => [...problemsOf({ ...valid, ...change }, noPattern)];
  const always = { DaysOfWeek: [0, 1, 2, 3, 4, 5, 6], TimeZoneId: 'America/New_York' };

  it.each([
    ['[RULE-025]', { name: ' ' }, 'name', 'Please enter a rule name'],
    ['[RULE-027]', { ruleTypeId: null }, 'ruleTypeId', 'Please select a Rule Type'],
    ['[RULE-029]', { matchLifetime: '' }, 'matchLifetime', 'Lifetime is required'],
    ['[RULE-030]', { matchLifetime: '00:04:59' }, 'matchLifetime', 'Must be at least 5 minutes.'],
    ['', { matchLifetime: 'soon' }, 'matchLifetime', 'Please enter a duration as hh:mm:ss.'],
    ['[RULE-032]', { conditions: [] }, 'conditions', 'Condtions are required for rules.'],
    [
      '[RULE-034]',
      { ruleTypeId: 5, conditions: withTenant(startValues(null, null), 'a').conditions.slice(0, 1) },
      'timeConditions',
      'Time limitations are required for Maintenance rules.',
    ],
    ['[RULE-038]', { timeConditions: { ...always, TimeZoneId: '' } }, 'timeConditions.TimeZoneId', 'A timezone is required.'],
    [
      '[RULE-045]',
      { timeConditions: { ...always, DaysOfMonth: [0] } },
      'timeConditions.DaysOfMonth',
      'Days of month are numbers from 1 to 31.',
    ],
    ['', { timeConditions: { ...always, DailyStartTime: '25:00' } }, 'timeConditions.DailyStartTime', 'Please enter a time as hh:mm.'],
    [
      '',
      { matchActions: [{ key: 1, ActionDefinitionId: '', Parameters: {} }] },
      'matchActions[0].ActionDefinitionId',
      'Please select an action.',
    ],
  ])('%s %j', (_id, change, target, message) => {
    expect(problemsWith(change)).toEqual([[target, message]]);
  });

  it('says once where a condition is not complete, and on which tab', () => {
    const line = (change: Partial<ConditionDraft>) => problemsWith({ conditions: [{ ...valid.conditions[0], ...change }] });
    expect(line({ LeftOperand: null, Operator: null, RightOperand: '' }).map(([target]) => target)).toEqual([
      'conditions[0].LeftOperand',
      'conditions[0].Operator',
    ]);
    expect(line({ LeftOperandFieldName: '' })).toEqual([['conditions[0].LeftOperandFieldName', 'Metric needs a field name.']]);
    expect(line({ OccurrencePattern: { Kind: 'TimesInRow', Times: 1 } })).toEqual([
      ['conditions[0].OccurrencePattern', 'Please complete the occurrence pattern.'],
    ]);
    expect(line({ LeftOperand: 72, WindowSeconds: 0 }).map(([target]) => target)).toContain('conditions[0].WindowSeconds');
    expect(['conditions[0].Operator', 'timeConditions', 'matchActions[1]', 'name'].map(tabOf)).toEqual([
      'conditions',
      'conditions',
      'actions',
      'details',
    ]);
  });
});

it('says and sends a right side that is read, and how far a forecast looks', () => {
  const names = { option: () => 'Northwind', action: () => 'Create work unit' };
  const RightReading = { Operand: 62, FieldName: 'Total', Factor: 0.9 };
  const used: Condition = { ...cpu, LeftOperandFieldName: 'Used', RightOperand: null, OccurrencePattern: null, RightReading };
  const full: Condition = { ...used, LeftOperand: 68, Operator: 6, RightReading: null, RightOperand: '100', AheadSeconds: 14_400 };
  const values = valuesOf({ ruleTypeId: 3, conditions: [used, { ...full, WindowSeconds: 21_600 }] });
  expect(sentenceOf(values, names)).toMatch(
    /^When Used is over 0.9 × Total and Forecast of Metric Used in 4 h from the last 6 h is at least 100\./,
  );
  expect(values.conditions.map(wireCondition)).toMatchObject([
    { RightOperand: null, RightReading },
    { RightOperand: '100', AheadSeconds: 14_400, WindowSeconds: 21_600 },
  ]);
  expect(wireCondition(values.conditions[1] as ConditionDraft)).not.toHaveProperty('RightReading');
  const typed = { ...(values.conditions[0] as ConditionDraft), RightReading: { Operand: 36, FieldName: 'max', Factor: 'a' } };
  expect(sentenceOf({ ...values, conditions: [typed] }, names)).toMatch(/^When Used is over a × Device Value max\./);
  expect(problemsOf({ ...values, conditions: [typed] }, noPattern).get('conditions[0].RightReading')).toBe('The factor must be a number.');
  // A name or another operator cannot be compared with a reading.
  expect(withOperand(typed, 31).RightReading).toBeNull();
});

it('says whether another rule matches, and what many are counted for', () => {
  const names = { option: () => 'Gateway silent', action: () => '' };
  const state = (LeftOperand: number, Operator: number): Condition => ({ Type: 'And', LeftOperand, Operator, RightOperand: 'id' });
  expect(sentenceOf(valuesOf({ ruleTypeId: 1, conditions: [cpu, state(86, 2), state(84, 1)] }), names)).toMatch(
    /^When Cpu is over 90, 3 times in a row and rule Gateway silent does not match on the parent device and rule Gateway silent matches at the same location\./,
  );
  expect(wireCondition(valuesOf({ conditions: [state(83, 2)] }).conditions[0] as ConditionDraft)).toMatchObject(state(83, 2));
  const many = valuesOf({ ruleTypeId: 6, conditions: [{ ...cpu, LeftOperand: 75, OccurrencePattern: null }] });
  expect(sentenceOf({ ...many, countBy: 'Location' }, names)).toContain('Counted for each location.');
  expect(sentenceOf({ ...many, countBy: 'Tag', countTag: 'site:' }, names)).toContain('Counted for each tag site:… ');
  expect(sentenceOf({ ...many, ruleTypeId: 1, countBy: 'Tag' }, names)).not.toContain('Counted');
});

it('looks back as far as a forecast looks ahead, unless told otherwise, and says so', () => {
  const names = { option: () => 'Northwind', action: () => 'Create work unit' };
  const full: Condition = {
    ...cpu,
    LeftOperand: 68,
    LeftOperandFieldName: 'Used',
    Operator: 6,
    RightOperand: '100',
    OccurrencePattern: null,
    AheadSeconds: 28_800,
  };
  const [condition] = valuesOf({ ruleTypeId: 3, conditions: [full] }).conditions as [ConditionDraft];
  const sentence = (condition: ConditionDraft) => sentenceOf({ ...valuesOf({ ruleTypeId: 3 }), conditions: [condition] }, names);
  expect(sentence(condition)).toMatch(/^When Forecast of Metric Used in 8 h from the last 8 h is at least 100\./);
  expect(wireCondition(condition)).toMatchObject({ AheadSeconds: 28_800, WindowSeconds: 28_800 });
  // Without a horizon, the default of the form is sent; a window is between five minutes and a day.
  expect(wireCondition({ ...condition, AheadSeconds: null })).toMatchObject({ AheadSeconds: 14_400, WindowSeconds: 14_400 });
  expect(wireCondition({ ...condition, AheadSeconds: 7 * 86_400 })).toMatchObject({ WindowSeconds: 86_400 });
  expect(wireCondition({ ...condition, AheadSeconds: 60 })).toMatchObject({ WindowSeconds: 300 });
  expect(wireCondition({ ...condition, WindowSeconds: 600 })).toMatchObject({ WindowSeconds: 600 });
});

it('says in which subscription it applies, and ends an unfinished part without a full stop', () => {
  const names = { option: () => 'Northwind', action: () => undefined, subscription: () => 'Production' };
  const sentence = (change: Partial<RuleValues>) => sentenceOf({ ...valuesOf({ ruleTypeId: 1, conditions: [cpu] }), ...change }, names);
  expect(sentence({ subscriptionId: 's1' })).toContain('. Only in the subscription Production. ');
  expect(sentence({})).not.toContain('subscription');
  const unfinished = sentence({ matchActions: [{ key: 1, ActionDefinitionId: '', Parameters: {} } as never] });
  expect(unfinished).toContain(' Then … ');
  expect(unfinished).not.toContain('….');
});

it('says above how many matches it is braked, where it is', () => {
  const names = { option: () => 'Northwind', action: () => 'Create work unit' };
  const sentence = (change: Partial<RuleValues>) => sentenceOf({ ...valuesOf({ ruleTypeId: 1, conditions: [cpu] }), ...change }, names);
  expect(sentence({ stormLimit: 20 })).toContain(
    'Above 20 new matches in a minute, or 500 of all rules of the tenant, further ones become one work unit.',
  );
  expect(sentence({ stormLimit: 600 })).toContain('Above 600 new matches in a minute, further ones become one work unit.');
  expect(sentence({ stormLimit: 20, groupBy: 'Rule' })).not.toContain('Above');
  expect(sentence({ stormLimit: 20, ruleTypeId: maintenanceType })).not.toContain('Above');
});

it('says a rule in one sentence, also half written', () => {
  const names = { option: () => 'Northwind', action: () => 'Create work unit' };
  const values = withTenant(valuesOf({ ruleTypeId: 1, conditions: [cpu] }), 'a');
  expect(sentenceOf({ ...values, matchActions: [{ key: 1, ActionDefinitionId: 'd', Parameters: {} }] }, names)).toBe(
    'When Cpu is over 90, 3 times in a row, where Tenant is Northwind. Then Create work unit. Above 100 new matches in a minute, or 500 of all rules of the tenant, further ones become one work unit. The match ends 5 min after the first hit.',
  );
  const more = { ...values, conditions: [...values.conditions, blankCondition('Or')], useSlidingExpiration: true };
  const timeConditions = { DaysOfWeek: [1, 2, 3, 4, 5], TimeZoneId: 'Europe/Berlin', DailyStartTime: '08:00', DailyEndTime: '17:00' };
  expect(sentenceOf({ ...more, timeConditions }, names)).toBe(
    'When (Cpu is over 90, 3 times in a row, where Tenant is Northwind) or …, only on Mon–Fri from 08:00 to 17:00 (Europe/Berlin). Above 100 new matches in a minute, or 500 of all rules of the tenant, further ones become one work unit. The match ends 5 min after the last hit.',
  );
  expect(sentenceOf(startValues(null, null), names)).toBe('Nothing is chosen yet.');
});

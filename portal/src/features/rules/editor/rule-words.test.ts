import { expect, it } from 'vitest';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { exactTime } from '../../../theme/times.ts';
import type { Rule } from '../use-rules.ts';
import {
  maintenanceType,
  mayReadRight,
  startValues,
  valuesOf,
  withNewKeys,
  withOperand,
  withPattern,
  blankCondition,
} from './rule-draft.ts';
import { periodText, sentenceOf } from './rule-words.ts';

const names = {
  option: (_operand: number, id: string) => (id === 'northwind' ? 'Northwind' : undefined),
  action: (id: string) => (id === 'mail' ? 'Send mail' : undefined),
  subscription: (id: string) => (id === 'east' ? 'East' : undefined),
};
const cpu: Condition = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const [from, to] = ['2026-11-21T10:00:00.000Z', '2026-12-01T00:00:00.000Z'];
const mail = { ActionDefinitionId: 'mail', Parameters: {} };

/** The sentence of a rule on the CPU, with no limit of matches. */
const sentence = (rule: Partial<Rule>): string =>
  sentenceOf({ ...valuesOf({ ruleTypeId: 1, conditions: [cpu], ...rule }), stormLimit: null }, names);
const ends = ' The match ends 5 min after the first hit.';

it('says a period in the largest unit that needs no rounding', () => {
  expect([1, 59, 60, 90, 3_600, 5_400, 86_400, 172_800, 90_000].map(periodText)).toEqual([
    '1 s',
    '59 s',
    '1 min',
    '90 s',
    '1 h',
    '90 min',
    '1 d',
    '2 d',
    '25 h',
  ]);
  expect([null, undefined, 0].map(periodText)).toEqual(['…', '…', '…']);
});

it.each([
  [{ DaysOfWeek: [1, 2, 3, 4, 5] }, 'on Mon–Fri (UTC)'],
  [{ DaysOfWeek: [0, 6, 1] }, 'on Mon, Sat, Sun (UTC)'],
  [{ DaysOfWeek: [] }, 'on … (UTC)'],
  [{ DaysOfMonth: [1, 15] }, 'on day 1, 15 of the month (UTC)'],
  [{ DaysOfMonth: [1, 0], LastDayOfMonth: true }, 'on day 1, … of the month and its last day (UTC)'],
  [{ DaysOfMonth: [], LastDayOfMonth: true }, 'on the last day of the month (UTC)'],
  [{ DailyStartTime: '08:00' }, 'from 08:00 to 24:00 (UTC)'],
  [{ DailyEndTime: '17:00' }, 'from 00:00 to 17:00 (UTC)'],
  [{ DaysOfWeek: [1], DailyStartTime: '08:00', DailyEndTime: '17:00', TimeZoneId: '' }, 'on Mon from 08:00 to 17:00 (…)'],
  [{ StartRange: from }, `after ${exactTime(from)} (UTC)`],
  [{ EndRange: to }, `before ${exactTime(to)} (UTC)`],
  [{ StartRange: from, EndRange: to }, `after ${exactTime(from)} before ${exactTime(to)} (UTC)`],
])('says when it counts: %j', (time, text) => {
  expect(sentence({ timeConditions: { TimeZoneId: 'UTC', ...time } })).toBe(`When Cpu is over 90, only ${text}.${ends}`);
});

it('says no time that leaves nothing out', () => {
  for (const time of [null, { TimeZoneId: 'UTC' }, { TimeZoneId: 'UTC', DaysOfWeek: [0, 1, 2, 3, 4, 5, 6] }])
    expect(sentence({ timeConditions: time })).toBe(`When Cpu is over 90.${ends}`);
});

it.each([
  ['TimesInRow', '3 times in a row'],
  ['TimesWithin', '3 times within 5 min'],
  ['EveryTimeDuring', 'every time for 5 min'],
  ['Changed', 'having changed'],
  ['NotSeenFor', 'not seen for 5 min'],
] as const)('says the pattern %s', (Kind, text) => {
  const line = withPattern({ ...withOperand(blankCondition(), 62, 'Cpu'), RightOperand: '90' }, Kind);
  expect(sentenceOf({ ...valuesOf({ ruleTypeId: 1 }), stormLimit: null, conditions: [line] }, names)).toBe(
    `When Cpu is over 90, ${text}.${ends}`,
  );
  const withoutNumbers = { ...line, OccurrencePattern: { Kind } };
  expect(sentenceOf({ ...valuesOf({ ruleTypeId: 1 }), stormLimit: null, conditions: [withoutNumbers] }, names)).toBe(
    `When Cpu is over 90, ${text.replace(/^3|5 min/g, '…')}${text.endsWith('5 min') ? '' : '.'}${ends}`,
  );
});

it('says how matches end, and what then happens', () => {
  expect(sentence({ useSlidingExpiration: true })).toBe('When Cpu is over 90. The match ends 5 min after the last hit.');
  expect(sentence({ expirationActions: [mail], matchLifetime: '01:30:05' })).toBe(
    'When Cpu is over 90. The match ends 5405 s after the first hit; then Send mail.',
  );
  expect(sentence({ recoveryConditions: [{ ...cpu, RightOperand: '80', Operator: 5 }] })).toContain(`${ends} It ends earlier when Cpu`);
  expect(sentence({ clearFor: '00:02:00' })).toBe(`When Cpu is over 90.${ends} It does not end before 2 min without a hit.`);
  expect(sentence({ clearFor: '00:00:00' })).toBe(`When Cpu is over 90.${ends}`);
  expect(sentence({ repeatEvery: '01:00:00' })).toBe(
    `When Cpu is over 90.${ends} While nobody works on it, mails and calls run again every 1 h.`,
  );
  expect(sentence({ acknowledgedFor: '04:00:00' })).toBe(
    `When Cpu is over 90.${ends} An acknowledgement counts for 4 h without a change or note.`,
  );
});

it('says of maintenance only what it holds back', () => {
  const rule = { ruleTypeId: maintenanceType, clearFor: '00:02:00', repeatEvery: '01:00:00', acknowledgedFor: '04:00:00' };
  expect(sentence({ ...rule, groupBy: 'Location' })).toBe('Holds back actions where Cpu is over 90.');
});

it('says which matches become one work unit', () => {
  const group = (rule: Partial<Rule>) => sentence({ groupWindow: '01:00:00', groupSummary: '00:10:00', ...rule });
  expect(group({ groupBy: 'Location' })).toBe(
    `When Cpu is over 90. Matches of the same location within 1 h of each other become one work unit: the actions run once, and a summary follows at most every 10 min.${ends}`,
  );
  expect(group({ groupBy: 'Tag', groupTag: 'site:' })).toContain('Matches of the same tag site:… within');
  expect(group({ groupBy: 'Tag', groupTag: null })).toContain('Matches of the same tag within');
});

it('puts brackets where boxes of several conditions stand beside others, the scope last', () => {
  const ofTenant: Condition = { ...cpu, LeftOperand: 20, LeftOperandFieldName: null, Operator: 1, RightOperand: 'northwind' };
  const memory = { ...cpu, LeftOperandFieldName: 'Memory' };
  expect(sentence({ conditions: [ofTenant, cpu, memory] })).toBe(
    `When Cpu is over 90 and Memory is over 90, where Tenant is Northwind.${ends}`,
  );
  expect(sentence({ conditions: [cpu, { ...memory, Type: 'Or' }, ofTenant] })).toBe(
    `When Cpu is over 90 or (Memory is over 90, where Tenant is Northwind).${ends}`,
  );
  expect(sentence({ conditions: [{ ...ofTenant, RightOperand: 'loading' }] })).toBe(`When Tenant is …${ends}`);
  expect(sentence({ conditions: [cpu, { ...cpu, RightOperand: '' }] })).toBe(`When Cpu is over 90 and Cpu is over …${ends}`);
  expect(sentence({ matchActions: [mail, { ...mail, ActionDefinitionId: 'loading' }] })).toBe(
    `When Cpu is over 90. Then Send mail and …${ends}`,
  );
  expect(sentence({ subscriptionId: 'loading' })).toBe(`When Cpu is over 90. Only in the subscription …${ends}`);
});

it('lets a reading be compared with another in rules on packets alone', () => {
  const line = withOperand(blankCondition(), 62, 'Cpu');
  expect([1, 3, 5, 6, null].map((type) => mayReadRight(line, type))).toEqual([true, true, false, false, false]);
  expect(mayReadRight({ ...line, Operator: null }, 1)).toBe(false);
  expect(mayReadRight({ ...line, LeftOperand: null }, 1)).toBe(false);
  expect(mayReadRight(withOperand(line, 20), 1)).toBe(false);
});

it('gives restored lines keys that no line has, and keeps the rest', () => {
  const before = {
    ...valuesOf({ recoveryConditions: [cpu], matchActions: [mail], expirationActions: [mail] }),
    conditions: startValues('a', null).conditions,
  };
  const after = withNewKeys(before);
  const lines = (values: typeof before) =>
    [values.conditions, values.recoveryConditions, values.matchActions, values.expirationActions].flat();
  const keys = [...lines(before), ...lines(after)].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  const withoutKeys = (values: typeof before) => lines(values).map((line) => ({ ...line, key: 0 }));
  expect(withoutKeys(after)).toEqual(withoutKeys(before));
});

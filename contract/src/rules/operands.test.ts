/** Ids of operands and operators are stored in rules, so no id may ever change its meaning. */
import { describe, expect, it } from 'vitest';
import type { Fact, RuleEvent } from './facts.ts';
import { operandId, operandOf, operandTable } from './operands.ts';
import { signOf } from './describe.ts';
import { builtWords } from './rule-words.ts';
import { operatorFormOf, operatorForms } from './operator-forms.ts';

const operators: Readonly<Record<string, readonly number[]>> = {
  state: [1, 2],
  text: [1, 2, 5, 11, 9, 10, 8, 12, 13, 14],
  number: [1, 2, 3, 6, 4, 7, 13, 14],
  choice: [1, 2, 13, 14],
  any: [1, 2, 3, 6, 4, 7, 5, 11, 9, 10, 8, 12, 13, 14],
};

const read = (id: number, event: Partial<RuleEvent>, field = ''): Fact =>
  operandOf(id)?.read?.({ entity: { id: 'e', kind: 'device', tenantId: 't' }, packet: { timestamp: 5_000, message: {} }, ...event }, field);

describe('left operands', () => {
  it.each<[number, string, string, string, string]>([
    [10, 'Entity', 'text', '12356', 'text'],
    [11, 'Entity Kind', 'select', '12356', 'choice'],
    [20, 'Tenant', 'lookup', '123456', 'choice'],
    [21, 'Subscription', 'lookup', '12356', 'choice'],
    [30, 'Device', 'lookup', '12356', 'choice'],
    [31, 'Device Name', 'text', '12356', 'text'],
    [32, 'Device Tag', 'text', '12356', 'text'],
    [33, 'Device Type', 'select', '12356', 'choice'],
    [34, 'Operating System', 'select', '12356', 'choice'],
    [35, 'Location', 'lookup', '12356', 'choice'],
    [37, 'Device Selection', 'lookup', '12356', 'state'],
    [40, 'Operation Name', 'text', '12356', 'text'],
    [41, 'Operation Label', 'text', '12356', 'text'],
    [42, 'Operation Package', 'text', '12356', 'text'],
    [50, 'Block', 'lookup', '12356', 'choice'],
    [51, 'Block Name', 'text', '12356', 'text'],
    [52, 'Block Type', 'select', '12356', 'choice'],
    [60, 'Value', 'text', '13', 'any'],
    [61, 'Property', 'text', '13', 'any'],
    [62, 'Metric', 'number', '13', 'number'],
    [63, 'State', 'text', '13', 'any'],
    [64, 'Diagnostic', 'text', '13', 'any'],
    [70, 'Seconds Since Last Packet', 'number', '13', 'number'],
    [71, 'Packet Count', 'number', '36', 'number'],
    [72, 'Average of Metric', 'number', '36', 'number'],
    [73, 'Minimum of Metric', 'number', '36', 'number'],
    [74, 'Maximum of Metric', 'number', '36', 'number'],
    [75, 'Sum of Metric', 'number', '36', 'number'],
    [80, 'Active Match of Rule', 'lookup', '26', 'choice'],
    [81, 'Match Count', 'number', '26', 'number'],
    [82, 'Distinct Entities', 'number', '26', 'number'],
    [83, 'Match of Rule on Same Device', 'lookup', '13', 'state'],
    [84, 'Match of Rule at Same Location', 'lookup', '13', 'state'],
    [85, 'Match of Rule in Same Subscription', 'lookup', '13', 'state'],
    [86, 'Match of Rule on Parent Device', 'lookup', '13', 'state'],
    [100, 'Work Unit Title', 'text', '4', 'text'],
    [101, 'Work Unit Description', 'text', '4', 'text'],
    [102, 'Work Unit Resolution', 'text', '4', 'text'],
    [103, 'Work Unit Severity', 'select', '4', 'choice'],
    [104, 'Work Unit State', 'select', '4', 'choice'],
    [105, 'Work Unit Assigned To', 'text', '4', 'text'],
    [106, 'Work Unit Assignment Group', 'text', '4', 'text'],
    [107, 'Work Unit Source', 'select', '4', 'choice'],
    [108, 'Work Unit Type', 'lookup', '4', 'choice'],
    [109, 'Work Unit Category', 'lookup', '4', 'choice'],
    [110, 'Work Unit Subcategory', 'lookup', '4', 'choice'],
    [111, 'Work Unit Protocol', 'lookup', '4', 'choice'],
    [112, 'Work Unit Effort', 'number', '4', 'number'],
    [113, 'Work Unit Reference ID', 'text', '4', 'text'],
    [114, 'Work Unit Reference URL', 'text', '4', 'text'],
    [115, 'Work Unit Stakeholder Name', 'text', '4', 'text'],
    [116, 'Work Unit Stakeholder Phone', 'text', '4', 'text'],
    [117, 'Work Unit Stakeholder Email', 'text', '4', 'text'],
    [118, 'Work Unit Satisfaction', 'select', '4', 'choice'],
    [119, 'Work Unit Spam call', 'select', '4', 'choice'],
    [120, 'Work Unit Environment', 'text', '4', 'text'],
    [121, 'Work Unit Implementer', 'text', '4', 'text'],
    [122, 'Work Unit Approver 1', 'text', '4', 'text'],
    [123, 'Work Unit Approver 2', 'text', '4', 'text'],
    [124, 'Work Unit Unanswered Since', 'text', '4', 'text'],
  ])('%i is %s', (id, name, input, ruleTypes, kind) => {
    const operand = operandOf(id);
    expect(operand).toMatchObject({ id, name, input });
    expect(operand?.ruleTypes.join('')).toBe(ruleTypes);
    expect(operand?.operators).toEqual(operators[kind]);
  });

  it('are not more than these, each with an id of its own, and those with names have ids of the table', () => {
    expect(operandTable).toHaveLength(72);
    expect(new Set(operandTable.map(({ id }) => id)).size).toBe(operandTable.length);
    expect(Object.values(operandId).filter((id) => !operandOf(id))).toEqual([]);
  });

  it('that need the name of a field are readings but Value, measures of metrics, and values of devices', () => {
    const ids = operandTable.filter((operand) => operand.needsFieldName).map((operand) => operand.id);
    expect(ids).toEqual([36, 61, 62, 63, 64, 65, 66, 67, 72, 73, 74, 75, 76, 77, 78, 79, 68, 87, 88, 89]);
    expect(operandTable.filter((operand) => operand.reading).map((operand) => operand.reading)).toEqual([
      'Value',
      'Properties',
      'Metrics',
      'States',
      'Diagnostics',
      'Metrics',
      'Metrics',
      'Metrics',
      'Metrics',
      'Metrics',
      'Metrics',
    ]);
  });

  it('offer their choices or the resource of their rows', () => {
    const choices = operandTable.filter((operand) => operand.choices).map((operand) => [operand.id, operand.choices?.length]);
    expect(choices).toEqual([
      [11, 3],
      [33, 4],
      [34, 4],
      [52, 3],
      [103, 5],
      [104, 8],
      [107, 5],
      [118, 3],
      [119, 2],
    ]);
    expect(operandTable.filter((operand) => operand.lookup).map((operand) => `${operand.id} ${operand.lookup ?? ''}`)).toEqual([
      '20 tenants',
      '21 subscriptions',
      '30 devices',
      '35 locations',
      '37 deviceSelections',
      '50 blocks',
      '80 rules',
      '83 rules',
      '84 rules',
      '85 rules',
      '86 rules',
      '108 workUnitTypes',
      '109 workUnitCategories',
      '110 workUnitSubcategories',
      '111 protocols',
    ]);
  });
});

describe('what an operand reads', () => {
  it('of who reports', () => {
    const entity: RuleEvent['entity'] = {
      id: 'e1',
      kind: 'operation',
      tenantId: 't1',
      subscriptionId: 's1',
      device: { id: 'd1', name: 'web', tags: 'a', deviceTypeId: 2, operatingSystemId: 3, locationId: 'l1' },
      operation: { name: 'backup', label: 'nightly', packageName: 'tools' },
      block: { id: 'b1', name: 'disk', blockTypeId: 1 },
    };
    const ids = [10, 11, 20, 21, 30, 31, 32, 33, 34, 35, 40, 41, 42, 50, 51, 52];
    expect(ids.map((id) => read(id, { entity }))).toEqual([
      'e1',
      'operation',
      't1',
      's1',
      'd1',
      'web',
      'a',
      2,
      3,
      'l1',
      'backup',
      'nightly',
      'tools',
      'b1',
      'disk',
      1,
    ]);
    expect([21, 30, 40, 50].map((id) => read(id, {}))).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('of a packet', () => {
    const message = {
      Value: 'v',
      Properties: { a: 'p', n: null },
      Metrics: { a: 1, b: 'no number' as never },
      States: { a: 's' },
      Diagnostics: { a: 'd', o: { x: 1 }, n: null },
    };
    const packet = { timestamp: 5_000, message };
    expect(read(60, { packet })).toBe('v');
    expect([61, 62, 63, 64].map((id) => read(id, { packet }, 'a'))).toEqual(['p', 1, 's', 'd']);
    expect([read(61, { packet }, 'n'), read(64, { packet }, 'n'), read(64, { packet }, 'o')]).toEqual([null, null, '{"x":1}']);
    expect(read(62, { packet }, 'b')).toBeUndefined();
    for (const id of [61, 62, 63, 64])
      for (const name of ['constructor', 'toString', 'missing'])
        expect([id, name, read(id, { packet }, name)]).toEqual([id, name, undefined]);
    for (const id of [60, 61, 62, 63, 64]) expect(read(id, {}, 'a')).toBeUndefined();
  });

  it('of the time since the latest packet', () => {
    expect(read(70, {})).toBeUndefined();
    expect(read(70, { previous: { timestamp: 2_000 } })).toBe(3);
    const gaps = [{ from: 2_500, until: 4_000 }];
    expect(read(70, { previous: { timestamp: 2_000 }, gaps })).toBe(1.5);
    expect(read(70, { kind: 'tick', previous: { timestamp: 2_000 }, gaps, graceMs: 500 })).toBe(1);
  });

  it('of a work unit', () => {
    const workUnit = { title: 'Disk full', effort: 5, approver2: null, description: { odd: true } };
    expect([100, 112, 123, 101, 102].map((id) => read(id, { workUnit }))).toEqual(['Disk full', 5, null, undefined, undefined]);
    expect(read(100, {})).toBeUndefined();
  });
});

describe('operators', () => {
  it.each([
    [1, 'Equals', '=', 'value'],
    [2, 'NotEquals', '≠', 'value'],
    [3, 'GreaterThan', '>', 'number'],
    [4, 'LessThan', '<', 'number'],
    [5, 'Contains', 'contains', 'value'],
    [6, 'GreaterThanOrEqual', '≥', 'number'],
    [7, 'LessThanOrEqual', '≤', 'number'],
    [8, 'Matches', 'matches', 'pattern'],
    [9, 'StartsWith', 'starts with', 'value'],
    [10, 'EndsWith', 'ends with', 'value'],
    [11, 'NotContains', 'does not contain', 'value'],
    [12, 'NotMatches', 'does not match', 'pattern'],
    [13, 'IsEmpty', 'is empty', 'none'],
    [14, 'IsNotEmpty', 'is not empty', 'none'],
  ])('%i is %s', (id, name, sign, right) => {
    expect(operatorFormOf(id)).toEqual({ id, name, right });
    expect(signOf(id, builtWords)).toBe(sign);
    expect(operatorForms).toHaveLength(14);
  });
});

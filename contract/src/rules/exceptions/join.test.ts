import { expect, it } from 'vitest';
import { builtInAction } from '../../enums.ts';
import type { Row } from '../../resource.ts';
import type { rules } from '../../resources/rules.ts';
import { joinRules } from './join.ts';

const unit = (SeverityId: string) => [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { Title: 'Hot', SeverityId } }];
const copy = (tenantId: string, value: string, more: object = {}) =>
  ({
    ruleId: `rule-${tenantId}`,
    name: `Hot of ${tenantId}`,
    enabled: true,
    ruleTypeId: 1,
    tenantId,
    subscriptionId: null,
    matchLifetime: '00:05:00',
    conditions: [
      { Type: 'And', LeftOperand: 20, Operator: 1, RightOperand: tenantId.toUpperCase() },
      { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: value },
    ],
    matchActions: unit('Sev2'),
    expirationActions: [],
    ...more,
  }) as unknown as Row<typeof rules>;

it('takes what most copies have, and carries the differences of the others', () => {
  const joined = joinRules([
    copy('t1', '95', { matchLifetime: '00:10:00' }),
    copy('t2', '90'),
    copy('t3', '90', { matchActions: unit('Sev1') }),
    copy('t4', '70', { enabled: false }),
    copy('t5', '90'),
  ]);
  if (!('rule' in joined)) throw new Error(JSON.stringify(joined));
  expect(joined.rule.conditions).toEqual([{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }]);
  expect([joined.rule.matchLifetime, joined.rule.matchActions, joined.rule.enabled]).toEqual(['00:05:00', unit('Sev2'), true]);
  const none = { isOff: false, ownValues: null, matchLifetime: null, severityId: null };
  expect(joined.differences).toEqual([
    { ...none, tenantId: 't1', ruleId: 'rule-t1', ownValues: { '62 Cpu 3': '95' }, matchLifetime: '00:10:00' },
    { ...none, tenantId: 't3', ruleId: 'rule-t3', severityId: 'Sev1' },
    { ...none, tenantId: 't4', ruleId: 'rule-t4', isOff: true },
  ]);
});

it('says which rule is no copy, and in what it differs', () => {
  const first = copy('t1', '90');
  const [tenant, cpu] = first.conditions;
  expect(joinRules([first, copy('t1', '91')])).toEqual({ ruleName: 'Hot of t1', tenantId: 't1', field: 'tenantId' });
  expect(joinRules([first, copy('t2', '91', { subscriptionId: 's' })])).toEqual({
    ruleName: 'Hot of t2',
    tenantId: 't2',
    field: 'subscriptionId',
  });
  expect(joinRules([first, copy('t2', '91', { conditions: [cpu, { ...cpu, LeftOperandFieldName: 'Memory' }] })])).toMatchObject({
    field: 'conditions',
  });
  // The condition on another tenant than its own is no condition that every copy has.
  expect(joinRules([first, copy('t2', '90', { conditions: [tenant, cpu] })])).toMatchObject({ field: 'conditions' });
  expect(joinRules([first, copy('t2', '90', { tellLate: true })])).toEqual({ ruleName: 'Hot of t2', tenantId: 't2', field: 'tellLate' });
  expect(joinRules([first, copy('t2', '90', { matchActions: [] })])).toMatchObject({ field: 'matchActions' });
});

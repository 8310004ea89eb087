/** Rules with exceptions against a slow model: for each entity, the rule is compiled with the exception that a plain search finds. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtInAction, exceptionPlaces } from '@cloudfit/contract/enums.ts';
import { compileRule, type RuleDefinition } from '@cloudfit/contract/rules/compile.ts';
import { evaluate, type RuleState } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import { byPrecedence, placeField } from '@cloudfit/contract/rules/exceptions/choose.ts';
import type { RuleEntity } from '@cloudfit/contract/rules/facts.ts';
import { constantsOf } from '@cloudfit/contract/rules/own-values.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import { randomEvents, randomHistoryRule, randomRule } from '@cloudfit/contract/rules/testing/random-rules.ts';
import type { IngestRule } from './ingest-rule.ts';
import type { Entity } from './entity.ts';
import { evaluateEvent, newProgress, remembering } from './evaluate-entity.ts';
import { compiledWithExceptions, exceptionsByTenant, withException, type StoredException } from './exceptions.ts';

const none = { tenantId: null, tenantGroupId: null, subscriptionId: null, locationId: null, tag: null, entityName: null, deviceId: null };
const targets: Record<(typeof exceptionPlaces)[number], string[]> = {
  Device: ['e1', 'E2'],
  Name: ['WEB', 'db'],
  Location: ['l1'],
  Tag: ['Prod', 'web'],
  Subscription: ['s1', 's2'],
  Tenant: ['t1', 't2'],
  Group: ['g1'],
};

const exception: fc.Arbitrary<StoredException> = fc
  .record({
    ruleExceptionId: fc.uuid(),
    appliesTo: fc.constantFrom(...exceptionPlaces),
    at: fc.nat({ max: 1 }),
    tenantId: fc.constantFrom('t1', 't1', 't2', null),
    rank: fc.integer({ min: 1, max: 2 }),
    isOff: fc.boolean(),
    value: fc.constantFrom('0', '1', '2', '4', null),
  })
  .map(({ appliesTo, at, value, tenantId, ...rest }) => {
    const target = targets[appliesTo][at % targets[appliesTo].length] ?? '';
    return {
      ...none,
      tenantId: appliesTo === 'Group' ? null : tenantId,
      [placeField[appliesTo]]: target,
      ...rest,
      appliesTo,
      // The keys are those of the rule of each run; see `fill`.
      ownValues: value === null ? null : { all: value },
      matchLifetime: null,
      severityId: null,
      tenants: appliesTo === 'Group' ? ['t1'] : null,
      since: 0,
      until: null,
    };
  });

/** The constants of the rule that can be such a number, in place of `all`. */
const fill = (rule: IngestRule, item: StoredException): StoredException => ({
  ...item,
  ownValues: item.ownValues && Object.fromEntries(constantsOf(rule.conditions).map(({ key }) => [key, item.ownValues?.['all'] ?? ''])),
});

const same = (a: string | null | undefined, b: string | null) => a?.toLowerCase() === b?.toLowerCase();

function fits(item: StoredException, { tenantId, subscriptionId, device }: RuleEntity): boolean {
  if (item.tenantId !== null && item.tenantId !== tenantId) return false;
  if (item.tenants && !item.tenants.includes(tenantId)) return false;
  const tags = (device?.tags ?? '').split(',').map((tag) => tag.trim());
  return {
    Device: same(device?.id, item.deviceId),
    Name: same(device?.name, item.entityName),
    Location: same(device?.locationId, item.locationId),
    Tag: tags.some((tag) => same(tag, item.tag)),
    Subscription: same(subscriptionId, item.subscriptionId),
    Tenant: true,
    Group: true,
  }[item.appliesTo];
}

it('evaluate each entity by the most specific exception that fits it, whatever the index leaves out', () => {
  const whole = (rule: RuleDefinition): IngestRule => ({
    lifetimeMs: 300_000,
    sliding: false,
    matchActions: [],
    expirationActions: [],
    ...rule,
  });
  fc.assert(
    fc.property(
      fc.oneof(randomRule, randomHistoryRule),
      fc.uniqueArray(exception, { maxLength: 6, selector: ({ ruleExceptionId }) => ruleExceptionId }),
      randomEvents,
      (definition, random, events) => {
        const rule = { ...whole(definition), tenantId: 't1' };
        const exceptions = random
          .map((item) => fill(rule, item))
          .filter((item) => {
            // A tenant's exception is of that tenant; without one, only tags and names are of all.
            return item.tenantId !== null || item.tenants !== null || item.appliesTo === 'Tag' || item.appliesTo === 'Name';
          });
        const isValid = exceptions.every((item) => {
          try {
            return Boolean(compileRule(withException(rule, item)));
          } catch {
            return false;
          }
        });
        fc.pre(isValid);
        const index = buildRuleIndex(
          compiledWithExceptions(exceptionsByTenant(exceptions)('t1'), (item) => [compileRule(item ? withException(rule, item) : rule)]),
        );
        const progress = new Map<string, ReturnType<typeof newProgress>>();
        const states = new Map<string, RuleState | undefined>();
        for (const event of events) {
          const entity = event.entity as Entity;
          const state = progress.get(entity.id) ?? newProgress(undefined);
          progress.set(entity.id, state);
          const [before, notesBefore] = [state.hits.length, state.notes.length];
          evaluateEvent(state, index.candidates(event, remembering(state)), entity, { packetId: '', ...event.packet }, event);
          const [best] = exceptions.filter((item) => fits(item, entity)).toSorted(byPrecedence);
          if (best?.isOff) {
            expect(state.hits).toHaveLength(before);
            continue;
          }
          const result = evaluate(compileRule(best ? withException(rule, best) : rule), event, states.get(entity.id));
          if (result.changed) states.set(entity.id, result.state);
          expect(state.notes.slice(notesBefore).filter(({ outcome }) => outcome === 'failed')).toEqual([]);
          expect(state.hits.length > before).toBe(result.outcome === 'hit');
        }
      },
    ),
    { numRuns: 300 },
  );
});

const ofDevice: StoredException = {
  ...none,
  ruleExceptionId: 'x',
  appliesTo: 'Device',
  tenantId: 't1',
  deviceId: 'e1',
  rank: 100,
  isOff: false,
  ownValues: null,
  matchLifetime: null,
  severityId: null,
  tenants: null,
  since: 0,
  until: null,
};

it('are looked at after the shortest silence of all versions, and count since their latest change', () => {
  const silent: IngestRule = {
    ruleId: 'r1',
    name: 'Silent',
    ruleTypeId: 3,
    tenantId: 't1',
    conditions: [{ Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: '600' }],
    lifetimeMs: 300_000,
    sliding: false,
    matchActions: [],
    expirationActions: [],
    since: 5,
  };
  const [constant] = constantsOf(silent.conditions);
  const after = (seconds: string): StoredException => ({ ...ofDevice, ownValues: { [constant?.key ?? '']: seconds } });
  const silenceOf = (item: StoredException) =>
    compiledWithExceptions([item], (exception) => [compileRule(exception ? withException(silent, exception) : silent)]).map(
      ({ silenceMs }) => silenceMs,
    );
  expect([silenceOf(after('60')), silenceOf(after('900')), silenceOf({ ...ofDevice, isOff: true })]).toEqual([
    [60_000],
    [600_000],
    [600_000],
  ]);
  expect([9, 3].map((since) => withException(silent, { ...ofDevice, since }).since)).toEqual([9, 5]);
});

const hot: IngestRule = {
  ruleId: 'r1',
  name: 'Hot',
  ruleTypeId: 1,
  tenantId: 't1',
  conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' }],
  lifetimeMs: 300_000,
  sliding: false,
  matchActions: [],
  expirationActions: [],
};

it('of a name are found for an operation, a device and a block of that name, though the rule itself asks for more', () => {
  const [constant] = constantsOf(hot.conditions);
  const named: StoredException = {
    ...ofDevice,
    appliesTo: 'Name',
    deviceId: null,
    entityName: 'Pump',
    ownValues: { [constant?.key ?? '']: '50' },
  };
  const index = buildRuleIndex(compiledWithExceptions([named], (item) => [compileRule(item ? withException(hot, item) : hot)]));
  const hits = (entity: Omit<RuleEntity, 'tenantId'>): number => {
    const event = { entity: { ...entity, tenantId: 't1' } as Entity, packet: { timestamp: 1_000, message: { Metrics: { Cpu: 60 } } } };
    const progress = newProgress(undefined);
    evaluateEvent(progress, index.candidates(event, []), event.entity, { packetId: '', ...event.packet }, event);
    return progress.hits.length;
  };
  const device = { id: 'd1', name: 'web' };
  expect([
    hits({ id: 'o1', kind: 'operation', operation: { label: 'pump' }, device }),
    hits({ id: 'd2', kind: 'device', device: { id: 'd2', name: 'PUMP' } }),
    hits({ id: 'b1', kind: 'block', block: { id: 'b1', name: 'Pump' } }),
    hits({ id: 'd1', kind: 'device', device }),
  ]).toEqual([1, 1, 1, 0]);
});

const limit = (value: string): Partial<StoredException> => ({ ownValues: { [constantsOf(hot.conditions)[0]?.key ?? '']: value } });
const limits = (conditions: IngestRule['conditions'] | undefined) => conditions?.map(({ RightOperand }) => RightOperand);
const compiledBy = (exceptions: readonly StoredException[]) =>
  compiledWithExceptions(exceptions, (item) => [compileRule(item ? withException(hot, item) : hot)]).map(({ rule }) =>
    limits(rule.conditions),
  );

it('of a tenant goes before that of its group, which is of the tenants of the group alone', () => {
  const wide = { ...ofDevice, deviceId: null };
  const tenant: StoredException = { ...wide, ruleExceptionId: 'a', appliesTo: 'Tenant', ...limit('70') };
  const group: StoredException = {
    ...wide,
    ruleExceptionId: 'b',
    appliesTo: 'Group',
    tenantId: null,
    tenantGroupId: 'g1',
    tenants: ['t1', 't3'],
    ...limit('80'),
  };
  expect([compiledBy([tenant, group]), compiledBy([group, tenant]), compiledBy([group])]).toEqual([[['70']], [['70']], [['80']]]);
  const of = exceptionsByTenant([tenant, group]);
  expect(['t1', 't2', 't3'].map((tenantId) => of(tenantId).map(({ appliesTo }) => appliesTo))).toEqual([
    ['Tenant', 'Group'],
    [],
    ['Group'],
  ]);
});

it('give a new version that comes into force ring by ring their values too, where it has them', () => {
  const exception = { ...ofDevice, ...limit('50'), matchLifetime: '01:00:00', severityId: 'Sev1' };
  const opens = { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev3' } };
  const changed = { conditions: [...hot.conditions], matchActions: [opens], matchLifetime: '00:10:00' };
  const next = withException({ ...hot, changed }, exception).changed;
  expect([limits(next?.conditions), next?.matchLifetime, next?.matchActions?.[0]?.Parameters]).toEqual([
    ['50'],
    '01:00:00',
    { SeverityId: 'Sev1' },
  ]);
  expect(withException({ ...hot, changed: { name: 'Warm' } }, exception).changed).toEqual({ name: 'Warm' });
  expect(withException({ ...hot, changed }, ofDevice).changed).toEqual(changed);
});

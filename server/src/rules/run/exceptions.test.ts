/** Rules with exceptions against a slow model: for each entity, the rule is compiled with the exception that a plain search finds. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exceptionPlaces } from '@cloudfit/contract/enums.ts';
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

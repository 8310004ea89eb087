/** Finds the rules that one event could concern; the work grows with those, never with all rules. */
import type { CompiledGroup, CompiledRule, GroupSelectors, Reading, RuleDefinition } from './compile.ts';
import type { RuleEvent } from './facts.ts';
import { fold } from './fold.ts';
import { keyOf } from './operators.ts';
import { operandOf, type Operand, type ReadingSource } from './operands.ts';

/** A rule in the index; `seen` is the last search that returned it, so that several ways to it count once. */
interface Entry<R extends RuleDefinition> {
  compiled: CompiledRule<R>;
  seen: number;
}

/** Rules that any packet concerns, and rules by the reading that a packet must carry. */
interface Bucket<R extends RuleDefinition> {
  always: Entry<R>[];
  readings: Map<ReadingSource, Map<string, Entry<R>[]>>;
}

/** Rules of one tenant: those bound to a value of an operand, and those open to every entity. */
interface TenantRules<R extends RuleDefinition> {
  rules: ReadonlyMap<string, CompiledRule<R>>;
  open: Bucket<R>;
  bound: { operand: Operand; buckets: Map<string, Bucket<R>> }[];
}

/** Immutable: a change gives a new index, so that a search never sees half of it. */
export interface RuleIndex<R extends RuleDefinition = RuleDefinition> {
  readonly size: number;
  /**
   * Every rule whose outcome could be a hit, or whose memory could change, for this event. Leaving
   * the others out never changes an outcome.
   */
  candidates: (event: RuleEvent) => readonly CompiledRule<R>[];
  get: (ruleId: string) => CompiledRule<R> | undefined;
  all: () => IterableIterator<CompiledRule<R>>;
  /** With this rule added or replaced; rebuilds its tenant only. */
  withRule: (rule: CompiledRule<R>) => RuleIndex<R>;
  withoutRule: (ruleId: string) => RuleIndex<R>;
}

/** Most selective first: a rule is found by the first of these that its group fixes. */
const preference = [10, 30, 50, 31, 51, 41, 40, 35, 32, 21, 42, 34, 33, 52, 11];

function newBucket<R extends RuleDefinition>(): Bucket<R> {
  return { always: [], readings: new Map() };
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function addOnce<T>(list: T[], item: T): void {
  if (list.at(-1) !== item) list.push(item);
}

function place<R extends RuleDefinition>(bucket: Bucket<R>, entry: Entry<R>, readings: readonly Reading[] | null): void {
  if (readings === null) {
    addOnce(bucket.always, entry);
    return;
  }
  for (const { source, field } of readings) {
    const byField = getOrAdd(bucket.readings, source, () => new Map<string, Entry<R>[]>());
    addOnce(
      getOrAdd(byField, field, () => []),
      entry,
    );
  }
}

/** The narrowest way to a group: an operand and its values, or none. */
function bindingOf(rule: CompiledRule, group: CompiledGroup): GroupSelectors['entity'][number] | undefined {
  const subscription = operandOf(21);
  const known =
    rule.subscriptionId !== null && subscription
      ? [...group.selectors.entity, { operand: subscription, keys: [fold(rule.subscriptionId)] }]
      : group.selectors.entity;
  let best: GroupSelectors['entity'][number] | undefined;
  for (const selector of known) {
    const rank = preference.indexOf(selector.operand.id);
    if (rank >= 0 && (!best || rank < preference.indexOf(best.operand.id))) best = selector;
  }
  return best;
}

function tenantRulesOf<R extends RuleDefinition>(rules: ReadonlyMap<string, CompiledRule<R>>): TenantRules<R> {
  const open = newBucket<R>();
  const bound = new Map<number, { operand: Operand; buckets: Map<string, Bucket<R>> }>();
  for (const compiled of rules.values()) {
    const entry: Entry<R> = { compiled, seen: 0 };
    for (const group of compiled.groups) {
      const binding = bindingOf(compiled, group);
      if (!binding) {
        place(open, entry, group.selectors.readings);
        continue;
      }
      const { buckets } = getOrAdd(bound, binding.operand.id, () => ({ operand: binding.operand, buckets: new Map<string, Bucket<R>>() }));
      for (const key of binding.keys) place(getOrAdd(buckets, key, newBucket<R>), entry, group.selectors.readings);
    }
  }
  return { rules, open, bound: [...bound.values()] };
}

let searches = 0;

function take<R extends RuleDefinition>(entries: readonly Entry<R>[] | undefined, found: CompiledRule<R>[]): void {
  if (!entries) return;
  for (let i = 0; i < entries.length; i += 1) {
    const entry = entries[i] as Entry<R>;
    if (entry.seen === searches) continue;
    entry.seen = searches;
    found.push(entry.compiled);
  }
}

function takeFrom<R extends RuleDefinition>(bucket: Bucket<R>, event: RuleEvent, found: CompiledRule<R>[]): void {
  take(bucket.always, found);
  for (const [source, byField] of bucket.readings) {
    const carried = event.packet.message[source];
    if (carried === undefined) continue;
    if (source === 'Value') take(byField.get(''), found);
    else if (typeof carried === 'object' && carried !== null) {
      const named = carried as Readonly<Record<string, unknown>>;
      for (const field in named) take(byField.get(field), found);
    }
  }
}

function bucketOf<R extends RuleDefinition>(operand: Operand, buckets: Map<string, Bucket<R>>, event: RuleEvent): Bucket<R> | undefined {
  const key = operand.read ? keyOf(operand.read(event, '')) : undefined;
  return key === undefined ? undefined : buckets.get(key);
}

function search<R extends RuleDefinition>(tenant: TenantRules<R>, event: RuleEvent): CompiledRule<R>[] {
  searches += 1;
  const found: CompiledRule<R>[] = [];
  takeFrom(tenant.open, event, found);
  for (const { operand, buckets } of tenant.bound) {
    const bucket = bucketOf(operand, buckets, event);
    if (bucket) takeFrom(bucket, event, found);
  }
  return found;
}

function indexOf<R extends RuleDefinition>(
  tenants: ReadonlyMap<string, TenantRules<R>>,
  tenantOfRule: ReadonlyMap<string, string>,
): RuleIndex<R> {
  function withRules(tenantId: string, rules: ReadonlyMap<string, CompiledRule<R>>, into: Map<string, TenantRules<R>>): void {
    if (rules.size > 0) into.set(tenantId, tenantRulesOf(rules));
    else into.delete(tenantId);
  }

  function change(ruleId: string, rule: CompiledRule<R> | undefined): RuleIndex<R> {
    const nextTenants = new Map(tenants);
    const nextOwners = new Map(tenantOfRule);
    const before = tenantOfRule.get(ruleId);
    if (before !== undefined && before !== rule?.tenantId) {
      const rest = new Map(nextTenants.get(before)?.rules);
      rest.delete(ruleId);
      withRules(before, rest, nextTenants);
      nextOwners.delete(ruleId);
    }
    if (rule) {
      withRules(rule.tenantId, new Map(nextTenants.get(rule.tenantId)?.rules).set(ruleId, rule), nextTenants);
      nextOwners.set(ruleId, rule.tenantId);
    }
    return indexOf(nextTenants, nextOwners);
  }

  return {
    size: tenantOfRule.size,
    candidates(event) {
      const tenant = tenants.get(event.entity.tenantId);
      return tenant ? search(tenant, event) : [];
    },
    *all() {
      for (const { rules } of tenants.values()) yield* rules.values();
    },
    get: (ruleId) => tenants.get(tenantOfRule.get(ruleId) ?? '')?.rules.get(ruleId),
    withRule: (rule) => change(rule.ruleId, rule),
    withoutRule: (ruleId) => (tenantOfRule.has(ruleId) ? change(ruleId, undefined) : indexOf(tenants, tenantOfRule)),
  };
}

/** Index of enabled rules; the caller leaves disabled ones out. */
export function buildRuleIndex<R extends RuleDefinition>(rules: Iterable<CompiledRule<R>>): RuleIndex<R> {
  const perTenant = new Map<string, Map<string, CompiledRule<R>>>();
  const owners = new Map<string, string>();
  for (const rule of rules) {
    getOrAdd(perTenant, rule.tenantId, () => new Map<string, CompiledRule<R>>()).set(rule.ruleId, rule);
    owners.set(rule.ruleId, rule.tenantId);
  }
  return indexOf(new Map([...perTenant].map(([id, own]) => [id, tenantRulesOf(own)])), owners);
}

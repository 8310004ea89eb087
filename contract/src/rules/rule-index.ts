/**
 * Finds the rules that one event could concern. The time grows with the number of these rules, not with the number of all
 * rules.
 */
import { countsFor } from './count-groups.ts';
import type { CompiledGroup, CompiledRule, RuleDefinition } from './compile.ts';
import type { GroupSelectors, ReadingSelector } from './group-parts.ts';
import type { RuleEvent } from './facts.ts';
import { fold } from './fold.ts';
import { keyOf } from './operators.ts';
import { operandOf, type Operand, type ReadingSource } from './operands.ts';
import { isLimit, keepsLimit, kinds as limitKinds } from './evaluate/check.ts';

/** A rule in the index. */
interface Entry<R extends RuleDefinition> {
  compiled: CompiledRule<R>;
  /** In how many lists the rule is; a search looks up only those in several. */
  places: number;
  /** The number of the latest search that returned the rule, so that a search returns it once. */
  lastSearch: number;
  /** The number of the latest search whose `remembered` contains the rule. */
  remembered: number;
}

/**
 * Rules with a condition on one reading, each with its limit for the reading. The limits are stored in arrays, so that a search
 * over thousands of rules skips those whose limit excludes the reading without loading the rules.
 */
interface LimitedRules<R extends RuleDefinition> {
  field: string;
  entries: Entry<R>[];
  kinds: number[];
  limits: number[];
  /** The rules, when each is in this list alone: a search need not load their entries to find out which it has returned. */
  alone?: CompiledRule<R>[];
}

/** Rules that any packet concerns, and rules by the reading that a packet must have. */
interface Bucket<R extends RuleDefinition> {
  always: Entry<R>[];
  readings: { source: ReadingSource; byField: Map<string, LimitedRules<R>>; fields: LimitedRules<R>[] }[];
}

/** Rules that are bound to a value of an operand, by its key. */
interface BoundRules<R extends RuleDefinition> {
  operand: Operand;
  buckets: Map<string, Bucket<R>>;
  /** The text of the latest search and what it found: events of one entity come together, and those of one tenant share much. */
  lastText: string | undefined;
  lastBucket: Bucket<R> | undefined;
}

/** Rules of one tenant: rules bound to a value of an operand, and rules for every entity. */
interface TenantRules<R extends RuleDefinition> {
  rules: ReadonlyMap<string, CompiledRule<R>>;
  entries: ReadonlyMap<string, Entry<R>>;
  open: Bucket<R>;
  bound: BoundRules<R>[];
  /** Number of the latest search. */
  searches: number;
}

/** Immutable: a change creates another index, so that a search never sees a part of a change. */
export interface RuleIndex<R extends RuleDefinition = RuleDefinition> {
  readonly size: number;
  /**
   * Every rule whose outcome could be a hit, or whose memory could change, for this event. Leaving out the others never changes
   * an outcome. `remembered`: ids of the rules that have memory of the entity or held at its last event. With `remembered` the
   * result is smaller, because the other rules need a reading within their limit.
   */
  candidates: (event: RuleEvent, remembered?: readonly string[]) => readonly CompiledRule<R>[];
  /** The rule as it is for a tenant. A rule of many tenants has an entry for each; without a tenant, any of them is returned. */
  get: (ruleId: string, tenantId?: string) => CompiledRule<R> | undefined;
  all: () => IterableIterator<CompiledRule<R>>;
  ofTenant: (tenantId: string) => Iterable<CompiledRule<R>>;
  /** Returns the index with this rule added or replaced. Rebuilds only the rules of its tenants. */
  withRule: (rule: CompiledRule<R>) => RuleIndex<R>;
  /** Returns the index with exactly these entries of a rule, one for each of its tenants. */
  withEntries: (ruleId: string, entries: readonly CompiledRule<R>[]) => RuleIndex<R>;
  withoutRule: (ruleId: string) => RuleIndex<R>;
}

/**
 * Ids of operands, the most selective first. The index files a group under the first of these operands that the group fixes to
 * a value.
 */
const preference = [10, 30, 50, 31, 51, 41, 40, 35, 32, 21, 42, 34, 33, 52, 11];

function newBucket<R extends RuleDefinition>(): Bucket<R> {
  return { always: [], readings: [] };
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function place<R extends RuleDefinition>(bucket: Bucket<R>, entry: Entry<R>, readings: readonly ReadingSelector[] | null): void {
  if (readings === null) {
    entry.places += 1;
    bucket.always.push(entry);
    return;
  }
  for (const { source, field, limit } of readings) {
    let ofSource = bucket.readings.find((some) => some.source === source);
    if (!ofSource) bucket.readings.push((ofSource = { source, byField: new Map(), fields: [] }));
    const { entries, kinds, limits } = getOrAdd(ofSource.byField, field, () => ({ field, entries: [], kinds: [], limits: [] }));
    const last = entries.length - 1;
    // Exceptions with other constants make versions of one rule: the widest limit of them finds the rule.
    if (entries[last] === entry && kinds[last] === limit.kind && isLimit(limit.kind)) {
      const isUpper = limit.kind === limitKinds.less || limit.kind === limitKinds.lessOrEqual;
      limits[last] = (isUpper ? Math.max : Math.min)(limits[last] as number, limit.number);
      continue;
    }
    entry.places += 1;
    entries.push(entry);
    kinds.push(limit.kind);
    limits.push(limit.number);
  }
}

/** Prepares a bucket that is complete for searches. */
function finish<R extends RuleDefinition>({ readings }: Bucket<R>): void {
  for (const ofSource of readings) {
    ofSource.fields = [...ofSource.byField.values()];
    for (const list of ofSource.fields)
      if (list.entries.every(({ places }) => places === 1)) list.alone = list.entries.map(({ compiled }) => compiled);
  }
}

/** The most selective operand of a group with its values, if any. */
function bindingOf(rule: CompiledRule, group: CompiledGroup): GroupSelectors['entity'][number] | undefined {
  const subscription = operandOf(21);
  const selectors =
    rule.subscriptionId !== null && subscription
      ? [...group.selectors.entity, { operand: subscription, keys: [fold(rule.subscriptionId)] }]
      : group.selectors.entity;
  let best: GroupSelectors['entity'][number] | undefined;
  for (const selector of selectors) {
    const rank = preference.indexOf(selector.operand.id);
    if (rank >= 0 && (!best || rank < preference.indexOf(best.operand.id))) best = selector;
  }
  return best;
}

function tenantRulesOf<R extends RuleDefinition>(rules: ReadonlyMap<string, CompiledRule<R>>): TenantRules<R> {
  const entries = new Map<string, Entry<R>>();
  const open = newBucket<R>();
  const bound = new Map<number, BoundRules<R>>();
  for (const compiled of rules.values()) {
    const entry: Entry<R> = { compiled, places: 0, lastSearch: 0, remembered: 0 };
    entries.set(compiled.ruleId, entry);
    for (const group of compiled.groups) {
      const binding = bindingOf(compiled, group);
      if (!binding) {
        place(open, entry, group.selectors.readings);
        continue;
      }
      const { operand } = binding;
      const { buckets } = getOrAdd(bound, operand.id, () => ({ operand, buckets: new Map(), lastText: undefined, lastBucket: undefined }));
      for (const key of binding.keys) place(getOrAdd(buckets, key, newBucket<R>), entry, group.selectors.readings);
    }
  }
  for (const bucket of [open, ...[...bound.values()].flatMap(({ buckets }) => [...buckets.values()])]) finish(bucket);
  return { rules, entries, open, bound: [...bound.values()], searches: 0 };
}

function takeOne<R extends RuleDefinition>(entry: Entry<R>, { number, candidates }: Search<R>): void {
  if (entry.lastSearch === number) return;
  entry.lastSearch = number;
  candidates.push(entry.compiled);
}

/**
 * The state of one search. `limited`: whether the limits of readings apply; `any`: whether `remembered` contains a rule of the
 * tenant.
 */
interface Search<R extends RuleDefinition> {
  number: number;
  event: RuleEvent;
  limited: boolean;
  any: boolean;
  candidates: CompiledRule<R>[];
}

function takeByReading<R extends RuleDefinition>(limited: LimitedRules<R> | undefined, value: unknown, search: Search<R>): void {
  if (!limited) return;
  const { entries, kinds, limits, alone } = limited;
  const { number, any, candidates } = search;
  const compares = search.limited && typeof value === 'number';
  if (alone !== undefined && !any) {
    for (let i = 0; i < alone.length; i += 1)
      if (!compares || keepsLimit(kinds[i] as number, limits[i] as number, value)) candidates.push(alone[i] as CompiledRule<R>);
    return;
  }
  for (let i = 0; i < entries.length; i += 1) {
    const entry = entries[i] as Entry<R>;
    if (compares && !keepsLimit(kinds[i] as number, limits[i] as number, value) && (!any || entry.remembered !== number)) continue;
    takeOne(entry, search);
  }
}

/** With few fields, asking a packet for each costs less than looking up each that the packet has. */
const fewFields = 3;

function takeFrom<R extends RuleDefinition>(bucket: Bucket<R>, search: Search<R>): void {
  for (const entry of bucket.always) takeOne(entry, search);
  for (const { source, byField, fields } of bucket.readings) {
    const carried = search.event.packet.message[source];
    if (carried === undefined) continue;
    if (source === 'Value') takeByReading(byField.get(''), carried, search);
    else if (typeof carried === 'object' && carried !== null) {
      const named = carried as Readonly<Record<string, unknown>>;
      if (fields.length > fewFields) for (const field in named) takeByReading(byField.get(field), named[field], search);
      else
        for (const list of fields) {
          const value = named[list.field];
          if (value !== undefined) takeByReading(list, value, search);
        }
    }
  }
}

function bucketOf<R extends RuleDefinition>(bound: BoundRules<R>, event: RuleEvent): Bucket<R> | undefined {
  const value = bound.operand.read?.(event, '');
  if (typeof value === 'string' && value === bound.lastText) return bound.lastBucket;
  const key = keyOf(value);
  const bucket = key === undefined ? undefined : bound.buckets.get(key);
  if (typeof value === 'string') {
    bound.lastText = value;
    bound.lastBucket = bucket;
  }
  return bucket;
}

function candidatesAmong<R extends RuleDefinition>(
  tenant: TenantRules<R>,
  event: RuleEvent,
  remembered: readonly string[] | undefined,
): CompiledRule<R>[] {
  tenant.searches += 1;
  const search: Search<R> = { number: tenant.searches, event, limited: remembered !== undefined, any: false, candidates: [] };
  for (const ruleId of remembered ?? []) {
    const entry = tenant.entries.get(ruleId);
    if (!entry) continue;
    entry.remembered = search.number;
    search.any = true;
  }
  takeFrom(tenant.open, search);
  for (const bound of tenant.bound) {
    const bucket = bucketOf(bound, event);
    if (bucket) takeFrom(bucket, search);
  }
  return search.candidates;
}

function indexOf<R extends RuleDefinition>(
  tenants: ReadonlyMap<string, TenantRules<R>>,
  tenantsOfRule: ReadonlyMap<string, readonly string[]>,
): RuleIndex<R> {
  function withRules(tenantId: string, rules: ReadonlyMap<string, CompiledRule<R>>, into: Map<string, TenantRules<R>>): void {
    if (rules.size > 0) into.set(tenantId, tenantRulesOf(rules));
    else into.delete(tenantId);
  }

  function change(ruleId: string, entries: readonly CompiledRule<R>[]): RuleIndex<R> {
    const nextTenants = new Map(tenants);
    const nextOwners = new Map(tenantsOfRule);
    const byTenant = new Map(entries.map((entry) => [entry.tenantId, entry]));
    for (const tenantId of new Set([...(tenantsOfRule.get(ruleId) ?? []), ...byTenant.keys()])) {
      const rules = new Map(nextTenants.get(tenantId)?.rules);
      const entry = byTenant.get(tenantId);
      if (entry) rules.set(ruleId, entry);
      else rules.delete(ruleId);
      withRules(tenantId, rules, nextTenants);
    }
    if (byTenant.size > 0) nextOwners.set(ruleId, [...byTenant.keys()]);
    else nextOwners.delete(ruleId);
    return indexOf(nextTenants, nextOwners);
  }

  return {
    size: tenantsOfRule.size,
    candidates(event, remembered) {
      const tenant = tenants.get(event.entity.tenantId);
      // The event of a count is about a subscription or group, while the conditions of these rules select single entities: the
      // search by entity would miss the rules.
      if (tenant && event.kind === 'count') return [...tenant.rules.values()].filter(({ rule }) => countsFor(rule, event.entity));
      return tenant ? candidatesAmong(tenant, event, remembered) : [];
    },
    *all() {
      for (const { rules } of tenants.values()) yield* rules.values();
    },
    ofTenant: (tenantId) => tenants.get(tenantId)?.rules.values() ?? [],
    get: (ruleId, tenantId = tenantsOfRule.get(ruleId)?.[0]) => tenants.get(tenantId ?? '')?.rules.get(ruleId),
    withRule: (rule) => change(rule.ruleId, [rule]),
    withEntries: change,
    withoutRule: (ruleId) => change(ruleId, []),
  };
}

/** Builds the index; the caller passes only enabled rules. */
export function buildRuleIndex<R extends RuleDefinition>(rules: Iterable<CompiledRule<R>>): RuleIndex<R> {
  const perTenant = new Map<string, Map<string, CompiledRule<R>>>();
  const owners = new Map<string, string[]>();
  for (const rule of rules) {
    getOrAdd(perTenant, rule.tenantId, () => new Map<string, CompiledRule<R>>()).set(rule.ruleId, rule);
    getOrAdd(owners, rule.ruleId, (): string[] => []).push(rule.tenantId);
  }
  return indexOf(new Map([...perTenant].map(([id, tenantRules]) => [id, tenantRulesOf(tenantRules)])), owners);
}

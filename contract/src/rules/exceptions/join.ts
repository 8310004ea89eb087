/** Joins copies of a rule, one for each tenant, into one rule of many with exceptions for what differs. Pure. */
import { builtInAction } from '../../enums.ts';
import type { Row } from '../../resource.ts';
import type { rules } from '../../resources/rules.ts';
import { constantsOf, type OwnValues } from '../own-values.ts';
import { operandId } from '../operands.ts';
import type { ActionCall, Condition } from '../schema.ts';

type StoredRuleRow = Row<typeof rules>;

/** What one tenant has otherwise. */
export interface JoinedDifference {
  tenantId: string;
  ruleId: string;
  isOff: boolean;
  ownValues: OwnValues | null;
  matchLifetime: string | null;
  severityId: string | null;
}

export interface JoinedRules {
  /** The values of the rule of many: what most of the copies have. */
  rule: Omit<StoredRuleRow, 'ruleId' | 'tenantId' | 'tenantGroupId' | 'created' | 'modified'>;
  differences: JoinedDifference[];
}

/** Why rules cannot become one: the rule that differs, and in what. */
export interface NotJoined {
  ruleName: string;
  tenantId: string | null;
  field: string;
}

/** Fields that the copies have in common, or by which they cannot be joined. */
const common = [
  'ruleTypeId',
  'useSlidingExpiration',
  'lateGrace',
  'tellLate',
  'neverReported',
  'timeConditions',
  'countBy',
  'countTag',
  'clearFor',
  'recoveryConditions',
  'expirationActions',
  'protocolId',
  'runbookId',
  'recurrence',
  'reopenHours',
  'whileMatching',
  'reopenAfter',
  'repeatEvery',
  'acknowledgedFor',
  'groupBy',
  'groupTag',
  'groupWindow',
  'groupSummary',
  'stormLimit',
] as const satisfies readonly (keyof StoredRuleRow)[];

/** The conditions without the one on the rule's tenant, which a rule of many does not have. */
const withoutTenant = ({ conditions, tenantId }: StoredRuleRow): Condition[] =>
  conditions.filter(
    ({ LeftOperand, Operator, RightOperand }) =>
      !(LeftOperand === operandId.tenant && Operator === 1 && RightOperand?.toLowerCase() === tenantId?.toLowerCase()),
  );

const isUnit = ({ ActionDefinitionId }: ActionCall) => ActionDefinitionId === builtInAction.createWorkUnit;

const severityOf = ({ matchActions }: StoredRuleRow): string | null => {
  const severity: unknown = matchActions.find(isUnit)?.Parameters['SeverityId'];
  return typeof severity === 'string' ? severity : null;
};

function withoutSeverity(calls: readonly ActionCall[]): ActionCall[] {
  return calls.map((call) => {
    if (!isUnit(call)) return call;
    const { SeverityId: _severity, TenantId: _tenant, ...Parameters } = call.Parameters;
    return { ...call, Parameters };
  });
}

function withoutConstants(conditions: readonly Condition[]): Condition[] {
  const plain = [...conditions];
  for (const { at, condition } of constantsOf(conditions)) plain[at] = { ...condition, RightOperand: '' };
  return plain;
}

/** A text that is equal for equal values, whatever the order of their keys; nulls and missing values are the same. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return `{${entries
    .map(([key, item]) => `${key}:${textOf(item)}`)
    .toSorted()
    .join()}}`;
}

/** The value that most have; of equally many, the one that comes first. */
function commonValue<T>(values: readonly T[]): T | undefined {
  const groups = [...Map.groupBy(values, (value) => value).values()];
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0];
}

const constants = (conditions: readonly Condition[]) =>
  new Map(constantsOf(conditions).map(({ key, condition }) => [key, condition.RightOperand ?? '']));

/** Joins the rules, or says which one differs in more than an exception can. */
export function joinRules(copies: readonly StoredRuleRow[]): JoinedRules | NotJoined {
  const [first] = copies;
  if (!first) throw new Error('There are no rules to join.');
  const tenants = new Set<string>();
  const shape = { conditions: textOf(withoutConstants(withoutTenant(first))), actions: textOf(withoutSeverity(first.matchActions)) };
  for (const copy of copies) {
    const differs = (field: string) => ({ ruleName: copy.name, tenantId: copy.tenantId, field });
    if (!copy.tenantId || tenants.has(copy.tenantId)) return differs('tenantId');
    tenants.add(copy.tenantId);
    if (copy.subscriptionId) return differs('subscriptionId');
    const field = common.find((name) => textOf(copy[name]) !== textOf(first[name]));
    if (field) return differs(field);
    if (textOf(withoutConstants(withoutTenant(copy))) !== shape.conditions) return differs('conditions');
    if (textOf(withoutSeverity(copy.matchActions)) !== shape.actions) return differs('matchActions');
    if ((severityOf(copy) === null) !== (severityOf(first) === null)) return differs('matchActions');
  }
  const used = copies.some(({ enabled }) => enabled) ? copies.filter(({ enabled }) => enabled) : copies;
  const base = withoutTenant(first);
  const usual = new Map(
    [...constants(base).keys()].map((key) => [key, commonValue(used.map((copy) => constants(withoutTenant(copy)).get(key) ?? '')) ?? '']),
  );
  const matchLifetime = commonValue(used.map((copy) => copy.matchLifetime)) ?? first.matchLifetime;
  const severityId = commonValue(used.map(severityOf)) ?? null;
  const conditions = [...base];
  for (const { key, at, condition } of constantsOf(base)) conditions[at] = { ...condition, RightOperand: usual.get(key) ?? '' };
  const differences = copies.flatMap((copy): JoinedDifference[] => {
    const isOff = !copy.enabled;
    const constantsOfCopy = Object.fromEntries([...constants(withoutTenant(copy))].filter(([key, value]) => usual.get(key) !== value));
    const difference = {
      tenantId: copy.tenantId ?? '',
      ruleId: copy.ruleId,
      isOff,
      ownValues: !isOff && Object.keys(constantsOfCopy).length > 0 ? constantsOfCopy : null,
      matchLifetime: !isOff && copy.matchLifetime !== matchLifetime ? copy.matchLifetime : null,
      severityId: !isOff && severityOf(copy) !== severityId ? severityOf(copy) : null,
    };
    return isOff || difference.ownValues || difference.matchLifetime || difference.severityId ? [difference] : [];
  });
  const { ruleId: _id, tenantId: _tenant, tenantGroupId: _group, created: _created, modified: _modified, ...fields } = first;
  return {
    rule: {
      ...fields,
      enabled: copies.some(({ enabled }) => enabled),
      matchLifetime,
      conditions,
      matchActions: withoutSeverity(first.matchActions).map((call) =>
        isUnit(call) && severityId !== null ? { ...call, Parameters: { ...call.Parameters, SeverityId: severityId } } : call,
      ),
    },
    differences,
  };
}

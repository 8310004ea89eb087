/** Rules with exceptions: one entry of the index for the rule and the versions that some of its entities have instead. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { secondsOf } from '@cloudfit/contract/protocols/timeline.ts';
import { compileRule, type CompiledGroup, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import {
  byPrecedence,
  exceptionChooser,
  isWide,
  placeField,
  withSeverity,
  type RuleException,
} from '@cloudfit/contract/rules/exceptions/choose.ts';
import { fold } from '@cloudfit/contract/rules/fold.ts';
import { operandId, operandOf } from '@cloudfit/contract/rules/operands.ts';
import { withOwnValues } from '@cloudfit/contract/rules/own-values.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { IngestRule } from './ingest-rule.ts';
import type { NewVersion } from './rollout.ts';

/** An exception with the time of its latest change: since then its constants count. */
export interface StoredException extends RuleException {
  /** The tenants of its group; null for one tenant, and for all. */
  tenants: readonly string[] | null;
  since: number;
  /** When it ends, in milliseconds; null if it does not. */
  until: number | null;
}

/** The statement that reads the exceptions in force of the rules `r`, as JSON. */
export const exceptionsOfRule = `(select jsonb_agg(jsonb_build_object('ruleExceptionId', e.rule_exception_id, 'appliesTo', e.applies_to, 'tenantId', e.tenant_id,
      'tenantGroupId', e.tenant_group_id, 'tenants', g.tenant_ids, 'subscriptionId', e.subscription_id, 'locationId', e.location_id, 'tag', e.tag,
      'entityName', e.entity_name, 'deviceId', e.device_id, 'rank', e.rank, 'isOff', e.is_off, 'ownValues', e.own_values,
      'matchLifetime', to_char(make_interval(secs => e.match_lifetime), 'HH24:MI:SS'), 'severityId', e.severity_id, 'since', (extract(epoch from e.modified) * 1000)::float8, 'until', (extract(epoch from e.until) * 1000)::float8))
    from rule_exception e left join tenant_group g on g.tenant_group_id = e.tenant_group_id
    where e.rule_id = r.rule_id and (e.until is null or e.until > now()))`;

/** Returns the rule with the own constants, lifetime and severity of an exception; also its new version in a roll-out. */
export function withException<R extends Omit<IngestRule, 'tenantId'> & { changed?: NewVersion | null }>(
  rule: R,
  exception: RuleException & { since?: number },
): R {
  const { ownValues, matchLifetime, severityId, since = 0 } = exception;
  const actions = (calls: readonly ActionCall[]) => [...withSeverity(calls, severityId, builtInAction.createWorkUnit)];
  const { changed } = rule;
  return {
    ...rule,
    conditions: withOwnValues(rule.conditions, ownValues),
    lifetimeMs: matchLifetime === null ? rule.lifetimeMs : secondsOf(matchLifetime) * 1_000,
    since: Math.max(rule.since ?? 0, since),
    matchActions: actions(rule.matchActions),
    ...(severityId === null ? {} : { severityId }),
    ...(changed
      ? {
          changed: {
            ...changed,
            ...(changed.conditions ? { conditions: withOwnValues(changed.conditions, ownValues) } : {}),
            ...(changed.matchActions ? { matchActions: actions(changed.matchActions) } : {}),
            ...(changed.matchLifetime !== undefined && matchLifetime !== null ? { matchLifetime } : {}),
          },
        }
      : {}),
  };
}

/** Gives each tenant the exceptions that concern it. */
export function exceptionsByTenant(exceptions: readonly StoredException[]): (tenantId: string) => readonly StoredException[] {
  const ofOne = Map.groupBy(
    exceptions.filter(({ tenantId }) => tenantId !== null),
    ({ tenantId }) => tenantId,
  );
  const ofMany = exceptions
    .filter(({ tenantId }) => tenantId === null)
    .map((exception) => ({ exception, tenants: exception.tenants && new Set(exception.tenants) }));
  return (tenantId) => {
    const others = ofMany.flatMap(({ exception, tenants }) => (!tenants || tenants.has(tenantId) ? [exception] : []));
    return [...(ofOne.get(tenantId) ?? []), ...others];
  };
}

type Compiled = CompiledRule<IngestRule>;
type VersionOrNone = Compiled | undefined;

const operands = {
  Device: [operandId.device],
  Subscription: [operandId.subscription],
  Location: [operandId.location],
  Name: [operandId.deviceName, operandId.operationLabel, operandId.blockName],
} as const;

/** The groups of a version as the index finds them: by what the exception is for. A device has many tags, so these bind nothing. */
function boundGroups(exception: RuleException, { groups }: Compiled): readonly CompiledGroup[] {
  const { appliesTo } = exception;
  if (appliesTo === 'Tag' || appliesTo === 'Tenant' || appliesTo === 'Group') return groups;
  const key = fold(String(exception[placeField[appliesTo]] ?? '').trim());
  return operands[appliesTo].flatMap((id) => {
    const operand = operandOf(id);
    return operand
      ? groups.map((group) => ({
          ...group,
          selectors: { ...group.selectors, entity: [...group.selectors.entity, { operand, keys: [key] }] },
        }))
      : groups;
  });
}

/** An exception with what it makes of the rule: nothing where the rule does not hold. */
interface VersionOfException extends StoredException {
  version: VersionOrNone;
}

/**
 * Combines a rule with the versions of its exceptions into one entry of the index, which finds the entry by each of them; `inForce` says
 * which one applies.
 */
function inExceptions(rest: VersionOrNone, versions: readonly VersionOfException[]): VersionOrNone {
  const others = versions.flatMap((exception) => (exception.version ? [{ exception, version: exception.version }] : []));
  const first = rest ?? others[0]?.version;
  if (!first) return undefined;
  const all = [...(rest ? [rest] : []), ...others.map(({ version }) => version)];
  const silences = all.map(({ silenceMs }) => silenceMs).filter((silence) => silence !== undefined);
  const choose = exceptionChooser(versions);
  return {
    ...first,
    rule: {
      ...first.rule,
      neverReported: all.some(({ rule }) => rule.neverReported),
      exceptionFor: (entity) => {
        const chosen = choose(entity);
        return chosen ? chosen.version : rest;
      },
    },
    groups: [...(rest?.groups ?? []), ...others.flatMap(({ exception, version }) => boundGroups(exception, version))],
    silenceMs: silences.length > 0 ? Math.min(...silences) : undefined,
    hasVersions: true,
  };
}

/**
 * Compiles a rule with the exceptions of one tenant. `compile` returns what an exception makes of the rule, and of the rule that stands
 * for its recovery conditions; without an exception, the rule as it is for all.
 */
export function compiledWithExceptions(
  exceptions: readonly StoredException[],
  compile: (exception: StoredException | undefined) => readonly Compiled[],
): Compiled[] {
  const compiledFor = (exception: StoredException | undefined) => (exception?.isOff ? [] : compile(exception));
  const [wide] = exceptions.filter(isWide).toSorted(byPrecedence);
  const rest = compiledFor(wide);
  const narrow = exceptions.filter((exception) => !isWide(exception));
  if (narrow.length === 0) return [...rest];
  const versions = narrow.map((exception) => ({ exception, compiled: compiledFor(exception) }));
  const ids = new Set([...rest, ...versions.flatMap(({ compiled }) => compiled)].map(({ ruleId }) => ruleId));
  const find = (compiled: readonly Compiled[], id: string) => compiled.find(({ ruleId }) => ruleId === id);
  return [...ids].flatMap(
    (id) =>
      inExceptions(
        find(rest, id),
        versions.map(({ exception, compiled }) => ({ ...exception, version: find(compiled, id) })),
      ) ?? [],
  );
}

/** Returns a rule that is tried, with exceptions of one tenant; undefined if they take it from the whole tenant. */
export function triedWithExceptions(rule: IngestRule, exceptions: readonly StoredException[]): Compiled | undefined {
  return compiledWithExceptions(exceptions, (exception) => [compileRule(exception ? withException(rule, exception) : rule)])[0];
}

/** Exceptions of rules as they were: which one held for an entity at a time, and what it made of the rule. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { exceptionChooser, isWide, withSeverity, type RuleException } from '@cloudfit/contract/rules/exceptions/choose.ts';
import { withOwnValues } from '@cloudfit/contract/rules/own-values.ts';
import type { ActionCall, Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import type { Entity } from '../run/entity.ts';
import type { StoredException } from '../run/exceptions.ts';

/** An exception, with who made it and why, from a change of it to the next one. */
export interface PastException extends RuleException {
  ruleId: string;
  reason: string;
  modifiedBy: string;
  until: string | null;
  created: string;
  modified: string;
}

/** An exception in the audit, which omits nulls. */
type Recorded = Pick<PastException, 'ruleExceptionId' | 'ruleId' | 'reason' | 'modifiedBy' | 'created' | 'modified'> &
  Partial<PastException>;

const whole = (row: Recorded): PastException => ({
  ...row,
  appliesTo: row.appliesTo ?? 'Tenant',
  tenantId: row.tenantId ?? null,
  tenantGroupId: row.tenantGroupId ?? null,
  subscriptionId: row.subscriptionId ?? null,
  locationId: row.locationId ?? null,
  tag: row.tag ?? null,
  entityName: row.entityName ?? null,
  deviceId: row.deviceId ?? null,
  rank: row.rank ?? 100,
  isOff: row.isOff ?? false,
  ownValues: row.ownValues ?? null,
  matchLifetime: row.matchLifetime ?? null,
  severityId: row.severityId ?? null,
  until: row.until ?? null,
});

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const present = `select e.rule_id as "ruleId", e.rule_exception_id as "ruleExceptionId", e.applies_to as "appliesTo", e.tenant_id as "tenantId", e.tenant_group_id as "tenantGroupId",
  e.subscription_id as "subscriptionId", e.location_id as "locationId", e.tag, e.entity_name as "entityName", e.device_id as "deviceId", e.rank, e.is_off as "isOff",
  e.own_values as "ownValues", to_char(make_interval(secs => e.match_lifetime), 'HH24:MI:SS') as "matchLifetime", e.severity_id as "severityId", e.reason,
  e.modified_by as "modifiedBy", ${iso('e.until')} as until, ${iso('e.created')} as created, ${iso('e.modified')} as modified
from rule_exception e left join tenant_group g on g.tenant_group_id = e.tenant_group_id
where (e.tenant_id = $1 or e.tenant_id is null and (e.tenant_group_id is null or g.tenant_ids ? $1::text)) and ($2::uuid is null or e.rule_id = $2)`;

interface ExceptionChange {
  id: string;
  at: string;
  before: Recorded | null;
}

/** The maximum number of changes of exceptions that are read, oldest first. */
const changesAtMost = 5_000;

const changes = `select entity_id as id, ${iso('at')} as at, before from audit a
where entity = 'ruleExceptions' and verb in ('create', 'update', 'delete') and at > $3::timestamptz and ($2::text is null or coalesce(after, before) ->> 'ruleId' = $2)
  and (tenant_id = $1 or tenant_id is null and (coalesce(after, before) ->> 'tenantGroupId' is null or exists (
    select from tenant_group g where g.tenant_group_id = (coalesce(a.after, a.before) ->> 'tenantGroupId')::uuid and g.tenant_ids ? $1::text)))
order by audit_id limit ${changesAtMost}`;

const isOver = ({ until }: PastException) => until !== null && Date.parse(until) <= Date.now();

/** The exceptions that concern a tenant, of one rule or of all: those in force, and those that have ended by themselves. */
export async function storedExceptions(
  db: Db,
  tenantId: string,
  ruleId: string | null = null,
): Promise<{ inForce: PastException[]; ended: PastException[] }> {
  const rows = await db.query<Recorded>({ name: 'exceptions-present', text: present, values: [tenantId, ruleId] });
  const { inForce = [], ended = [] } = Object.groupBy(rows.map(whole), (row) => (isOver(row) ? 'ended' : 'inForce'));
  return { inForce, ended };
}

export const exceptionsInForce = async (...of: Parameters<typeof storedExceptions>) => (await storedExceptions(...of)).inForce;

/** The exceptions in force of a saved rule at a tenant, for a draft of it. */
export async function exceptionsAt(
  db: Db,
  ruleId: string | null | undefined,
  tenantId: string,
): Promise<(StoredException & PastException)[]> {
  if (!ruleId) return [];
  const all = await exceptionsInForce(db, tenantId, ruleId);
  return all.map((row) => ({ ...row, tenants: null, since: 0, until: null }));
}

/**
 * The exceptions of a rule for a try of it at a tenant. One that takes the rule from the whole tenant is left out: there would be
 * nothing to try.
 */
export async function triedExceptions(...of: Parameters<typeof exceptionsAt>): ReturnType<typeof exceptionsAt> {
  return (await exceptionsAt(...of)).filter((row) => !(row.isOff && isWide(row)));
}

/** What one exception was, in order of time: each state until the next one; null while it was not there. */
type States = { from: number; row: PastException | null }[];

export interface ExceptionHistory {
  /** The exceptions that were in force at a time not before the history's beginning. */
  at: (time: number) => PastException[];
  /** The times at which exceptions changed or ended. */
  times: readonly number[];
}

/**
 * Reads the exceptions of a tenant since a time, of one rule or of all. Present rows are undone by what the audit has of their changes.
 * Groups of tenants are taken as they are now. `fits`: leaves out the others.
 */
export async function exceptionHistory(
  { db }: Pick<Ctx, 'db'>,
  question: { tenantId: string; ruleId: string | null; since: number },
  fits: (exception: PastException) => boolean,
): Promise<ExceptionHistory> {
  const { tenantId, ruleId, since } = question;
  const rows = await db.query<Recorded>({ name: 'exceptions-present', text: present, values: [tenantId, ruleId] });
  const changed = await db.query<ExceptionChange>({
    name: 'exceptions-changes',
    text: changes,
    values: [tenantId, ruleId, new Date(since).toISOString()],
  });
  const now = new Map(rows.map((row) => [row.ruleExceptionId, whole(row)]));
  const byId = Map.groupBy(changed, ({ id }) => id);
  const all: States[] = [];
  for (const id of new Set([...now.keys(), ...byId.keys()])) {
    const row = now.get(id) ?? null;
    const ofOne = byId.get(id) ?? [];
    const befores = [...ofOne.map(({ before }) => before && whole(before)), row];
    const first = befores[0] ? Date.parse(befores[0].created) : 0;
    const states = befores.map((state, at) => ({ from: at === 0 ? first : Date.parse(ofOne[at - 1]?.at ?? ''), row: state }));
    if (states.some((state) => state.row && fits(state.row)))
      all.push(states.map((state) => (state.row && !fits(state.row) ? { ...state, row: null } : state)));
  }
  const times = all.flatMap((states) => states.flatMap(({ from, row }) => [from, ...(row?.until ? [Date.parse(row.until)] : [])]));
  return {
    times: [...new Set(times)].toSorted((a, b) => a - b),
    at: (time) =>
      all.flatMap((states) => {
        const row = states.findLast(({ from }) => from <= time)?.row;
        return row && !(row.until && Date.parse(row.until) <= time) ? [row] : [];
      }),
  };
}

interface DeviceFacts {
  name?: string;
  tags?: string | null;
  locationId?: string | null;
  subscriptionId?: string;
}

export interface EntityHistory {
  at: (time: number) => Entity;
  times: readonly number[];
}

/** Reads what the device of an entity was since a time, as far as exceptions look at it: name, tags, location, subscription. */
export async function entityHistory({ db }: Pick<Ctx, 'db'>, entity: Entity, since: number): Promise<EntityHistory> {
  const { device } = entity;
  const rows = device
    ? await db.query<{ at: string; before: DeviceFacts | null }>({
        name: 'exceptions-device-changes',
        text: `select ${iso('at')} as at, before from audit where entity = 'devices' and entity_id = $1 and verb in ('update', 'move') and at > $2::timestamptz order by audit_id limit 500`,
        values: [device.id, new Date(since).toISOString()],
      })
    : [];
  const befores = rows.flatMap(({ at, before }) => (before ? [{ until: Date.parse(at), before }] : []));
  return {
    times: befores.map(({ until }) => until),
    at(time) {
      const then = befores.find(({ until }) => time < until)?.before;
      if (!then || !device) return entity;
      return {
        ...entity,
        subscriptionId: then.subscriptionId ?? entity.subscriptionId,
        device: { ...device, name: then.name ?? device.name, tags: then.tags ?? null, locationId: then.locationId ?? null },
      };
    },
  };
}

/** Whether an exception may have held for an entity at one of these times. */
export function fitsEver({ at, times }: EntityHistory): (exception: PastException) => boolean {
  const entities = [at(Infinity), ...times.map((time) => at(time - 1))];
  return (exception) => entities.some((entity) => exceptionChooser([exception])(entity) !== undefined);
}

interface ChangeableRule {
  enabled?: boolean;
  conditions?: Condition[];
  matchLifetime?: string;
  matchActions?: ActionCall[];
  modified?: string;
}

/** Returns a rule of the wire as an exception makes it: a rule that does not hold is disabled. */
export function underException<R extends ChangeableRule>(rule: R, exception: PastException | undefined): R {
  if (!exception) return rule;
  const { isOff, ownValues, matchLifetime, severityId, modified } = exception;
  return {
    ...rule,
    ...(isOff ? { enabled: false } : {}),
    ...(rule.conditions ? { conditions: withOwnValues(rule.conditions, ownValues) } : {}),
    ...(matchLifetime === null ? {} : { matchLifetime }),
    ...(rule.matchActions ? { matchActions: [...withSeverity(rule.matchActions, severityId, builtInAction.createWorkUnit)] } : {}),
    ...(rule.modified !== undefined && rule.modified < modified ? { modified } : {}),
  };
}

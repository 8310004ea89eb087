/** Which exception of a rule holds for an entity. Pure functions, shared by evaluation, explanations and the portal. */
import { exceptionPlaces, type ExceptionPlace } from '../../enums.ts';
import { tagsOf } from '../count-groups.ts';
import type { RuleEntity } from '../facts.ts';
import { fold } from '../fold.ts';
import type { OwnValues } from '../own-values.ts';

/** What some entities have otherwise than their rule. */
export interface RuleException {
  ruleExceptionId: string;
  appliesTo: ExceptionPlace;
  tenantId: string | null;
  tenantGroupId: string | null;
  subscriptionId: string | null;
  locationId: string | null;
  tag: string | null;
  entityName: string | null;
  deviceId: string | null;
  rank: number;
  isOff: boolean;
  ownValues: OwnValues | null;
  /** As hh:mm:ss; null: that of the rule. */
  matchLifetime: string | null;
  severityId: string | null;
}

type Precedence = Pick<RuleException, 'ruleExceptionId' | 'appliesTo' | 'tenantId' | 'tenantGroupId' | 'rank'>;

/** The fields that say for what an exception is, by the place that needs them. */
export const placeField = {
  Device: 'deviceId',
  Name: 'entityName',
  Location: 'locationId',
  Tag: 'tag',
  Subscription: 'subscriptionId',
  Tenant: 'tenantId',
  Group: 'tenantGroupId',
} as const satisfies Record<ExceptionPlace, keyof RuleException>;

const breadth = ({ tenantId, tenantGroupId }: Precedence): number => (tenantId ? 0 : tenantGroupId ? 1 : 2);

/**
 * Orders exceptions by precedence, the one that wins first: by the place, then one tenant before a group before all, then the lower
 * rank, then the older one.
 */
export function byPrecedence(a: Precedence, b: Precedence): number {
  return (
    exceptionPlaces.indexOf(a.appliesTo) - exceptionPlaces.indexOf(b.appliesTo) ||
    breadth(a) - breadth(b) ||
    a.rank - b.rank ||
    (a.ruleExceptionId < b.ruleExceptionId ? -1 : a.ruleExceptionId > b.ruleExceptionId ? 1 : 0)
  );
}

/** Whether an exception holds for all entities of its tenants. */
export const isWide = ({ appliesTo }: Pick<RuleException, 'appliesTo'>): boolean => appliesTo === 'Tenant' || appliesTo === 'Group';

/** The names by which an exception may mean the entity, the most specific first. */
export function namesOf({ operation, device, block }: RuleEntity): string[] {
  return [operation?.label, device?.name, block?.name].flatMap((name) => (name ? [fold(name.trim())] : []));
}

/**
 * Returns a function that finds the exception that holds for an entity. `exceptions`: those whose tenants include the entity's; ended
 * ones are left out by the caller. It looks up what the entity has, however many exceptions there are.
 */
export function exceptionChooser<E extends RuleException>(exceptions: readonly E[]): (entity: RuleEntity) => E | undefined {
  const ordered = exceptions.toSorted(byPrecedence);
  const byPlace = new Map<ExceptionPlace, Map<string, E>>();
  const orderOf = new Map<E, number>();
  for (const [order, exception] of ordered.entries()) {
    const { appliesTo } = exception;
    const key = isWide(exception) ? '' : fold(String(exception[placeField[appliesTo]] ?? '').trim());
    let fits = byPlace.get(appliesTo);
    if (!fits) byPlace.set(appliesTo, (fits = new Map()));
    if (!fits.has(key)) fits.set(key, exception);
    orderOf.set(exception, order);
  }
  const [devices, names, locations, tags, subscriptions] = (['Device', 'Name', 'Location', 'Tag', 'Subscription'] as const).map((place) =>
    byPlace.get(place),
  );
  const wide = byPlace.get('Tenant')?.get('') ?? byPlace.get('Group')?.get('');
  const first = (fits: ReadonlyMap<string, E> | undefined, keys: readonly string[]) =>
    keys.flatMap((key) => fits?.get(key) ?? []).toSorted((a, b) => (orderOf.get(a) ?? 0) - (orderOf.get(b) ?? 0))[0];
  const find = (entity: RuleEntity): E | undefined => {
    const { device, subscriptionId } = entity;
    return (
      (names ? first(names, namesOf(entity)) : undefined) ??
      (locations && device?.locationId ? locations.get(device.locationId) : undefined) ??
      (tags ? first(tags, tagsOf(device?.tags, '').map(fold)) : undefined) ??
      (subscriptions && subscriptionId ? subscriptions.get(subscriptionId) : undefined) ??
      wide
    );
  };
  // Each packet asks this for each rule with exceptions. To compare names and tags takes long, and an entity that has changed is another object.
  const choices = new WeakMap<RuleEntity, { exception: E | undefined }>();
  return (entity) => {
    const { device } = entity;
    const ofDevice = devices && device ? devices.get(device.id) : undefined;
    if (ofDevice || !(names ?? tags)) return ofDevice ?? find(entity);
    let before = choices.get(entity);
    if (!before) choices.set(entity, (before = { exception: find(entity) }));
    return before.exception;
  };
}

type CallValues = Readonly<Record<string, unknown>>;

/** Returns calls of actions with another severity of the work units that they open; others stay as they are. */
export function withSeverity<C extends { ActionDefinitionId: string; Parameters: CallValues }>(
  calls: readonly C[],
  severityId: string | null,
  opensUnit: string,
): readonly C[] {
  if (severityId === null) return calls;
  return calls.map((call) =>
    call.ActionDefinitionId === opensUnit ? { ...call, Parameters: { ...call.Parameters, SeverityId: severityId } } : call,
  );
}

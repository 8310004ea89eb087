/** Event subscriptions and their deliveries. The value of a secret is shown only once, when it is made. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission, type Permission } from '@cloudfit/contract/permissions.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { serviceFacts } from '@cloudfit/contract/events/services.ts';
import { unitLinks } from '@cloudfit/contract/resources/unit-links.ts';
import { eventDeliveries, eventSubscriptions, type EventEntity } from '@cloudfit/contract/resources/event-subscriptions.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { escalationFaults } from '../../auth/escalation-faults.ts';
import { hostOf, policyProblem, type SecretPolicy } from '../../auth/secret-use.ts';
import { newEventSecret, sealEventSecret } from './event-secrets.ts';
import { may, tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import { sql, type RawBuilder } from '../../db/sql.ts';
import { uuidV7 } from '../../platform/uuid-v7.ts';
import { createFromBody } from '../../resources/create.ts';
import { planList } from '../../resources/list.ts';
import { serve, servedNamed, type FieldError, type RowChange, type Served } from '../../resources/served.ts';
import { wakeSubscription } from './wake.ts';

export type EventSubscriptionRow = Row<typeof eventSubscriptions>;

/** Creates a subscription; returns the new row with its secret, which is stored encrypted. */
export async function createEventSubscription(ctx: Ctx, body: unknown): Promise<EventSubscriptionRow & { generatedSecret: string }> {
  const { secret, hint } = newEventSecret();
  const id = uuidV7();
  const columns = { event_subscription_id: id, secret_hint: hint, secret: JSON.stringify(sealEventSecret(id, secret)) };
  const row = await createFromBody(ctx, servedEventSubscriptions, body, { columns });
  return { ...row, generatedSecret: secret };
}

const viewOf: Readonly<Record<EventEntity, Permission>> = {
  workUnits: permission('WorkUnits', 'view'),
  ruleMatches: permission('Rules', 'view'),
  workUnitCommunications: permission('WorkUnitCommunications', 'view'),
};

function addressProblems(ctx: Ctx, address: string): FieldError[] {
  const target = 'address';
  if (!URL.canParse(address)) return [{ target, message: 'Address is not a valid address.' }];
  const { username, password } = new URL(address);
  if (username || password)
    return [
      { target, message: 'An address cannot contain a user name or password. Each delivery is signed: let the receiver check that.' },
    ];
  const refused = ctx.refusedCall?.(address);
  return refused === undefined ? [] : [{ target, message: refused }];
}

/** Why a list of the entity refuses the filter, by the caller's rights. */
function filterProblems(ctx: Ctx, { entity, filter }: EventSubscriptionRow): FieldError[] {
  if (!filter) return [];
  try {
    planList(ctx, servedNamed(requireResource(entity).name), queryText({ filter }));
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return [{ target: 'filter', message: error.details[0]?.message ?? error.message }];
  }
}

/** What a service needs, and the kinds of events that it has. */
function serviceFaults(row: EventSubscriptionRow): FieldError[] {
  const { place: placeRule, needsToken, signsItself } = serviceFacts[row.service];
  const errors: FieldError[] = [];
  if (row.entity !== 'workUnits') errors.push({ target: 'entity', message: `${row.service} gets work units only.` });
  if (!row.tenantId)
    errors.push({ target: 'tenantId', message: `A subscription to ${row.service} belongs to one tenant. Please choose it.` });
  if (placeRule && !placeRule.pattern.test(row.place ?? '')) errors.push({ target: 'place', message: placeRule.message });
  if (row.service === 'Teams' && row.address.includes('?'))
    errors.push({
      target: 'address',
      message: 'Store what follows ? in the address as a secret of the tenant: whoever has it can post there.',
    });
  if (needsToken && !row.tokenSecret)
    errors.push({
      target: 'tokenSecret',
      message: `Please enter the secret of the tenant in which the token of ${row.service} is stored.`,
    });
  if (signsItself && !row.signingSecret)
    errors.push({
      target: 'signingSecret',
      message: `Please enter the secret of the tenant in which the signing secret of ${row.service} is stored.`,
    });
  return errors;
}

/** The fields that say which secrets are used, and where they are sent. */
const secretFields = ['tokenSecret', 'signingSecret', 'address', 'service'] as const;

/** Whoever names a secret decides where it is sent, which needs the permission to edit the tenant. */
async function secretFaults(ctx: Ctx, { after, changed }: RowChange<EventSubscriptionRow>): Promise<FieldError[]> {
  const { tenantId, tokenSecret, signingSecret, address } = after;
  const uses = [
    { target: 'tokenSecret', name: tokenSecret, host: hostOf(address) },
    { target: 'signingSecret', name: signingSecret, host: undefined },
  ].flatMap(({ name, ...use }) => (name ? [{ ...use, name }] : []));
  if (!tenantId || uses.length === 0 || !secretFields.some((field) => changed.includes(field))) return [];
  if (ctx.actor.kind !== 'system' && !may(ctx, permission('Tenants', 'edit'), tenantId))
    return [
      { target: 'tokenSecret', message: 'Only a person who may edit the tenant may name its secrets, or change where they are sent.' },
    ];
  const policies = await ctx.db.query<SecretPolicy>({
    name: 'service-secrets',
    text: `select name, allowed_hosts as "allowedHosts", allowed_actions as "allowedActions" from tenant_secret where tenant_id = $1 and name = any($2)`,
    values: [tenantId, uses.map(({ name }) => name)],
  });
  return uses.flatMap(({ target, name, host }) => {
    const policy = policies.find((item) => item.name === name);
    if (!policy) return [{ target, message: `The tenant has no secret ${name}. Please create it on the page of the tenant first.` }];
    // A secret that checks signatures is sent nowhere.
    const problem = host === undefined ? undefined : policyProblem(policy, { actionDefinitionId: undefined, host });
    return problem === undefined ? [] : [{ target, message: problem }];
  });
}

async function faultsOf(ctx: Ctx, change: RowChange<EventSubscriptionRow>): Promise<FieldError[]> {
  const { verb, after, changed } = change;
  if (verb === 'delete') return [];
  const errors: FieldError[] =
    after.tenantId && after.tenantGroupId
      ? [{ target: 'tenantGroupId', message: 'A subscription is for a tenant or for a group of tenants. Clear one of the two.' }]
      : [];
  if (changed.includes('address')) errors.push(...addressProblems(ctx, after.address));
  if (!after.onOpened && !after.onState && !after.onChanged && !after.onNote)
    errors.push({ target: 'onOpened', message: 'Choose at least one kind of event.' });
  // Nobody learns by events what they may not view.
  if (ctx.actor.kind !== 'system') errors.push(...escalationFaults(ctx, after.tenantId ?? null, [viewOf[after.entity]], 'entity'));
  if (after.service !== 'CloudEvents') errors.push(...serviceFaults(after), ...(await secretFaults(ctx, change)));
  if (ctx.actor.kind !== 'system' && after.service !== 'CloudEvents' && after.tenantId)
    // Calls from there do what whoever makes the subscription may do.
    errors.push(...escalationFaults(ctx, after.tenantId, [permission('WorkUnits', 'edit')], 'service'));
  if (errors.length === 0 && (changed.includes('filter') || changed.includes('entity'))) errors.push(...filterProblems(ctx, after));
  return errors;
}

/** A subscription of several tenants, with its deliveries, concerns only those who see all of them. */
const seesAll = (ctx: Ctx): boolean => tenantScopeWith(ctx, [permission('Settings', 'view')]) === 'all';

export const servedEventSubscriptions: Served<typeof eventSubscriptions> = serve(eventSubscriptions, 'event_subscription', {
  rowsFor: (ctx, t): RawBuilder<boolean> | undefined => (seesAll(ctx) ? undefined : sql<boolean>`${sql.ref(`${t}.tenant_id`)} is not null`),
  // Whoever corrects a subscription lets it send again.
  fill: (_ctx, { verb, changed }) =>
    verb === 'update' && (changed.includes('address') || changed.includes('enabled'))
      ? { paused: null, problem: null, failingSince: null }
      : {},
  check: faultsOf,
  needsAfter: ({ verb }) => verb === 'update',
  after: (ctx, { after }) => wakeSubscription(ctx.db, after.eventSubscriptionId),
});

export const servedEventDeliveries: Served<typeof eventDeliveries> = serve(eventDeliveries, 'event_delivery', {
  rowsFor: (ctx, t): RawBuilder<boolean> | undefined =>
    seesAll(ctx)
      ? undefined
      : sql<boolean>`exists (select from event_subscription s where s.event_subscription_id = ${sql.ref(`${t}.event_subscription_id`)} and s.tenant_id is not null)`,
});

export const servedUnitLinks: Served<typeof unitLinks> = serve(unitLinks, 'unit_link');

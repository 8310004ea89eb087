/** Sends a stored event to a service in the form of its API. */
import { serviceCallPath, type LinkingService } from '@cloudfit/contract/events/services.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import { hostOf, policyProblem } from '../../auth/secret-use.ts';
import type { TenantSecrets } from '../../auth/tenant-secrets.ts';
import type { Ctx } from '../../context/ctx.ts';
import { isEnded } from '../../features/work-units/state.rules.ts';
import { OutboundRefused } from '../../outbound/circuit-breaker.ts';
import type { OutboundAnswer, OutboundHttp } from '../../outbound/http.ts';
import type { AckLinks } from '../../platform/ack-links.ts';
import type { SentEvent } from '../events/compose-event.ts';
import { storeLink } from './links.ts';
import { parsedJson } from './read-call.ts';
import {
  ServiceRefusal,
  textAt,
  valueAt,
  type CallService,
  type LinkState,
  type Service,
  type ServiceParts,
  type ServiceTarget,
  type ServiceNews,
} from './service.ts';
import { services } from './services.ts';

/** The settings of a subscription and the link of its unit, as they are loaded with a delivery. */
export interface ServiceDelivery {
  eventSubscriptionId: string;
  eventId: string;
  tenantId: string;
  service: LinkingService;
  name: string;
  address: string;
  place: string | null;
  itemType: string | null;
  creates: boolean;
  externalOnly: boolean;
  tokenSecret: string | null;
  deed: string;
  entityId: string;
  linkKey: string | null;
  linkName: string | null;
  linkUrl: string | null;
  linkState: string | null;
  linkAt: string | null;
  referenceId: string | null;
  referenceUrl: string | null;
  /** Whether an earlier try may have reached the service: the event was composed for it. */
  wasTried: boolean;
  /** The state of the unit now, which an event of before does not have. */
  presentState: string | null;
}

export interface ServiceEgress {
  http: OutboundHttp;
  secrets: TenantSecrets;
  ackLinks: AckLinks;
  publicUrl: string;
}

const namesText = 'select user_name as "userName", name from person where lower(user_name) = any($1)';

/** The news of an event, with the names of people rather than their addresses. */
async function newsOf({ db }: Ctx, { data, id, sequence, time }: SentEvent, { deed, presentState }: ServiceDelivery): Promise<ServiceNews> {
  const unit = data['workUnit'];
  const note = data['note'];
  const changes = (data['changes'] ?? {}) as ServiceNews['changes'];
  const people = [textAt(unit, 'modifiedBy'), textAt(unit, 'assignedTo'), textAt(note, 'createdBy')].filter((name) => name !== '');
  const rows = await db.query<{ userName: string; name: string }>({
    name: 'service-names',
    text: namesText,
    values: [people.map((name) => name.toLowerCase())],
  });
  const names = new Map(rows.map(({ userName, name }) => [userName.toLowerCase(), name]));
  const nameOf = (userName: string): string => names.get(userName.toLowerCase()) ?? userName;
  const stateId = textAt(unit, 'stateId');
  const assignee = textAt(unit, 'assignedTo');
  const [tenant] = await db.query<{ name: string }>({
    name: 'service-tenant',
    text: 'select name from tenant where tenant_id = $1',
    values: [textAt(unit, 'tenantId')],
  });
  return {
    deed: deed as ServiceNews['deed'],
    eventId: id,
    eventNumber: Number(sequence),
    occurred: new Date(time),
    workUnitId: Number(textAt(unit, 'workUnitId')),
    publicId: Number(textAt(unit, 'publicWorkUnitId')),
    title: textAt(unit, 'title'),
    description: textAt(unit, 'description'),
    resolution: textAt(unit, 'resolution'),
    stateId,
    severityId: textAt(unit, 'severityId'),
    isEnded: isEnded(stateId),
    isOver: isEnded(presentState ?? stateId),
    tenantName: tenant?.name ?? '',
    assignee: assignee === '' ? undefined : nameOf(assignee),
    by: nameOf(textAt(unit, 'modifiedBy') || textAt(unit, 'createdBy')),
    changes,
    note:
      note === undefined
        ? undefined
        : {
            id: Number(textAt(note, 'workUnitNoteId')),
            text: textAt(note, 'detail'),
            by: nameOf(textAt(note, 'createdBy')),
            isExternal: valueAt(note, 'isExternalNote') === true,
          },
    url: textAt(data, 'url'),
  };
}

/** The value of a secret of the tenant for calls to the service; its use is audited. */
async function tokenOf(ctx: Ctx, { secrets }: Pick<ServiceEgress, 'secrets'>, use: TokenUse): Promise<string> {
  const { tokenSecret: name, tenantId, address } = use;
  if (name === null) return '';
  const host = hostOf(address);
  const secret = (await secrets.latest(ctx.db, tenantId, [name])).get(name);
  if (!secret)
    throw new OutboundRefused(`The tenant has no secret ${name}, or it has no value. Please create it on the page of the tenant.`);
  const problem = policyProblem(secret, { actionDefinitionId: undefined, host });
  if (problem) throw new OutboundRefused(problem);
  await recordAudit(ctx.db, {
    actor: { kind: 'system', id: null, name: 'Automation' },
    verb: 'use',
    entity: 'tenantSecrets',
    entityId: secret.id,
    tenantId,
    after: { name, eventSubscription: use.name, host },
    correlationId: ctx.correlationId,
  });
  return secret.value;
}

/** The JSON of an answer, {} without one. */
const jsonOfAnswer = (text: string): Record<string, unknown> =>
  parsedJson(text.trimStart().startsWith('[') ? `{"items":${text}}` : text) ?? {};

type TokenUse = Pick<ServiceDelivery, 'tokenSecret' | 'tenantId' | 'address' | 'name'>;

/** Calls a service with the token of the subscription. `last` has the answer to the latest call. */
export async function openCalls(
  ctx: Ctx,
  egress: Pick<ServiceEgress, 'http' | 'secrets'>,
  service: Service,
  use: TokenUse & { eventId: string },
): Promise<{ call: CallService; last: () => OutboundAnswer | undefined }> {
  const token = await tokenOf(ctx, egress, use);
  let last: OutboundAnswer | undefined;
  let number = 0;
  const call: CallService = async ({ method, path, body }) => {
    number += 1;
    const answer = await egress.http.send({
      url: service.tokenIsQuery ? `${use.address}?${token.replace(/^\?/, '')}` : `${use.address.replace(/\/+$/, '')}${path}`,
      method,
      headers: { ...service.headers(token), ...(body ? { 'content-type': 'application/json; charset=utf-8' } : {}) },
      body: body && JSON.stringify(body),
      messageId: `${use.eventId}-${number}`,
      confined: true,
      owner: use.tenantId,
      keepsBytes: true,
    });
    last = { ...answer, body: token === '' ? answer.body : answer.body.replaceAll(token, '***') };
    if (answer.status < 200 || answer.status >= 300)
      throw new ServiceRefusal(`The receiver answered ${answer.status}.`, last, service.isFinal(answer.status));
    const json = jsonOfAnswer(answer.bytes?.toString() ?? '');
    const refusal = service.refusal?.(json);
    if (refusal) throw new ServiceRefusal(refusal.message, last, refusal.isFinal);
    return json;
  };
  return { call, last: () => last };
}

/** What a search returns; undefined where the service says that the token may not look, or does not know the call. */
async function allowed<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const status = error instanceof ServiceRefusal ? error.answer?.status : undefined;
    if (status !== undefined && status < 500 && status !== 429) return undefined;
    throw error;
  }
}

/** The ticket that the reference of the unit names, if it is one of the place of the subscription. */
function referenced(delivery: ServiceDelivery): LinkState | undefined {
  const { referenceId, referenceUrl, place } = delivery;
  if (!referenceUrl) return undefined;
  return services[delivery.service].linkOf?.({ url: referenceUrl, id: referenceId ?? '', place: place ?? '', address: delivery.address });
}

/**
 * Tells the service of an event. Returns the answer to the last call; undefined when there was nothing to tell. Throws `ServiceRefusal`
 * when the service refuses a call.
 */
export async function tellService(
  ctx: Ctx,
  egress: ServiceEgress,
  delivery: ServiceDelivery,
  stored: string,
  seal: (text: string) => string,
): Promise<OutboundAnswer | undefined> {
  const { eventSubscriptionId, tenantId, service: name, deed, entityId } = delivery;
  const { service } = services[name];
  const { call, last } = await openCalls(ctx, egress, service, delivery);
  const target: ServiceTarget = {
    eventSubscriptionId,
    name: delivery.name,
    service: name,
    address: delivery.address,
    place: delivery.place ?? '',
    itemType: delivery.itemType ?? '',
    creates: delivery.creates,
    externalOnly: delivery.externalOnly,
    callUrl: `${egress.publicUrl}${serviceCallPath(eventSubscriptionId)}`,
    seal,
    acknowledgeUrl: (workUnitId) => egress.ackLinks.url({ workUnitId, tenantId, recipient: null }),
  };
  const owner = { tenantId, eventSubscriptionId, service: name, workUnitId: Number(entityId) };
  const store = (state: LinkState) => storeLink(ctx.db, owner, state, ctx.correlationId);
  if (deed === 'test') {
    await service.test(target, { call, lookBack: () => Promise.resolve(undefined), store: () => Promise.resolve() });
    return last();
  }
  const event = JSON.parse(stored) as SentEvent;
  let link: LinkState | undefined =
    delivery.linkKey === null
      ? undefined
      : { key: delivery.linkKey, name: delivery.linkName ?? '', url: delivery.linkUrl, state: delivery.linkState, at: delivery.linkAt };
  if (!link) {
    link = referenced(delivery);
    if (link) await store(link);
  }
  const news = await newsOf(ctx, event, delivery);
  const lookBack: ServiceParts['lookBack'] = async (look) => (delivery.wasTried ? allowed(look) : undefined);
  await service.tell(news, link, target, { call, lookBack, store });
  return last();
}

/** Formats of pagers, so that what sends to one of them changes only the address: PagerDuty Events v2, the alerts of Opsgenie, Uptime Kuma. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { GiveTurn } from '../../platform/turns.ts';
import type { Format, FormatContext } from '../format.ts';
import { jsonOf, withoutNulls, type IntakeOutcome, type Payload, type SourceReading } from '../readings.ts';
import { alertReading, labelsText } from './alert.ts';

async function parsed<T>(schema: z.ZodType<T>, payload: Payload, turn: GiveTurn, what: string): Promise<T> {
  const result = schema.safeParse(withoutNulls(await jsonOf(payload, turn)));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ApiError('InvalidBody', `This is not ${what}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}

/** The first values of an object as texts, for properties. */
function flat(values: unknown, max = 50): Record<string, string> {
  if (typeof values !== 'object' || values === null) return typeof values === 'string' ? { Details: values } : {};
  return Object.fromEntries(
    Object.entries(values)
      .slice(0, max)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

const isRefusedWhole = ({ total, refused }: IntakeOutcome): boolean => total > 0 && refused === total;

const pagerDutyEvent = z.object({
  event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
  dedup_key: z.string().max(255).optional(),
  client: z.string().optional(),
  client_url: z.string().optional(),
  links: z.array(z.object({ href: z.string(), text: z.string().optional() })).optional(),
  payload: z
    .object({
      summary: z.string(),
      source: z.string(),
      severity: z.string().optional(),
      component: z.string().optional(),
      group: z.string().optional(),
      class: z.string().optional(),
      custom_details: z.unknown().optional(),
    })
    .optional(),
});

const eventStates = { trigger: 'firing', acknowledge: 'acknowledged', resolve: 'resolved' } as const;

/** The keys that were made for events without one, until their answer is written. */
const madeKeys = new WeakMap<Payload, string>();

async function readPagerDuty(payload: Payload, { turn }: FormatContext): Promise<SourceReading[]> {
  if (/\/change\/enqueue\/?$/.test(payload.path))
    throw new ApiError('InvalidBody', 'Change events are not taken here: only alerts, which are sent to /v2/enqueue.');
  const event = await parsed(pagerDutyEvent, payload, turn, 'an event of PagerDuty Events v2');
  if (event.event_action !== 'trigger' && !event.dedup_key)
    throw new ApiError('InvalidBody', `dedup_key is missing: without it nobody knows what to ${event.event_action}.`);
  if (event.event_action === 'trigger' && !event.payload) throw new ApiError('InvalidBody', 'payload is missing.');
  const key = event.dedup_key ?? randomUUID();
  madeKeys.set(payload, key);
  const { summary, source, severity, component, group, class: kind, custom_details: details } = event.payload ?? {};
  return [
    alertReading({
      state: eventStates[event.event_action],
      severity,
      title: summary ?? key,
      text: undefined,
      labels: { dedup_key: key, ...(source === undefined ? {} : { source }), ...(component === undefined ? {} : { component }) },
      links: {
        [event.client ?? 'Client']: event.client_url,
        ...Object.fromEntries((event.links ?? []).slice(0, 20).map(({ href, text }, n) => [text ?? `Link ${n + 1}`, href])),
      },
      properties: { ...flat(details), Group: group, Class: kind },
    }),
  ];
}

export const pagerDuty: Format = {
  read: readPagerDuty,
  answer: (outcome, payload) => {
    const [reason] = outcome.reasons;
    return isRefusedWhole(outcome)
      ? { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors: [reason?.message ?? ''] } }
      : { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: madeKeys.get(payload) } };
  },
  refuse: ({ status, message }) =>
    status === 400 ? { status, body: { status: 'invalid event', message: 'Event object is invalid', errors: [message] } } : undefined,
};

const opsgenieAlert = z.object({
  message: z.string(),
  alias: z.string().max(512).optional(),
  description: z.string().optional(),
  priority: z.string().optional(),
  entity: z.string().optional(),
  source: z.string().optional(),
  tags: z.array(z.string()).optional(),
  details: z.unknown().optional(),
});

const opsgenieDeeds = { close: 'resolved', acknowledge: 'acknowledged' } as const;

async function readOpsgenie(payload: Payload, { turn }: FormatContext): Promise<SourceReading[]> {
  const [, alias, deed] = /^\/v2\/alerts\/([^/]+)\/(close|acknowledge)\/?$/.exec(payload.path) ?? [];
  if (alias !== undefined && (deed === 'close' || deed === 'acknowledge')) {
    if (payload.query.get('identifierType') !== 'alias')
      throw new ApiError('InvalidBody', 'Alerts are known here by their alias: send identifierType=alias.');
    const name = decodeURIComponent(alias);
    return [alertReading({ state: opsgenieDeeds[deed], severity: undefined, title: name, text: undefined, labels: { alias: name } })];
  }
  const [, other] = /^\/v2\/(alerts\/[^/]+\/[^/]+|heartbeats\b)/.exec(payload.path) ?? [];
  if (other !== undefined)
    throw new ApiError('InvalidBody', `${other.split('/').at(-1)} is not read here: alerts are created, acknowledged and closed.`);
  const {
    message,
    alias: sentAlias,
    description,
    priority,
    entity,
    source,
    tags,
    details,
  } = await parsed(opsgenieAlert, payload, turn, 'an alert of Opsgenie');
  const labels = {
    alias: sentAlias ?? message,
    message,
    ...(entity === undefined ? {} : { entity }),
    ...(source === undefined ? {} : { source }),
  };
  return [
    alertReading({
      state: 'firing',
      // The priority that Opsgenie gives to alerts without one.
      severity: priority ?? 'P3',
      title: message,
      text: description,
      labels,
      properties: { ...flat(details), Tags: tags?.join(', ') },
    }),
  ];
}

export const opsgenie: Format = {
  read: readOpsgenie,
  answer: (outcome) => {
    const requestId = randomUUID();
    return isRefusedWhole(outcome)
      ? { status: 422, body: { message: outcome.reasons[0]?.message ?? '', took: 0, requestId } }
      : { status: 202, body: { result: 'Request will be processed', took: 0, requestId } };
  },
  refuse: ({ status, message }) => ({ status: status === 400 ? 422 : status, body: { message, took: 0, requestId: randomUUID() } }),
};

const kumaBody = z.object({
  msg: z.string().optional(),
  heartbeat: z.object({ status: z.number(), msg: z.string().nullish(), time: z.string().optional(), ping: z.number().nullish() }).nullish(),
  monitor: z
    .object({
      id: z.number(),
      name: z.string(),
      url: z.string().nullish(),
      hostname: z.string().nullish(),
      tags: z.array(z.unknown()).optional(),
    })
    .nullish(),
});

const kumaStates = ['firing', 'resolved', 'pending', 'pending'] as const;

/** What is noticed beside the state of a monitor, such as a certificate or domain that ends soon, has neither monitor nor heartbeat. */
const kumaNotice = /^\[([^\]]{1,200})\](?:\[[^\]]*\])? (?!.*\bTesting$)(.+)$/s;

/** A notification of Uptime Kuma; that of its button "Test" has no monitor, and says nothing that could be stored. */
async function readKuma(payload: Payload, { turn }: FormatContext): Promise<SourceReading[]> {
  const { msg, heartbeat, monitor } = await parsed(kumaBody, payload, turn, 'a notification of Uptime Kuma');
  if (!heartbeat || !monitor) {
    const [, name, notice = ''] = kumaNotice.exec(msg ?? '') ?? [];
    if (name === undefined || msg === undefined) return [];
    const about = /\b(?:certificate|domain)\b/i.exec(notice)?.[0].toLowerCase() ?? 'notice';
    // Below zero once it has ended.
    const days = /\bin (-?\d+) days?\b/.exec(notice)?.[1];
    const labels = { monitor: `${name} ${about}`, device: name };
    const metrics = days === undefined ? {} : { metrics: { 'Days left': Number(days) } };
    return [alertReading({ state: 'firing', severity: 'warning', title: msg, text: msg, labels, ...metrics })];
  }
  const labels = { monitor: monitor.name, monitor_id: String(monitor.id) };
  return [
    alertReading({
      state: kumaStates[heartbeat.status] ?? 'pending',
      severity: 'critical',
      title: `${monitor.name}: ${heartbeat.msg || msg || labelsText(labels)}`,
      text: msg,
      labels,
      links: { Monitor: monitor.url?.startsWith('http') ? monitor.url : undefined },
      properties: { Host: monitor.hostname },
      ...(typeof heartbeat.ping === 'number' ? { metrics: { Ping: heartbeat.ping } } : {}),
    }),
  ];
}

export const uptimeKuma: Format = { read: readKuma };

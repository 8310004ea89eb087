/** The webhooks of Prometheus Alertmanager (version 4 of its body) and of Grafana alerting, which adds fields to it. */
import { z } from 'zod';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Format } from '../format.ts';
import { jsonOf, refusedReading, withoutNulls, type SourceReading, type RefusedReading } from '../readings.ts';
import { alertReading, labelsText } from './alert.ts';

/** Some senders write numbers and booleans as such. */
const texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String));
const address = z.string().optional();

const alertSchema = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: texts,
  annotations: texts.default({}),
  startsAt: z.string().default(''),
  endsAt: z.string().default(''),
  fingerprint: z.string().optional(),
  generatorURL: address,
  silenceURL: address,
  dashboardURL: address,
  panelURL: address,
  imageURL: address,
  values: z.record(z.string(), z.unknown()).optional(),
});

const envelope = z.object({
  alerts: z.array(z.unknown()),
  groupKey: z.string().optional(),
  groupLabels: texts.optional(),
  receiver: z.string().optional(),
  externalURL: address,
  truncatedAlerts: z.number().optional(),
});

type WebhookEnvelope = z.infer<typeof envelope>;

/** Where a person looks at the alert in Alertmanager, and silences it there. */
function amLinks({ externalURL }: WebhookEnvelope, labels: Readonly<Record<string, string>>): { Alertmanager?: string; Silence?: string } {
  if (!externalURL) return {};
  const filter = encodeURIComponent(
    `{${Object.entries(labels)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .join(',')}}`,
  );
  return { Alertmanager: `${externalURL}/#/alerts?filter=${filter}`, Silence: `${externalURL}/#/silences/new?filter=${filter}` };
}

const numbersOf = (values: Record<string, unknown> | undefined): Record<string, number> =>
  Object.fromEntries(Object.entries(values ?? {}).filter((entry): entry is [string, number] => Number.isFinite(entry[1])));

function readAlert(raw: unknown, index: number, group: WebhookEnvelope): SourceReading | RefusedReading {
  const parsed = alertSchema.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refusedReading('InvalidAlert', `alerts.${index}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not an alert'}`, raw);
  }
  const { status, labels, annotations, startsAt, endsAt, fingerprint, generatorURL, values, ...urls } = parsed.data;
  const name = labels['alertname'] ?? labelsText(labels);
  const { silenceURL, dashboardURL, panelURL, imageURL } = urls;
  const shownAt = amLinks(group, labels);
  return alertReading({
    state: status,
    severity: labels['severity'] ?? labels['priority'] ?? annotations['severity'],
    title: annotations['summary'] ?? annotations['title'] ?? [name, labels['instance']].filter(Boolean).join(' on '),
    text: annotations['description'] ?? annotations['message'],
    labels,
    notInRest: ['severity', 'priority', 'prometheus', 'alertname'],
    links: {
      Source: generatorURL,
      Runbook: annotations['runbook_url'],
      Dashboard: dashboardURL,
      Panel: panelURL,
      Image: imageURL,
      Alertmanager: shownAt.Alertmanager,
      Silence: silenceURL ?? shownAt.Silence,
    },
    properties: {
      GroupKey: group.groupKey,
      Group: group.groupLabels && labelsText(group.groupLabels),
      Receiver: group.receiver,
      StartsAt: startsAt,
      ...(status === 'resolved' ? { EndsAt: endsAt } : {}),
    },
    metrics: numbersOf(values),
    // The end of a firing alert moves with each repetition.
    id: [fingerprint ?? labelsText(labels), startsAt, status, ...(status === 'resolved' ? [endsAt] : [])],
  });
}

export const alertmanager: Format = {
  read: async (payload, { turn }) => {
    const parsed = envelope.safeParse(withoutNulls(await jsonOf(payload, turn)));
    if (!parsed.success)
      throw new ApiError('InvalidBody', 'This is not the body of an Alertmanager or Grafana webhook: it has no list named alerts.');
    return parsed.data.alerts.map((alert, index) => readAlert(alert, index, parsed.data));
  },
};

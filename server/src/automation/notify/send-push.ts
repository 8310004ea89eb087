/** Sends a push message to one browser of a person: encrypted for that browser, signed by the key of the installation. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { choiceTextFor } from '../../platform/choice-text.ts';
import { mailTextsFor } from '../../platform/mail-texts.ts';
import { withoutAckLinks } from '../../platform/ack-links.ts';
import type { PushKey } from '../../auth/push/key.ts';
import { endSubscription } from '../../auth/push/subscriptions.ts';
import type { Db } from '../../db/db.ts';
import { NotTried, requireCallSlot } from '../../jobs/job.ts';
import { OutboundFailed, OutboundRefused } from '../../outbound/circuit-breaker.ts';
import { originOf, type OutboundHttp } from '../../outbound/http.ts';
import type { QueuedExecution } from '../execution.ts';
import { ActionFailure, type ActionResult } from '../action-result.ts';
import { judge } from '../call-endpoint.ts';
import type { Try } from '../tries.ts';
import { textOf } from './write-messages.ts';

/** Seconds for which a push service keeps a message for a browser that is not running; a later message would be pointless. */
const keptSeconds = 4 * 3_600;
const longestTitle = 200;
const longestBody = 600;

interface PushTarget {
  push_subscription_id: string;
  person_id: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  browser: string;
  enabled: boolean;
}

/** The content of a push message, which the portal's service worker shows. */
export interface PushPayload {
  title: string;
  body: string;
  /** A later message with this tag replaces an earlier one. */
  tag: string;
  url: string;
  /** Since when the notified condition has lasted; the browser shows the time in its own time zone. */
  since: string | null;
  /** The labels that the browser shows, in the language of the person. */
  texts: { acknowledge: string; acknowledged: string; since: string };
  /** The address that acknowledges the unit; null if the message is about no unit, or the unit is no longer New. */
  ackUrl: string | null;
}

export function payloadOf({ values, workUnitId, messageId, reader }: QueuedExecution, publicUrl: string): PushPayload {
  const { push } = mailTextsFor(reader);
  const { acknowledge, acknowledged, since } = push;
  const text = (name: string): string => textOf(values[name]);
  const isUnit = workUnitId !== undefined;
  const what = [
    text('Body'),
    ...(isUnit
      ? [
          text('Condition') && push.condition(text('Condition')),
          text('Seen') && push.seen(text('Seen')),
          text('DeviceName') && push.device(text('DeviceName')),
          push.unit(text('PublicWorkUnitId'), choiceTextFor(reader, text('State')), text('TenantName')),
        ]
      : []),
  ];
  return {
    title: startOf(text('Subject') || `${text('Severity')}: ${text('Title')}`, longestTitle),
    body: startOf(what.filter((line) => line !== '').join('\n'), longestBody),
    tag: isUnit ? `unit-${workUnitId}` : messageId,
    url: isUnit ? text('WorkUnitUrl') : publicUrl,
    texts: { acknowledge, acknowledged, since },
    since: isUnit ? text('FirstMatch') || text('Created') || null : null,
    // For a person who may not acknowledge, the link only opens the unit.
    ackUrl: isUnit && text('State') === 'New' && text('AckUrl') !== text('WorkUnitUrl') ? text('AckUrl') : null,
  };
}

/** The keys that identify this installation to push services. */
export interface Push {
  key: PushKey;
}

/** Push services want an address of the sender: https or mail. */
const subjectOf = (publicUrl: string): string =>
  publicUrl.startsWith('https://') ? publicUrl : `mailto:postmaster@${new URL(publicUrl).hostname}`;

/** Sends the message. Throws `ActionFailure` if no further attempt can succeed, and another error if one may. */
export async function sendPush(
  db: Db,
  { http, push, publicUrl }: { http: OutboundHttp; push: Push; publicUrl: string },
  execution: QueuedExecution,
  attempt: Try,
): Promise<ActionResult> {
  const [subscription] = await db.query<PushTarget>({
    name: 'push-load',
    text: `select s.push_subscription_id, s.person_id, s.endpoint, s.p256dh, s.auth, s.browser, p.enabled from push_subscription s join person p using (person_id)
where s.push_subscription_id::text = $1`,
    values: [textOf(execution.parameters['PushSubscriptionId'])],
  });
  if (!subscription?.enabled) throw new ActionFailure('The subscription of the browser has ended.');
  const { endpoint, p256dh, auth, browser } = subscription;
  const payload = payloadOf(execution, publicUrl);
  const origin = originOf(endpoint);
  await requireCallSlot(attempt, origin, execution.workUnitId?.toString());
  const { default: webPush } = await import('web-push');
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, JSON.stringify(payload), {
    TTL: keptSeconds,
    urgency: 'high',
    // If a lost worker has already sent the message, the second message replaces the first.
    topic: Buffer.from(execution.messageId.replaceAll('-', ''), 'hex').toString('base64url'),
    vapidDetails: { subject: subjectOf(publicUrl), ...push.key },
  });
  const sent = withoutAckLinks(JSON.stringify(payload));
  try {
    const answer = await http.send({
      url: endpoint,
      method: 'POST',
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
      body,
      messageId: execution.messageId,
      confined: true,
      owner: execution.tenantId,
      begin: () => attempt.begin({ target: `POST ${origin}/***`, sent }),
    });
    attempt.status = answer.status;
    if (answer.status === 404 || answer.status === 410) {
      await removeEndedSubscription(db, subscription, execution);
      throw new ActionFailure(`The push service answered ${answer.status}: ${browser} has ended its subscription.`, {
        status: answer.status,
      });
    }
    const result = judge(answer, { status: answer.status, browser, durationMs: answer.durationMs });
    await db.query({
      name: 'push-sent',
      text: 'update push_subscription set last_sent = now() where push_subscription_id = $1',
      values: [subscription.push_subscription_id],
    });
    return result;
  } catch (error) {
    if (error instanceof OutboundRefused) throw new ActionFailure(error.message);
    if (error instanceof OutboundFailed && error.retryAfterMs !== undefined) throw new NotTried(error.message, origin);
    throw error;
  }
}

function removeEndedSubscription(
  db: Db,
  { person_id, push_subscription_id }: PushTarget,
  { correlationId }: QueuedExecution,
): Promise<boolean> {
  return db.transaction((tx) =>
    endSubscription(tx, person_id, push_subscription_id, {
      actor: { kind: 'system', id: null, name: 'Automation' },
      why: 'The push service does not know it any more.',
      correlationId,
    }),
  );
}

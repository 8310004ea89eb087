/** One call to the receiver of a subscription, and how it ended. */
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { eventSecretPurpose } from '../../auth/tenant-secrets.ts';
import type { Ctx } from '../../context/ctx.ts';
import { hopHeader } from '../../context/hop-count.ts';
import { NotTried, requireCallSlot, type JobAttempt } from '../../jobs/job.ts';
import { OutboundFailed, OutboundRefused } from '../../outbound/circuit-breaker.ts';
import { originOf, type OutboundAnswer } from '../../outbound/http.ts';
import { ServiceRefusal } from '../services/service.ts';
import { signedHeaders } from '../webhook-signature.ts';
import type { EventMessage } from './compose-event.ts';
import type { Delivery, EventParts } from './deliveries.ts';
import type { Failure } from './outcomes.ts';

/** Sends a message with the signatures of the secrets that are valid now. */
export async function sendSigned(
  ctx: Ctx,
  parts: EventParts,
  { eventSubscriptionId, secret, previous, address, tenantId }: Delivery,
  messageId: string,
  { headers, body }: EventMessage,
): Promise<OutboundAnswer> {
  const keys = [secret, ...(previous ? [previous] : [])].map((sealed) =>
    parts.masterKey.open(sealed, eventSecretPurpose(eventSubscriptionId)),
  );
  return parts.http.send({
    url: address,
    method: 'POST',
    headers: { ...headers, ...signedHeaders(keys, messageId, body, ctx.now()), [hopHeader]: parts.hopCounts.header(1, tenantId) },
    body,
    messageId,
    confined: true,
    owner: tenantId,
  });
}

/** The failure that an error is; throws one that is the fault of this server. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ServiceRefusal) {
    const { answer, isFinal, message } = error;
    return { error: message, answer, isFinal, retryAfterMs: answer?.retryAfterMs };
  }
  const isTheirs = error instanceof OutboundFailed || error instanceof OutboundRefused || (error instanceof ApiError && error.status < 500);
  if (!isTheirs) throw error;
  return { error: messageOf(error) };
}

const isTaken = (status: number): boolean => status >= 200 && status < 300;

/**
 * Takes a slot for calls and sends. Returns the answer that has taken it, or the failure; undefined when there was nothing to send. Throws
 * when nothing was tried, or for a fault of this server.
 */
export async function tryToSend(
  attempt: JobAttempt,
  { address, deed }: Pick<Delivery, 'address' | 'deed'>,
  series: string,
  send: () => Promise<OutboundAnswer | undefined>,
): Promise<OutboundAnswer | Failure | undefined> {
  const origin = originOf(address);
  await requireCallSlot(attempt, origin, series);
  try {
    const answer = await send();
    if (!answer || isTaken(answer.status)) return answer;
    return { error: `The receiver answered ${answer.status}.`, answer, retryAfterMs: answer.retryAfterMs };
  } catch (error) {
    // While the circuit of the receiver is open, nothing was sent.
    if (error instanceof OutboundFailed && error.retryAfterMs !== undefined && deed !== 'test')
      throw new NotTried(error.message, origin, series);
    return failureOf(error);
  }
}

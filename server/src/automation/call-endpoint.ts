/** Runs a user-defined action: fills its placeholders and calls its endpoint. */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { withoutAckLinks } from '../platform/ack-links.ts';
import { contentProblem, isExpectedStatus, readsContent, referenceIn, type ExpectedAnswer } from '@cloudfit/contract/action-answers.ts';
import { headerName, reservedHeaders } from '@cloudfit/contract/action-headers.ts';
import { hopHeader, type HopCounts } from '../context/hop-count.ts';
import type { TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Db } from '../db/db.ts';
import { OutboundFailed, OutboundRefused } from '../outbound/circuit-breaker.ts';
import { originOf, type OutboundAnswer, type OutboundHttp, type OutboundRequest } from '../outbound/http.ts';
import { NotDue, NotTried, requireCallSlot, RetryLater } from '../jobs/job.ts';
import type { QueuedAction, QueuedExecution } from './execution.ts';
import { ActionFailure, type ActionResult } from './action-result.ts';
import { newFiller, PlaceholderError, type Filler } from './placeholders.ts';
import { valuesFor } from './reader-values.ts';
import { notesOf, requireFilled, unfilledOf } from './previews/unfilled.ts';
import { secretsFor } from './secret-values.ts';
import { notKept } from '@cloudfit/contract/secret-traces.ts';
import type { MaskedRequest, Try } from './tries.ts';
import { madeEarlier, nextPage, settleMs } from './units/look-back.ts';
import { signatureHeaders } from './webhook-signature.ts';

/** Parses headers, one per line as `Name:Value`, and fills their placeholders. */
function headersOf(text: string, filler: Filler): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon < 1 || !headerName.test(name)) throw new ActionFailure(`The header "${startOf(line, 100)}" is not Name:Value.`);
    if (reservedHeaders.has(name)) throw new ActionFailure(`The header ${name} cannot be set by an action.`);
    headers[name] = filler.header(line.slice(colon + 1).trim());
  }
  return headers;
}

function bodyOf(template: string, contentType: string, filler: Filler): string {
  if (/json/i.test(contentType)) return filler.json(template);
  return /x-www-form-urlencoded/i.test(contentType) ? filler.form(template) : filler.text(template);
}

function filledAddress(template: string, filler: Filler): string {
  try {
    return filler.url(template);
  } catch (error) {
    throw error instanceof PlaceholderError ? new ActionFailure(error.message) : error;
  }
}

/** Returns the request with its placeholders filled. */
export function requestOf(definition: QueuedAction, execution: QueuedExecution, filler: Filler) {
  if (!definition.endpointUrl) throw new ActionFailure('The action has no endpoint address.');
  try {
    const url = filler.url(definition.endpointUrl);
    const headers = { 'content-type': 'application/json', ...headersOf(definition.headers ?? '', filler) };
    const body = definition.body ? bodyOf(definition.body, headers['content-type'], filler) : undefined;
    return { url, method: definition.httpMethod ?? 'POST', headers, body, messageId: execution.messageId };
  } catch (error) {
    throw error instanceof PlaceholderError ? new ActionFailure(error.message) : error;
  }
}

/** Why a body that is declared as JSON is not valid JSON; undefined when it is. */
export function jsonProblem({ headers, body }: { headers: Record<string, string>; body: string | undefined }): string | undefined {
  if (body === undefined || !/json/i.test(headers['content-type'] ?? '')) return undefined;
  try {
    JSON.parse(body);
    return undefined;
  } catch {
    return 'The body is not valid JSON.';
  }
}

const anyContent: ExpectedAnswer = { successStatuses: null, successText: null, successField: null, successValue: null };

/**
 * Returns success for an answer by which the receiver says that it has the message, by default 2xx. Throws `ActionFailure` if no
 * further attempt can succeed, and another error if one may: after a status that says so, or an expected status with a content that
 * is not the receiver's own, such as the page of a proxy.
 */
export function judge(answer: OutboundAnswer, detail: Record<string, unknown>, expected = anyContent): ActionResult {
  const words = `The receiver answered ${answer.status}.`;
  if (isExpectedStatus(answer.status, expected)) {
    const problem = readsContent(expected) ? contentProblem(answer.bytes?.toString() ?? answer.body, expected) : undefined;
    if (!problem) return { succeeded: true, detail };
    if (problem.isRefusal) throw new ActionFailure(`${words} ${problem.message}`, detail);
    throw new OutboundFailed(`${words} ${problem.message}`);
  }
  if (answer.status === 408 || answer.status === 429 || answer.status >= 500) {
    if (answer.retryAfterMs !== undefined) throw new RetryLater(words, answer.retryAfterMs);
    throw new OutboundFailed(words);
  }
  throw new ActionFailure(words, detail);
}

/** What a call needs besides its execution. */
export interface EndpointCaller {
  http: OutboundHttp;
  secrets: TenantSecrets;
  hopCounts: HopCounts;
  db: Db;
}

/**
 * Returns the request as it is recorded, with secrets and acknowledge links masked. If the body contains a secret in another
 * form (`notKept`), nothing of it is recorded; of such an address, only the origin.
 */
function sendingOf(
  { method, url, body }: { method: string; url: string; body: string | undefined },
  mask: (text: string) => string,
): MaskedRequest {
  const address = withoutAckLinks(mask(url));
  const sent = body === undefined ? undefined : withoutAckLinks(mask(body));
  return {
    target: `${method} ${address === notKept ? `${originOf(url)}/***` : address}`,
    sent: sent === notKept ? '***' : sent,
  };
}

/** The series of a call: waiting calls about the same work unit, or the same subject of matches, are sent in their order. */
const seriesOf = ({ workUnitId, match }: QueuedExecution): string | undefined => workUnitId?.toString() ?? match?.subjectId;

/** What an earlier try of the execution has left; undefined when none began, none is there, or the service does not let it be looked for. */
async function lookBack(
  { http }: EndpointCaller,
  definition: QueuedAction,
  { messageId }: QueuedExecution,
  { begin, ...call }: OutboundRequest & { begin: () => Promise<void> },
  attempt: Try,
): Promise<{ answer: OutboundAnswer; reference: ReturnType<typeof referenceIn> } | undefined> {
  const { hasBegun, sinceMs, isUnknown } = await attempt.lookBack();
  if (!hasBegun) return undefined;
  let url: string | undefined = call.url;
  while (url !== undefined) {
    const answer: OutboundAnswer = await http
      .send({ ...call, url, method: 'GET', body: undefined, keepsBytes: true })
      .catch(async (error: unknown) => {
        await begin();
        throw error;
      });
    const earlier = await readable(answer, begin, () => madeEarlier(answer.bytes?.toString() ?? '', messageId, definition.reference));
    if (earlier !== 'unreadable' && 'reference' in earlier) {
      await begin();
      attempt.status = answer.status;
      return { answer, ...earlier };
    }
    const next: string | undefined = earlier === 'unreadable' ? 'more' : nextPage(url, earlier.items);
    if (next === 'more') {
      if (isUnknown) await attempt.noteTwice();
      return undefined;
    }
    url = next;
  }
  // A search may not have yet what was made seconds ago.
  if (sinceMs < settleMs) throw new NotDue('The service may not show yet what an earlier try has made.', settleMs - sinceMs);
  return undefined;
}

/** What the service refuses is unreadable, and not tried for ever; after any other fault the try has begun and fails. */
async function readable<T>(answer: OutboundAnswer, begin: () => Promise<void>, read: () => T): Promise<T | 'unreadable'> {
  try {
    judge(answer, {});
    return read();
  } catch (error) {
    if (error instanceof ActionFailure) return 'unreadable';
    await begin();
    throw error;
  }
}

/** Makes the call. Throws `ActionFailure` if no further attempt can succeed, and another error if one may. */
export async function callEndpoint(
  caller: EndpointCaller,
  definition: QueuedAction,
  execution: QueuedExecution,
  attempt: Try,
): Promise<ActionResult> {
  const secrets = await secretsFor(caller.secrets, caller.db, definition, execution);
  // An SMS has one reader; calls to other systems have none, so their values stay as they are.
  const filler = newFiller({ ...valuesFor(execution.reader, execution.values), ...secrets.values }, definition.inputParameters);
  const request = requestOf(definition, execution, filler);
  const look = definition.lookBackAddress ? filledAddress(definition.lookBackAddress, filler) : undefined;
  const noted = notesOf(execution, filler);
  if (execution.isTest) {
    requireFilled(unfilledOf(execution, [...filler.unknown, ...filler.empty], secrets.values));
    const problem = jsonProblem(request);
    if (problem) throw new ActionFailure(`Not sent: ${problem}`);
  }
  try {
    const sending = sendingOf(request, secrets.mask);
    const place = [originOf(request.url), seriesOf(execution)] as const;
    const signing = signatureHeaders(caller.secrets, caller.db, { ...execution, body: request.body });
    // Awaited below: a try that begins with its slot is known by then, so that a failure of the signature ends it.
    signing.catch(() => undefined);
    // A try that looks back begins after it has read what is there of earlier ones.
    const slot = await (secrets.recordUse || look !== undefined
      ? requireCallSlot(attempt, ...place)
      : attempt.requireSlot(...place, sending));
    const signature = await signing;
    const cloudfitHeaders = {
      [hopHeader]: caller.hopCounts.header(execution.hops + 1, execution.tenantId),
      ...(execution.replayOf ? { 'cloudfit-replay-of': execution.replayOf } : {}),
    };
    const headers = { ...request.headers, ...signature, ...cloudfitHeaders };
    const begin = () => attempt.begin(sending, secrets.recordUse);
    const reads = readsContent(definition.expected) || Boolean(definition.reference.referenceField);
    const call = { ...request, headers, confined: secrets.used, owner: execution.tenantId, isClosed: slot === 'new', begin };
    const earlier = look === undefined ? undefined : await lookBack(caller, definition, execution, { ...call, url: look }, attempt);
    const answer = earlier?.answer ?? (await caller.http.send({ ...call, ...(reads ? { keepsBytes: true } : {}) }));
    attempt.status = answer.status;
    const detail = {
      status: answer.status,
      answer: withoutAckLinks(secrets.mask(answer.body)),
      truncated: answer.truncated || (answer.bytes?.length ?? 0) > Buffer.byteLength(answer.body),
      durationMs: answer.durationMs,
      ...noted,
    };
    const result = earlier ? { succeeded: true, detail } : judge(answer, detail, definition.expected);
    const reference = earlier ? earlier.reference : referenceIn(answer.bytes?.toString() ?? answer.body, definition.reference);
    return reference ? { ...result, detail: { ...detail, reference }, reference } : result;
  } catch (error) {
    if (error instanceof OutboundRefused) throw new ActionFailure(withoutAckLinks(secrets.mask(error.message)), noted);
    if (error instanceof ActionFailure) throw new ActionFailure(withoutAckLinks(secrets.mask(error.message)), error.detail);
    if (error instanceof OutboundFailed && error.retryAfterMs !== undefined) throw new NotTried(error.message, originOf(request.url));
    throw error;
  }
}

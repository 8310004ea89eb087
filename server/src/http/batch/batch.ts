/** `POST /v1/$batch`: several calls in one request, in the JSON and the multipart form of OData 4.01 (part 1, section 11.7). */
import { Readable } from 'node:stream';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { takeTurns, type GiveTurn } from '../../platform/turns.ts';
import { createListSlots } from '../rate-limit.ts';
import { refuseKey } from '../repeat.ts';
import type { ApiParts } from '../request-steps.ts';
import { queryOf } from '../address.ts';
import { requireOptions } from '../form/query-options.ts';
import { addressOf, headersOf } from './address.ts';
import { runningPart, type RunningPart } from './caller.ts';
import { readJson, writeJson } from './json-form.ts';
import { readMultipart, writeMultipart } from './multipart-form.ts';
import type { BatchAnswer, BatchPart } from './parts.ts';

/** Thrown when a call of a group fails, to roll back the group's transaction. */
class GroupFailed extends Error {
  readonly answer: BatchAnswer;
  constructor(answer: BatchAnswer) {
    super('A call of the group failed.');
    this.answer = answer;
  }
}

/** Thrown when the caller has closed the connection: nothing is begun for somebody who is gone, and a group is rolled back. */
class CallerLeft extends Error {}

/** What the calls of one batch share. */
interface BatchRun {
  app: FastifyInstance;
  origin: string;
  /** The caller's address, which each call keeps. */
  remoteAddress: string;
  hasLeft: () => boolean;
  /** Addresses of rows that calls created, by the ids of the calls. */
  created: Map<string, string>;
  /** Lets other requests have their turn between two calls. */
  turn: GiveTurn;
  /** The time after which no call begins. */
  endsAt: number;
  answeredBytes: number;
}

/** Headers that the answer of one call has; all other headers belong to the answer of the whole batch. */
const sentHeaders = new Set(['content-type', 'etag', 'location', 'odata-entityid', 'odata-version', 'preference-applied', 'retry-after']);

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function errorAnswer(part: BatchPart, status: number, code: string, message: string): BatchAnswer {
  const body = Buffer.from(JSON.stringify({ error: { code, message } }));
  return { ...part, status, headers: { 'content-type': 'application/json' }, body };
}

/**
 * Returns the body with ids of parts replaced by the addresses of the rows that these parts created:
 * `"tenant@odata.bind": "$id"`.
 */
function withCreated(body: string, created: ReadonlyMap<string, string>): string {
  return body.replaceAll(/("\w+@(?:odata\.)?bind"\s*:\s*")\$([^"/]+)(?=")/g, (text, before: string, id: string) => {
    const address = created.get(id);
    return address === undefined ? text : before + address;
  });
}

/** Returns why a further call does not begin; undefined when it may. */
function exhausted({ endsAt, answeredBytes }: BatchRun): string | undefined {
  if (answeredBytes >= limits.batchAnswerBytes) return `has answered ${limits.batchAnswerBytes / 1_048_576} MB`;
  return performance.now() >= endsAt ? `has run for ${limits.batchSeconds} seconds` : undefined;
}

async function runPart(run: BatchRun, caller: Ctx, part: BatchPart): Promise<BatchAnswer> {
  await run.turn();
  if (run.hasLeft()) throw new CallerLeft('The caller has left.');
  if (!methods.has(part.method))
    return errorAnswer(part, 400, 'InvalidBody', `The method of call ${part.id} is not one of GET, POST, PUT, PATCH, DELETE.`);
  const url = addressOf(part, run.origin, run.created);
  if (url === undefined)
    return errorAnswer(part, 400, 'InvalidBody', `The address of call ${part.id} is not that of an entity set, function or action.`);
  const why = exhausted(run);
  if (why !== undefined)
    return errorAnswer(part, 400, 'TooComplex', `This batch ${why}, the most that is possible. Send call ${part.id} in another batch.`);
  const call: RunningPart = { caller };
  const answer = await runningPart.run(call, async () =>
    run.app.inject({
      method: part.method as 'GET',
      url,
      remoteAddress: run.remoteAddress,
      headers: headersOf(part),
      ...(part.body === undefined ? {} : { payload: withCreated(part.body, run.created) }),
      payloadAsStream: true,
    }),
  );
  // Only what is written while it is read, such as an export, arrives through the response.
  const body = call.body ?? Buffer.concat((await answer.stream().toArray()) as Buffer[]);
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    sentHeaders.has(name) && value !== undefined ? [[name, String(value)] as const] : [],
  );
  const location = answer.headers['odata-entityid'] ?? answer.headers['location'];
  if (typeof location === 'string' && answer.statusCode < 300) run.created.set(part.id, location);
  run.answeredBytes += body.length;
  return { ...part, status: answer.statusCode, headers: Object.fromEntries(headers), body };
}

/** Runs the calls of a group in one transaction; returns all answers, or only the answer of the call that failed. */
async function runGroup(run: BatchRun, ctx: Ctx, parts: readonly BatchPart[]): Promise<BatchAnswer[]> {
  try {
    return await inTransaction(ctx, async (inGroup) => {
      const answers: BatchAnswer[] = [];
      for (const part of parts) {
        const answer = await runPart(run, inGroup, part);
        if (answer.status >= 400) throw new GroupFailed(answer);
        answers.push(answer);
      }
      return answers;
    });
  } catch (error) {
    for (const { id } of parts) run.created.delete(id);
    if (error instanceof GroupFailed) return [error.answer];
    const [first] = parts;
    if (!(error instanceof ApiError) || !first) throw error;
    // The error of a failed commit is reported as the answer of the first call.
    return [errorAnswer(first, error.status, error.code, error.message)];
  }
}

/** Returns the calls by group, in the order of the groups' first calls; a call without a group stands alone. */
function groupsOf(parts: readonly BatchPart[]): BatchPart[][] {
  const groups: BatchPart[][] = [];
  for (const part of parts) {
    const current = part.group === undefined ? undefined : groups.find(([first]) => first?.group === part.group);
    if (current) current.push(part);
    else groups.push([part]);
  }
  return groups;
}

/** Throws if a call depends on one that is not before it: a misspelled id must not let a call run without its dependencies. */
function requireEarlier(parts: readonly BatchPart[]): void {
  const earlier = new Set<string>();
  for (const { id, group, dependsOn } of parts) {
    const unknown = dependsOn.find((item) => !earlier.has(item));
    if (unknown !== undefined)
      throw new ApiError('InvalidBody', `Call ${id} depends on ${unknown}, which is not a call or group before it in the batch.`, {
        target: 'requests',
      });
    earlier.add(id).add(group ?? id);
  }
}

/** Runs all calls in their order; without `goesOn`, stops after the first failure. */
async function runBatch(run: BatchRun, ctx: Ctx, parts: readonly BatchPart[], goesOn: boolean): Promise<BatchAnswer[]> {
  const answers: BatchAnswer[] = [];
  const failed = new Set<string>();
  for (const calls of groupsOf(parts)) {
    const [first] = calls;
    if (!first) continue;
    const missing = calls.flatMap((part) => part.dependsOn).find((id) => failed.has(id));
    const results =
      missing !== undefined
        ? [errorAnswer(first, 424, 'FailedDependency', `The call ${missing}, on which this one depends, did not succeed.`)]
        : first.group === undefined
          ? [await runPart(run, ctx, first)]
          : await runGroup(run, ctx, calls);
    answers.push(...results);
    if (results.every(({ status }) => status < 400)) continue;
    for (const { id, group } of calls) failed.add(id).add(group ?? id);
    if (!goesOn && missing === undefined) break;
  }
  return answers;
}

export function batchRoute(app: FastifyInstance, api: ApiParts): RouteOptions {
  // Not the slots of lists: a batch that held one would wait for those of its own lists.
  const batchSlot = createListSlots();
  return {
    method: 'POST',
    url: '/v1/$batch',
    config: { measuredAs: 'batch' },
    onRequest: [...api.signedIn],
    handler: async (request, reply) => {
      refuseKey(request.headers);
      requireOptions(queryOf(request.url), () => false);
      const type = request.headers['content-type'] ?? '';
      const isMultipart = Buffer.isBuffer(request.body);
      const parts = isMultipart ? readMultipart(type, request.body as Buffer) : readJson(request.body);
      if (parts.length > limits.batchParts) throw new ApiError('TooComplex', `A batch has at most ${limits.batchParts} calls.`);
      if (new Set(parts.map(({ id }) => id)).size < parts.length)
        throw new ApiError('InvalidBody', 'Two calls of the batch have the same id.');
      requireEarlier(parts);
      let isGone = false;
      reply.raw.once('close', () => (isGone = !reply.raw.writableFinished));
      const goesOn = /continue-on-error(?!\s*=\s*"?false)/i.test(String(request.headers['prefer'] ?? ''));
      try {
        const answers = await batchSlot(request.ctx, () => {
          const run: BatchRun = {
            app,
            origin: api.origin,
            remoteAddress: request.ip,
            hasLeft: () => isGone,
            created: new Map(),
            turn: takeTurns(),
            endsAt: performance.now() + limits.batchSeconds * 1_000,
            answeredBytes: 0,
          };
          return runBatch(run, request.ctx, parts, goesOn);
        });
        const { contentType, pieces } = isMultipart ? writeMultipart(answers) : writeJson(answers);
        // In pieces: joining 16 MB, and sending them at once, would keep others waiting.
        return await reply.type(contentType).send(Readable.from(pieces));
      } catch (error) {
        if (error instanceof CallerLeft) return reply.hijack();
        throw error;
      }
    },
  };
}

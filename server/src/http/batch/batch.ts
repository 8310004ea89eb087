/** `POST /v1/$batch`: several calls in one request, in the JSON and the multipart form of OData 4.01 (part 1, section 11.7). */
import type { FastifyInstance, RouteOptions } from 'fastify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { inTransaction, type Ctx } from '../../context/ctx.ts';
import { plainAddress, plainPath } from '../address.ts';
import type { ApiParts } from '../request-steps.ts';
import { callerOfPart } from './caller.ts';
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

/** Headers that the answer of one call has; all other headers belong to the answer of the whole batch. */
const sentHeaders = new Set(['content-type', 'etag', 'location', 'odata-entityid', 'odata-version', 'preference-applied', 'retry-after']);

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function errorAnswer(part: BatchPart, status: number, code: string, message: string): BatchAnswer {
  return { ...part, status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error: { code, message } }) };
}

/**
 * Returns the address of a part, which may be absolute, relative to the root of the server or of the service, or `$id`
 * for a row that part `id` created. Undefined for an address outside the resources.
 */
function addressOf(part: BatchPart, origin: string, created: ReadonlyMap<string, string>): string | undefined {
  const [, id = '', rest = ''] = /^\/?\$([^/?]+)(.*)$/s.exec(part.url) ?? [];
  const named = id === '' ? part.url : (created.get(id) ?? '') + rest;
  const local = named.startsWith(`${origin}/`) ? named.slice(origin.length) : named;
  const address = plainAddress(local.startsWith('/') ? local : `/v1/${local}`);
  const [, root, set = ''] = plainPath(address).split('/');
  // Other addresses are refused, because their calls may wait for events or accept files.
  return root?.toLowerCase() === 'v1' && findResource(decodeURIComponent(set)) ? address : undefined;
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

async function runPart(app: FastifyInstance, part: BatchPart, origin: string, created: Map<string, string>): Promise<BatchAnswer> {
  if (!methods.has(part.method))
    return errorAnswer(part, 400, 'InvalidBody', `The method of call ${part.id} is not one of GET, POST, PUT, PATCH, DELETE.`);
  const url = addressOf(part, origin, created);
  if (url === undefined) return errorAnswer(part, 400, 'InvalidBody', `The address of call ${part.id} is not that of an entity set.`);
  const answer = await app.inject({
    method: part.method as 'GET',
    url,
    headers: { ...part.headers },
    ...(part.body === undefined ? {} : { payload: withCreated(part.body, created) }),
  });
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    sentHeaders.has(name) && value !== undefined ? [[name, String(value)] as const] : [],
  );
  const location = answer.headers['odata-entityid'] ?? answer.headers['location'];
  if (typeof location === 'string' && answer.statusCode < 300) created.set(part.id, location);
  return { ...part, status: answer.statusCode, headers: Object.fromEntries(headers), body: answer.payload };
}

/** Runs the calls of a group in one transaction; returns all answers, or only the answer of the call that failed. */
async function runGroup(
  app: FastifyInstance,
  ctx: Ctx,
  parts: readonly BatchPart[],
  origin: string,
  created: Map<string, string>,
): Promise<BatchAnswer[]> {
  try {
    return await inTransaction(ctx, async (inGroup) => {
      const answers: BatchAnswer[] = [];
      for (const part of parts) {
        const answer = await callerOfPart.run(inGroup, () => runPart(app, part, origin, created));
        if (answer.status >= 400) throw new GroupFailed(answer);
        answers.push(answer);
      }
      return answers;
    });
  } catch (error) {
    for (const { id } of parts) created.delete(id);
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
    const unknown = dependsOn.find((one) => !earlier.has(one));
    if (unknown !== undefined)
      throw new ApiError('InvalidBody', `Call ${id} depends on ${unknown}, which is not a call or group before it in the batch.`, {
        target: 'requests',
      });
    earlier.add(id).add(group ?? id);
  }
}

/** Runs all calls in their order; without `goesOn`, stops after the first failure. */
export async function runBatch(
  app: FastifyInstance,
  ctx: Ctx,
  parts: readonly BatchPart[],
  options: { origin: string; goesOn: boolean },
): Promise<BatchAnswer[]> {
  const answers: BatchAnswer[] = [];
  const created = new Map<string, string>();
  const failed = new Set<string>();
  for (const calls of groupsOf(parts)) {
    const [first] = calls;
    if (!first) continue;
    const missing = calls.flatMap((part) => part.dependsOn).find((id) => failed.has(id));
    const results =
      missing !== undefined
        ? [errorAnswer(first, 424, 'FailedDependency', `The call ${missing}, on which this one depends, did not succeed.`)]
        : first.group === undefined
          ? [await callerOfPart.run(ctx, () => runPart(app, first, options.origin, created))]
          : await runGroup(app, ctx, calls, options.origin, created);
    answers.push(...results);
    if (results.every(({ status }) => status < 400)) continue;
    for (const { id, group } of calls) failed.add(id).add(group ?? id);
    if (!options.goesOn && missing === undefined) break;
  }
  return answers;
}

export function batchRoute(app: FastifyInstance, api: ApiParts): RouteOptions {
  return {
    method: 'POST',
    url: '/v1/$batch',
    config: { measuredAs: 'batch' },
    onRequest: [...api.signedIn],
    handler: async (request, reply) => {
      const type = request.headers['content-type'] ?? '';
      const isMultipart = Buffer.isBuffer(request.body);
      const parts = isMultipart ? readMultipart(type, request.body as Buffer) : readJson(request.body);
      if (parts.length > limits.batchParts) throw new ApiError('TooComplex', `A batch has at most ${limits.batchParts} calls.`);
      if (new Set(parts.map(({ id }) => id)).size < parts.length)
        throw new ApiError('InvalidBody', 'Two calls of the batch have the same id.');
      requireEarlier(parts);
      const goesOn = /continue-on-error(?!\s*=\s*"?false)/i.test(String(request.headers['prefer'] ?? ''));
      const answers = await runBatch(app, request.ctx, parts, { origin: api.origin, goesOn });
      const { contentType, text } = isMultipart ? writeMultipart(answers) : writeJson(answers);
      return reply.type(contentType).send(text);
    },
  };
}

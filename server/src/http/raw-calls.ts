/** Calls that need the request or the reply itself, such as packets, the agent's long poll, photos and other files. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Action } from '@cloudfit/contract/action.ts';
import { agentToken, readConfiguration } from '@cloudfit/contract/actions/agent.ts';
import { postBlockValue } from '@cloudfit/contract/actions/blocks.ts';
import { evidenceFile } from '@cloudfit/contract/actions/compliance.ts';
import { acceptPackets, itemAnswer } from '@cloudfit/contract/actions/ingest.ts';
import { changes } from '@cloudfit/contract/actions/live.ts';
import { photoOfPerson } from '@cloudfit/contract/actions/people.ts';
import { currentUserPhoto } from '@cloudfit/contract/actions/session.ts';
import { ApiError, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { feedOf } from '../features/blocks/fed-block.ts';
import { readEvidenceFile } from '../features/compliance/evidence.action.ts';
import { agentConfiguration } from '../features/devices/agent/configuration.ts';
import { photoOf, type StoredPhoto } from '../features/people/photos/photos.ts';
import { namesTag } from '../resources/get.ts';
import type { SignIn } from '../features/devices/agent/sign-in.ts';
import type { DeviceWatch } from '../features/devices/agent/device-watch.ts';
import type { Ctx } from '../context/ctx.ts';
import { inputOf } from './action-routes.ts';
import { errorBody } from './errors.ts';
import type { RawCall, RawRoute } from './request-steps.ts';
import { leaveUnprotected } from './security-headers.ts';
import { attachment, packageFileRoutes, type FileOptions } from './package-files.ts';
import { trySourceRoute } from './intake/intake.ts';
import { offboardingRoutes } from './offboarding-archive.ts';
import { unitFileRoutes } from './unit-files.ts';

type PacketAnswer = z.infer<typeof itemAnswer>;

/** Stores packets. Passed in by main, because the folder http may not import ingest. */
export type IngestBody = (ctx: Ctx, body: unknown, contentType: string) => Promise<{ value: PacketAnswer[] }>;

/** Returns how many packets had each outcome, as a header for senders that do not read bodies. */
function countsOf(answers: readonly PacketAnswer[]): string {
  return itemAnswer.shape.status.options
    .map((outcome) => `${outcome}=${answers.filter(({ status }) => status === outcome).length}`)
    .join(', ');
}

/** The error of a request of which every packet was refused. */
function allRefused(answers: readonly PacketAnswer[]): ApiError {
  const details = answers.slice(0, limits.reasons).map(({ index, message = '' }) => ({
    code: 'ValidationFailed' as const,
    target: String(index),
    message,
  }));
  const [first] = details;
  const text = answers.length === 1 ? '' : `None of the ${answers.length} packets was stored. The first: `;
  return new ApiError('ValidationFailed', text + (first?.message ?? ''), { target: first?.target, details });
}

/**
 * Answers 400 when every packet was refused, because senders look at the status; agents read the outcomes in the body of either
 * answer. Not 207 when some were refused: collectors take it for a failure, and would send for ever what is stored.
 */
const packets =
  (ingest: IngestBody): RawCall =>
  async (ctx, request, reply) => {
    const answer = await ingest(ctx, request.body, request.headers['content-type'] ?? 'application/json');
    void reply.header('cloudfit-packets', countsOf(answer.value));
    if (answer.value.length === 0 || answer.value.some(({ status }) => status !== 'refused')) return reply.send(answer);
    const error = allRefused(answer.value);
    return reply.code(error.status).send({ ...errorBody(error, request.id), ...answer });
  };

/** Stores the value of a block like any packet: history, latest packet and rules. */
const blockValue =
  (ingest: IngestBody): RawCall =>
  async (ctx, request, reply) => {
    const { id, value } = inputOf(postBlockValue, request);
    const feed = await feedOf(ctx, id);
    if (feed === undefined) throw notFound('Block');
    if (feed === 'device')
      throw validationFailed([
        { target: 'id', message: 'This block shows what its device reports. Send packets of the device to /v1/packets.' },
      ]);
    const [item] = (await ingest(ctx, { entityId: id, message: { Value: value } }, 'application/json')).value;
    if (item?.status !== 'stored') throw validationFailed([{ target: 'value', message: item?.message ?? 'The value was refused.' }]);
    return reply.send({ entityId: id, status: item.status });
  };

const configuration =
  (watch: DeviceWatch): RawCall =>
  async (ctx, request, reply) => {
    const parsed = readConfiguration.input.safeParse(request.query);
    if (!parsed.success)
      throw new ApiError('InvalidQueryOption', 'Send wait in seconds, agentTime as an ISO 8601 time and instance as a GUID.');
    const { wait, agentTime, instance } = parsed.data;
    const disconnected = new AbortController();
    reply.raw.once('close', () => {
      // Passes a text as the reason: without one, `abort` creates an error object for each of thousands of polls.
      if (!reply.raw.writableFinished) disconnected.abort('The agent hung up.');
    });
    const ifNoneMatch = request.headers['if-none-match'];
    const answer = await agentConfiguration(ctx, watch, {
      signal: disconnected.signal,
      ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
      ...(wait === undefined ? {} : { waitSeconds: wait }),
      ...(agentTime === undefined ? {} : { agentTime }),
      ...(instance === undefined ? {} : { instance }),
    });
    if (!answer) return leaveUnprotected(reply).code(304).send();
    return reply.header('etag', `"${answer.version}"`).send(answer);
  };

/** Answers the sign-in of a device. The request and the refusals have the form of OAuth (RFC 6749, 5). */
const deviceSignIn =
  (signIn: SignIn): RawCall =>
  async (ctx, request, reply) => {
    const { status, body, retryAfterSeconds } = await signIn(
      ctx,
      new URLSearchParams(typeof request.body === 'string' ? request.body : ''),
    );
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
    return reply.code(status).header('cache-control', 'no-store').send(body);
  };

const weekSeconds = 604_800;

/**
 * Sends a photo. `isNamed`: the address depends on the content, so the browser need not revalidate its copy. Another
 * caller in the same browser must request the photo again (`Vary`).
 */
function sendPhoto(request: FastifyRequest, reply: FastifyReply, photo: StoredPhoto, isNamed: boolean) {
  const etag = `"${photo.digest}"`;
  void reply.header('etag', etag).header('content-disposition', 'inline').header('x-content-type-options', 'nosniff');
  if (isNamed) void reply.header('cache-control', `private, max-age=${weekSeconds}, immutable`);
  if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  void reply.type(photo.contentType).header('content-length', photo.content.length);
  return reply.send(request.method === 'HEAD' ? undefined : photo.content);
}

const ownPhoto: RawCall = async (ctx, request, reply) => {
  const photo = ctx.actor.kind === 'person' ? await photoOf(ctx, ctx.actor.id) : undefined;
  return photo ? sendPhoto(request, reply, photo, false) : reply.code(204).send();
};

const photoOfOne: RawCall = async (ctx, request, reply) => {
  const { id, v } = inputOf(photoOfPerson, request);
  const photo = await photoOf(ctx, id);
  if (!photo) throw notFound('Photo');
  return sendPhoto(request, reply, photo, v === photo.digest);
};

/** Sends a file of evidence. The browser saves the file and never renders it, because people may have uploaded anything. */
const evidence: RawCall = async (ctx, request, reply) => {
  const { name, content, size } = await readEvidenceFile(ctx, inputOf(evidenceFile, request).id);
  void reply.header('content-disposition', attachment(name)).header('content-length', size).header('x-content-type-options', 'nosniff');
  return reply.type('application/octet-stream').send(request.method === 'HEAD' ? undefined : content);
};

export interface RawParts {
  ingest: IngestBody;
  watch: DeviceWatch;
  stream: RawCall;
  files: FileOptions;
  signIn: SignIn;
}

export function rawRoutes(options: RawParts): readonly RawRoute[] {
  return [
    { action: acceptPackets as Action, call: packets(options.ingest), takesBytes: true },
    { action: postBlockValue as Action, call: blockValue(options.ingest) },
    { action: agentToken as Action, call: deviceSignIn(options.signIn), takesForm: true },
    { action: readConfiguration as Action, call: configuration(options.watch), waits: true },
    { action: evidenceFile as Action, call: evidence, answersFile: true },
    { action: currentUserPhoto as Action, call: ownPhoto, answersFile: true },
    { action: photoOfPerson as Action, call: photoOfOne, answersFile: true },
    { action: changes as Action, call: options.stream, waits: true },
    trySourceRoute,
    ...packageFileRoutes(options.files),
    ...unitFileRoutes(options.files),
    ...offboardingRoutes(options.files),
  ];
}

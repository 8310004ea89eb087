/** Calls that shape their own answer: packets in, the agent's long poll, the picture of a person, the stream of changes. */
import { readConfiguration } from '@cloudfit/contract/actions/agent.ts';
import { postBlockValue } from '@cloudfit/contract/actions/blocks.ts';
import { acceptPackets, type itemAnswer } from '@cloudfit/contract/actions/ingest.ts';
import { changes } from '@cloudfit/contract/actions/live.ts';
import { currentUserPhoto } from '@cloudfit/contract/actions/session.ts';
import { ApiError, notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import type { z } from 'zod';
import type { Action } from '@cloudfit/contract/action.ts';
import { isFedBlock } from '../features/blocks/fed-block.ts';
import { agentConfiguration } from '../features/devices/agent/configuration.ts';
import type { DeviceWatch } from '../features/devices/agent/device-watch.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Implemented } from '../resources/action.ts';
import type { RawCall } from './api.ts';
import { packageFileCalls, type FileOptions } from './package-files.ts';

/** What main gives: ingest lives in a room of its own that HTTP does not know. */
export type IngestBody = (ctx: Ctx, body: unknown, contentType: string) => Promise<{ value: z.infer<typeof itemAnswer>[] }>;

const packets =
  (ingest: IngestBody): RawCall =>
  async (ctx, request, reply) => {
    const answer = await ingest(ctx, request.body, request.headers['content-type'] ?? 'application/json');
    return reply.send(answer);
  };

/** The value goes the way of every packet: history, latest and rules. */
const blockValue =
  (ingest: IngestBody): RawCall =>
  async (ctx, request, reply, path) => {
    const parsed = postBlockValue.input.safeParse({ ...(request.body as object | undefined), id: path.segments[1] });
    if (!parsed.success) throw validationFailed(parsed.error.issues.map((i) => ({ target: i.path.join('.'), message: i.message })));
    const { id, value } = parsed.data;
    if (!(await isFedBlock(ctx, id))) throw notFound('Block');
    const [item] = (await ingest(ctx, { entityId: id, message: { Value: value } }, 'application/json')).value;
    if (item?.status !== 'stored') throw validationFailed([{ target: 'value', message: item?.message ?? 'The value was not taken.' }]);
    return reply.send({ entityId: id, status: item.status });
  };

const configuration =
  (watch: DeviceWatch): RawCall =>
  async (ctx, request, reply) => {
    const parsed = readConfiguration.input.safeParse(request.query);
    if (!parsed.success) throw new ApiError('InvalidQueryOption', 'Name machineKey or deviceId, and wait in seconds.');
    const { machineKey, deviceId, wait } = parsed.data;
    const who = machineKey ? { machineKey } : deviceId ? { deviceId } : null;
    if (!who) throw new ApiError('InvalidQueryOption', 'Name machineKey or deviceId.');
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const etag = request.headers['if-none-match']?.replaceAll(/^(W\/)?"|"$/g, '');
    const answer = await agentConfiguration(ctx, watch, who, {
      signal: gone.signal,
      ...(etag ? { etag } : {}),
      ...(wait === undefined ? {} : { waitSeconds: wait }),
    });
    if (!answer) return reply.code(304).send();
    return reply.header('etag', `"${answer.version}"`).send(answer);
  };

// Sign-in gives an address of a picture at most; until pictures are kept here, the portal shows initials.
const photo: RawCall = async (_ctx, _request, reply) => reply.code(204).send();

function declare(action: Action): Implemented {
  return {
    action,
    run: () => {
      throw new Error(`${action.name} answers by itself.`);
    },
  };
}

/** Their declarations for the router, and what answers them. */
export function rawCalls(options: { ingest: IngestBody; watch: DeviceWatch; stream: RawCall; files: FileOptions }): {
  actions: readonly Implemented[];
  calls: ReadonlyMap<string, RawCall>;
} {
  const pairs: readonly [Action, RawCall][] = [
    [acceptPackets as Action, packets(options.ingest)],
    [postBlockValue as Action, blockValue(options.ingest)],
    [readConfiguration as Action, configuration(options.watch)],
    [currentUserPhoto as Action, photo],
    [changes as Action, options.stream],
    ...packageFileCalls(options.files),
  ];
  return {
    actions: pairs.map(([action]) => declare(action)),
    calls: new Map(pairs.map(([action, call]) => [`${action.method} ${action.path}`.toLowerCase(), call])),
  };
}

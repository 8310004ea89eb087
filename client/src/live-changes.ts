/** Follows the stream of changes (`GET /v1/changes`) over interruptions. */
import type { ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import { backoffMs, doublingDelays } from '@cloudfit/contract/backoff.ts';
import { readEvents } from '@cloudfit/contract/client/event-stream.ts';
import { CallFailed, notOfApi, wait, type RequestSender } from './send.ts';

/** A changed row: its entity, key, verb and tenant, and the position of the change in the stream. */
export interface LiveChange extends ChangeEvent {
  position: string | undefined;
}

export interface FollowOptions {
  /** The position after which the changes go on; without one they begin with the last `seconds`. */
  after?: string | undefined;
  /** How far back the changes begin, in seconds; by default now. */
  seconds?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Told of each interruption, after which the connection is made again, and that it is there again. */
  onInterruption?: ((failure: Error | undefined) => void) | undefined;
}

/** The server tells its position every 20 seconds; after this silence, in milliseconds, the connection is taken for lost. */
const silentMs = 50_000;
const delays = { delaysMs: doublingDelays(500, 30_000), jitter: [0.5, 1.5] as const };

/** Refusals that another try does not change, such as a missing permission, and answers of something else than a server. */
const isFinal = (error: unknown) => error instanceof CallFailed && error.status > 0 && error.status < 500 && error.status !== 429;

/** Yields changes until its loop ends; throws `CallFailed` when the caller may not read them. */
export async function* readLiveChanges(send: RequestSender, options: FollowOptions = {}): AsyncGenerator<LiveChange, never, undefined> {
  const { signal, seconds, onInterruption } = options;
  let { after } = options;
  let failures = 0;
  for (;;) {
    try {
      for await (const change of oneConnection(send, { after, seconds, signal })) {
        if (failures > 0) onInterruption?.(undefined);
        failures = 0;
        after = change.position ?? after;
        if (change.entity !== '') yield change;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (isFinal(error)) throw error;
      failures += 1;
      if (failures === 1) onInterruption?.(error instanceof Error ? error : new Error(String(error)));
      await wait(backoffMs(failures, delays), signal);
    }
  }
}

/** One connection, until the server ends it. A position without a change has an empty entity. */
async function* oneConnection(send: RequestSender, { after, seconds, signal }: FollowOptions): AsyncGenerator<LiveChange, void, undefined> {
  const silence = new AbortController();
  const path = after === undefined && seconds !== undefined ? `/v1/changes?seconds=${seconds}` : '/v1/changes';
  const ended = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  const answer = await send({ method: 'GET', path, accept: 'text/event-stream', after, signal: ended });
  if (!/^text\/event-stream\b/i.test(answer.headers.get('content-type') ?? ''))
    throw notOfApi(answer, answer.url === '' ? 'The server' : new URL(answer.url).origin);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let buffer = '';
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(new CallFailed(0, 'The stream of changes is silent.')), silentMs);
      const { done, value } = await reader.read();
      if (done) return;
      const changes: LiveChange[] = [];
      buffer = readEvents(buffer + value, (position, text) =>
        changes.push({ ...nothing, ...(text === '' ? {} : JSON.parse(text)), position }),
      );
      yield* changes;
    }
  } finally {
    clearTimeout(timer);
    // Ends the connection also when the loop of the caller ends.
    silence.abort();
  }
}

const nothing: ChangeEvent = { entity: '', id: '', verb: '', tenantId: null };

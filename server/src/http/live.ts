/** One event stream per open page: the changed rows that its reader may see. */
import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { changes, type ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import { ApiError, tooManyRequests } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { may, type Ctx } from '../context/ctx.ts';
import { servedNamed } from '../resources/served.ts';
import { inputOf } from './action-routes.ts';
import type { RawCall } from './request-steps.ts';
import type { ChangeFeed, ChangeRow } from './change-feed.ts';
import { takeOver } from './security-headers.ts';

const keepAliveMs = 20_000;
const resumeRows = 500;
/** Maximum number of open streams of one caller; each costs a connection and memory. */
const streamsAtOnce = 30;
/** Milliseconds after which a stream is closed, because proxies and browsers handle endless streams badly. */
const lifetimeMs = 5 * 60_000;

/** Entities of events that are not about rows, each with the resource whose viewers get these events. */
const seenWith: Readonly<Record<string, string>> = { [presenceEntity]: workUnits.name };

/** The change as the reader of a stream may see it. */
function visible(ctx: Ctx, row: ChangeRow): ChangeRow | undefined {
  if (ctx.tenants !== 'all' && row.tenantId !== null && !ctx.tenants.includes(row.tenantId)) return undefined;
  const resource = findResource(seenWith[row.entity] ?? row.entity);
  if (!resource) return undefined;
  const view = permission(resource.area, 'view');
  // Changes of rows without a tenant go to everybody with the permission, or, if the resource restricts who sees such
  // rows, only to people with the permission in all tenants.
  const isEverybodys = servedNamed(resource.name).rowsFor === undefined;
  if (may(ctx, view, row.tenantId ?? (isEverybodys ? undefined : null))) return row;
  // Rows of many tenants may be of a group of others. Pages learn that some have changed, and read what they may see.
  return 'tenantGroupId' in resource.fields && may(ctx, view, undefined) ? { ...row, id: '' } : undefined;
}

/** Tells a page to reload everything. */
const reloadAll: ChangeRow = { position: '', entity: '*', id: '', verb: 'update', tenantId: null };

function event(row: ChangeRow): string {
  const { position, entity, id, verb, tenantId, page } = row;
  const data: ChangeEvent = { entity, id, verb, tenantId, ...(page === undefined ? {} : { page }) };
  return `${position ? `id: ${position}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
}

/** Authenticates the reader of a stream again and returns the present ctx; throws when the reader may no longer read. */
type Reauthenticate = (request: FastifyRequest) => Promise<Ctx>;

/** Open streams; a stopping server closes them, because they would not end by themselves. */
interface Streams {
  open: Map<ServerResponse, { caller: string; check: () => void }>;
  closed: boolean;
}

/** Returns the call that answers `GET /v1/changes`. The entity `*` tells a page to reload everything, which missed too much or whose reader has other permissions. */
function stream(feed: ChangeFeed, streams: Streams, askAgain: Reauthenticate): RawCall {
  return async (first, request, reply) => {
    const { raw } = reply;
    let ctx = first;
    if (request.method === 'HEAD') throw new ApiError('MethodNotAllowed', 'HEAD is not offered here.');
    const { seconds } = inputOf(changes, request);
    const caller = `${ctx.actor.kind} ${ctx.actor.id}`;
    if ([...streams.open.values()].filter((item) => item.caller === caller).length >= streamsAtOnce)
      throw tooManyRequests('Too many open pages follow changes. Please close some of them.', 60);
    // A stream that has ended and is not closed yet would fail the process.
    const write = (text: string): void => {
      if (!raw.writableEnded) raw.write(text);
    };
    const send = (rows: readonly ChangeRow[]): void => {
      const text = rows
        .flatMap((row) => visible(ctx, row) ?? [])
        .map(event)
        .join('');
      if (text) write(text);
    };
    const check = (): void => {
      askAgain(request).then(
        (now) => {
          const isChanged = !isDeepStrictEqual([now.tenants, now.permissions], [ctx.tenants, ctx.permissions]);
          ctx = now;
          // The page shows what its reader could read before: it asks for everything again, its permissions included.
          if (isChanged) write(event(reloadAll));
        },
        // The stream stays open while the database is unavailable. Otherwise the page learns by its next calls what it may not read any more.
        (error: unknown) => {
          if (error instanceof ApiError && error.code === 'Unavailable') return;
          write(event(reloadAll));
          raw.end();
        },
      );
    };
    streams.open.set(raw, { caller, check });
    // Subscribes to the feed before the head of the response is sent: the client loads its data after the head, and must not
    // miss a change in between.
    const unsubscribe = feed.subscribe(send);
    takeOver(reply);
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    raw.write('retry: 2000\n\n');
    const from = request.headers['last-event-id'];
    const resumes = typeof from === 'string' && from !== '';
    if (resumes || seconds !== undefined) {
      const read = resumes ? feed.since(from, resumeRows) : feed.recent(seconds ?? 0, resumeRows);
      const missed = await read.catch(() => null);
      if (missed) send(missed);
      else write(event(reloadAll));
    }
    // Also keeps the connection open. Without it, a page that gets no events for long could not resume: the position of its latest
    // event would be too old.
    const tellPosition = () => write(`id: ${feed.position()}\n\n`);
    tellPosition();
    const alive = setInterval(() => {
      tellPosition();
      check();
    }, keepAliveMs);
    const end = setTimeout(() => raw.end(), lifetimeMs);
    raw.once('close', () => {
      streams.open.delete(raw);
      unsubscribe();
      clearInterval(alive);
      clearTimeout(end);
    });
    if (streams.closed || raw.destroyed) raw.destroy();
    // Ends the stream if the sign-in has ended while the stream was being opened.
    else check();
    return reply;
  };
}

export interface Live {
  call: RawCall;
  close(): void;
}

/**
 * Returns the call of the stream. A sign-out, a disabled account or a revoked token closes its streams at once; changed
 * permissions apply to the next events of a stream, and reload its page.
 */
export function liveCall(feed: ChangeFeed, authenticator: Pick<Authenticator, 'authenticate' | 'onChange'>): Live {
  const streams: Streams = { open: new Map(), closed: false };
  const askAgain: Reauthenticate = ({ headers, ip, id, log }) =>
    authenticator.authenticate({ authorization: headers.authorization, address: ip, correlationId: id, log: log as Logger });
  const stopAsking = authenticator.onChange(() => {
    for (const { check } of streams.open.values()) check();
  });
  return {
    call: stream(feed, streams, askAgain),
    close: () => {
      streams.closed = true;
      stopAsking();
      for (const raw of streams.open.keys()) raw.end();
    },
  };
}

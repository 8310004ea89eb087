/** One event stream per open page: which rows changed, of those that its reader may see. */
import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import { ApiError, tooManyRequests } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { may, type Ctx } from '../context/ctx.ts';
import { servedNamed } from '../resources/served.ts';
import type { RawCall } from './request-steps.ts';
import type { ChangeFeed, ChangeRow } from './change-feed.ts';
import { takeOver } from './security-headers.ts';

const keepAliveMs = 20_000;
const resumeRows = 500;
/** One for each open page; each costs a connection and memory. */
const streamsAtOnce = 30;
/** Proxies and browsers take it better when streams end now and then. */
const lifetimeMs = 5 * 60_000;

/** News that are no rows: who may view these rows learns of them. */
const seenWith: Readonly<Record<string, string>> = { [presenceEntity]: workUnits.name };

function visible(ctx: Ctx, row: ChangeRow): boolean {
  if (ctx.tenants !== 'all' && row.tenantId !== null && !ctx.tenants.includes(row.tenantId)) return false;
  const resource = findResource(seenWith[row.entity] ?? row.entity);
  if (!resource) return false;
  // Of what belongs to no tenant, and is not everybody's, only those learn who see all of it.
  const isEverybodys = servedNamed(resource.name).rowsFor === undefined;
  return may(ctx, permission(resource.area, 'view'), row.tenantId ?? (isEverybodys ? undefined : null));
}

function event(row: ChangeRow): string {
  const { position, entity, id, verb, tenantId, page } = row;
  const data: ChangeEvent = { entity, id, verb, tenantId, ...(page === undefined ? {} : { page }) };
  return `${position ? `id: ${position}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
}

/** Who the reader of a stream is now; throws when they may no longer read. */
type AskAgain = (request: FastifyRequest) => Promise<Ctx>;

/** Open streams; a server that stops ends them, for they would not end by themselves. */
interface Streams {
  open: Map<ServerResponse, { caller: string; check: () => void }>;
  closed: boolean;
}

/** Answers `GET /v1/changes`; the entity `*` tells a page that was away too long to load again. */
function stream(feed: ChangeFeed, streams: Streams, askAgain: AskAgain): RawCall {
  return async (first, request, reply) => {
    const { raw } = reply;
    let ctx = first;
    if (request.method === 'HEAD') throw new ApiError('MethodNotAllowed', 'HEAD is not offered here.');
    const caller = `${ctx.actor.kind} ${ctx.actor.id}`;
    if ([...streams.open.values()].filter((one) => one.caller === caller).length >= streamsAtOnce)
      throw tooManyRequests('Too many open pages follow changes. Please close some of them.', 60);
    const send = (rows: readonly ChangeRow[]): void => {
      const text = rows
        .filter((row) => visible(ctx, row))
        .map(event)
        .join('');
      if (text) raw.write(text);
    };
    // Before the head: who has the head has loaded nothing yet that could be missed.
    const check = (): void => {
      askAgain(request).then(
        (now) => (ctx = now),
        // While the database is away nothing is sent either.
        (error: unknown) => {
          if (!(error instanceof ApiError && error.code === 'Unavailable')) raw.end();
        },
      );
    };
    streams.open.set(raw, { caller, check });
    const unsubscribe = await feed.subscribe(send).catch((error: unknown) => {
      streams.open.delete(raw);
      throw error;
    });
    takeOver(reply);
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    raw.write('retry: 2000\n\n');
    const from = request.headers['last-event-id'];
    if (typeof from === 'string' && from !== '') {
      const missed = await feed.since(from, resumeRows).catch(() => null);
      if (missed) send(missed);
      else raw.write(event({ position: '', entity: '*', id: '', verb: 'update', tenantId: null }));
    }
    const alive = setInterval(() => {
      raw.write(': \n\n');
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
    // What ended while the stream was being opened.
    else check();
    return reply;
  };
}

export interface Live {
  call: RawCall;
  close(): void;
}

/** A sign-out, a disabled account, a revoked token end their streams at once; other rights hold for the next change. */
export function liveCall(feed: ChangeFeed, authenticator: Pick<Authenticator, 'authenticate' | 'onChange'>): Live {
  const streams: Streams = { open: new Map(), closed: false };
  const askAgain: AskAgain = ({ headers, ip, id, log }) =>
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

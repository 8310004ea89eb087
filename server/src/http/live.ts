/** One event stream per open page: which rows changed, of those that its reader may see. */
import type { ServerResponse } from 'node:http';
import type { ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import { ApiError, tooManyRequests } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { presenceEntity } from '@cloudfit/contract/presence.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { may, type Ctx } from '../context/ctx.ts';
import { servedNamed } from '../resources/served.ts';
import type { RawCall } from './raw-calls.ts';
import type { ChangeFeed, ChangeRow } from './change-feed.ts';
import { takeOver } from './security-headers.ts';

const keepAliveMs = 20_000;
const resumeRows = 500;
/** One for each open page; each costs a connection and memory. */
const streamsAtOnce = 30;
/** A stream holds what its caller could see at the start, so it ends before rights can be long out of date. */
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

/** Open streams; a server that stops ends them, for they would not end by themselves. */
interface Streams {
  open: Map<ServerResponse, string>;
  closed: boolean;
}

/** Answers `GET /v1/changes`; the entity `*` tells a page that was away too long to load again. */
function stream(feed: ChangeFeed, streams: Streams): RawCall {
  return async (ctx, request, reply) => {
    const { raw } = reply;
    if (request.method === 'HEAD') throw new ApiError('MethodNotAllowed', 'HEAD is not offered here.');
    const caller = `${ctx.actor.kind} ${ctx.actor.id}`;
    if ([...streams.open.values()].filter((one) => one === caller).length >= streamsAtOnce)
      throw tooManyRequests('Too many open pages follow changes. Please close some of them.', 60);
    const send = (rows: readonly ChangeRow[]): void => {
      const text = rows
        .filter((row) => visible(ctx, row))
        .map(event)
        .join('');
      if (text) raw.write(text);
    };
    // Before the head: who has the head has loaded nothing yet that could be missed.
    streams.open.set(raw, caller);
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
    const alive = setInterval(() => raw.write(': \n\n'), keepAliveMs);
    const end = setTimeout(() => raw.end(), lifetimeMs);
    raw.once('close', () => {
      streams.open.delete(raw);
      unsubscribe();
      clearInterval(alive);
      clearTimeout(end);
    });
    if (streams.closed || raw.destroyed) raw.destroy();
    return reply;
  };
}

export interface Live {
  call: RawCall;
  close(): void;
}

export function liveCall(feed: ChangeFeed): Live {
  const streams: Streams = { open: new Map(), closed: false };
  return {
    call: stream(feed, streams),
    close: () => {
      streams.closed = true;
      for (const raw of streams.open.keys()) raw.end();
    },
  };
}

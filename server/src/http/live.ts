/** One event stream per open page: which rows changed, of those that its reader may see. */
import { changes } from '@cloudfit/contract/actions/live.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import type { Action } from '@cloudfit/contract/action.ts';
import { may, type Ctx } from '../ctx.ts';
import type { Implemented } from '../resources/action.ts';
import type { RawCall } from './api.ts';
import type { ChangeFeed, ChangeRow } from './change-feed.ts';

const keepAliveMs = 20_000;
const resumeRows = 500;
/** A stream holds what its caller could see at the start, so it ends before rights can be long out of date. */
const lifetimeMs = 5 * 60_000;

function visible(ctx: Ctx, row: ChangeRow): boolean {
  if (ctx.tenants !== 'all' && row.tenantId !== null && !ctx.tenants.includes(row.tenantId)) return false;
  const resource = findResource(row.entity);
  if (!resource) return false;
  return may(ctx, permission(resource.area, 'view'), row.tenantId ?? undefined);
}

function event(row: ChangeRow): string {
  const { position, entity, id, verb, tenantId } = row;
  return `id: ${position}\ndata: ${JSON.stringify({ entity, id, verb, tenantId })}\n\n`;
}

/** Answers `GET /v1/changes`; a `reset` event tells a page that was away too long to load anew. */
function stream(feed: ChangeFeed): RawCall {
  return async (ctx, request, reply) => {
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    raw.write('retry: 2000\n\n');
    const send = (rows: readonly ChangeRow[]): void => {
      const text = rows.filter((row) => visible(ctx, row)).map(event).join('');
      if (text) raw.write(text);
    };
    const from = request.headers['last-event-id'];
    if (typeof from === 'string' && from !== '') {
      const missed = await feed.since(from, resumeRows).catch(() => null);
      if (missed) send(missed);
      else raw.write('event: reset\ndata: {}\n\n');
    }
    const unsubscribe = feed.subscribe(send);
    const alive = setInterval(() => raw.write(': \n\n'), keepAliveMs);
    const end = setTimeout(() => raw.end(), lifetimeMs);
    raw.once('close', () => {
      unsubscribe();
      clearInterval(alive);
      clearTimeout(end);
    });
    return reply;
  };
}

export function liveCall(feed: ChangeFeed): { action: Implemented; key: string; call: RawCall } {
  const action = changes as Action;
  return { action: { action, run: () => { throw new Error('The stream answers by itself.'); } }, key: `${action.method} ${action.path}`.toLowerCase(), call: stream(feed) };
}

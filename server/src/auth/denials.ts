/**
 * Audits refusals for a missing permission: the first `denialsPerMinute` per caller and minute one by one, further ones
 * as a count.
 */
import { startOf } from '@cloudfit/contract/one-line.ts';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { minuteMs } from '@cloudfit/contract/durations.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { recordAboutPerson, recordAudit, type AuditEntry } from './audit-entry.ts';

export const denialsPerMinute = 20;
const maxCallers = 10_000;

export interface Denial {
  method: string;
  /** The path of the request without its query string, which may contain secrets. */
  path: string;
  entity: string;
  message: string;
}

type DeniedCaller = Pick<Ctx, 'actor' | 'tenants' | 'address'>;

interface DenialWindow {
  caller: DeniedCaller;
  startedMs: number;
  recorded: number;
  more: number;
}

export interface Denials {
  note(ctx: Ctx, denial: Denial): void;
  /** Audits the counts of refusals that are not recorded yet. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function createDenials(database: Database, log: Logger, now: () => number = Date.now): Denials {
  const db = database.scoped('all');
  const windows = new Map<string, DenialWindow>();
  const writing = new Set<Promise<void>>();

  function record(
    { actor, tenants, address }: DeniedCaller,
    entry: Pick<AuditEntry, 'entity' | 'entityId' | 'after' | 'correlationId'>,
  ): void {
    const [only = null, ...others] = tenants === 'all' ? [] : tenants;
    const about = {
      ...entry,
      actor: { kind: actor.kind, id: actor.id, name: actor.kind === 'person' ? actor.userName : actor.name },
      verb: 'denied',
      address,
    };
    const written = (
      actor.kind === 'person'
        ? recordAboutPerson(db, actor.id, about)
        : recordAudit(db, { ...about, tenantId: others.length === 0 ? only : null })
    )
      .catch((error: unknown) => log.warn({ err: error }, 'A refusal could not be audited.'))
      .finally(() => writing.delete(written));
    writing.add(written);
  }

  function end(window: DenialWindow): void {
    if (window.more === 0) return;
    const after = { more: window.more, from: new Date(window.startedMs).toISOString() };
    record(window.caller, { entity: 'requests', entityId: '', after, correlationId: randomUUID() });
  }

  async function flush(): Promise<void> {
    for (const [key, window] of windows) {
      end(window);
      windows.delete(key);
    }
    await Promise.all(writing);
  }

  const timer = setInterval(() => {
    for (const [key, window] of windows) {
      if (now() - window.startedMs < minuteMs) continue;
      end(window);
      windows.delete(key);
    }
  }, minuteMs / 4);
  timer.unref();

  return {
    note: (ctx, { method, path, entity, message }) => {
      // A refusal during an impersonation is recorded for the administrator who sees as another person.
      const actor = ctx.seer ?? ctx.actor;
      if (actor.kind === 'system') return;
      const key = `${actor.kind} ${actor.id}`;
      let window = windows.get(key);
      if (window && now() - window.startedMs >= minuteMs) {
        end(window);
        window = undefined;
      }
      if (!window) {
        const [oldest] = windows.size >= maxCallers ? windows : [];
        if (oldest) {
          end(oldest[1]);
          windows.delete(oldest[0]);
        }
        const { tenants, address } = ctx;
        window = { caller: { actor, tenants, ...(address === undefined ? {} : { address }) }, startedMs: now(), recorded: 0, more: 0 };
        windows.set(key, window);
      }
      if (window.recorded >= denialsPerMinute) {
        window.more++;
        return;
      }
      window.recorded++;
      record(window.caller, {
        entity,
        entityId: path.slice(0, 300),
        after: { method, reason: startOf(message, 500) },
        correlationId: ctx.correlationId,
      });
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

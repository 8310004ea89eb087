/** Takes packets in: checks each, stores them, runs the rules, and answers after the commit what happened to each. */
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { itemAnswer } from '@cloudfit/contract/actions/ingest.ts';
import { ApiError, forbidden } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../ctx.ts';
import type { Database, Db, TenantScope } from '../db/connection.ts';
import { openCompiledRules, type CompiledRules } from './compiled-rules.ts';
import { decideMatches, type Decision } from './decide-matches.ts';
import { openEntities, type Entities, type Entity } from './entities.ts';
import { evaluateEntity, type Evaluated, type Hit, type Note } from './evaluate-entity.ts';
import { maintenanceAt } from './maintenance.ts';
import { parseBody, type RawItem } from './parse-body.ts';
import { isRefusal, parsePacket, type Packet } from './parse-packet.ts';
import { keepReceipts, lockLatest, receiptKey, storePackets, type StoredPacket } from './store.ts';
import { lockOpenMatches, storeMatches } from './store-matches.ts';

/** What happened to one item, in the order of the batch; `message` says why it was refused. */
export type ItemAnswer = z.infer<typeof itemAnswer>;

export interface Ingest {
  /** Items as they were sent; refused ones never cost their neighbours. Throws only when nothing was stored. */
  ingest(ctx: Ctx, items: readonly RawItem[]): Promise<ItemAnswer[]>;
  /** The same from a request body: text, or what was parsed from it. */
  ingestBody(ctx: Ctx, body: unknown, contentType: string): Promise<{ value: ItemAnswer[] }>;
  readonly rules: CompiledRules;
  readonly entities: Entities;
  stop(): Promise<void>;
}

interface Accepted {
  packet: Packet;
  entity: Entity;
  tenantId: string;
}

function mayIngest(ctx: Ctx): boolean {
  return ctx.actor.kind === 'system' || (ctx.actor.kind === 'token' && ctx.actor.scopes.includes('ingest'));
}

function refusalOf(entity: Entity | undefined, tenants: TenantScope): string | undefined {
  // Another tenant's entity is answered like one that does not exist.
  if (!entity || (tenants !== 'all' && !tenants.includes(entity.tenantId))) return 'No device has this entityId.';
  return entity.enabled ? undefined : 'The device is disabled.';
}

function byEntity(accepted: readonly Accepted[]): Map<string, Accepted[]> {
  const groups = new Map<string, Accepted[]>();
  for (const one of accepted) {
    const group = groups.get(one.entity.id);
    if (group) group.push(one);
    else groups.set(one.entity.id, [one]);
  }
  return groups;
}

/** Errors of two batches that met: the whole batch is tried again. */
const meetings = new Set(['40P01', '40001', '55P03', '23505']);

function isMeeting(error: unknown): boolean {
  const cause = error instanceof ApiError ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' && meetings.has(cause.code);
}

/** Opens the caches that ingest stands on; one per process. */
export async function openIngest(options: { database: Database; log: Logger }): Promise<Ingest> {
  const [rules, entities] = await Promise.all([openCompiledRules(options), openEntities(options.database)]);

  function writesOf(accepted: readonly Accepted[], results: ReadonlyMap<string, Evaluated>): StoredPacket[] {
    return accepted.map(({ packet, tenantId, entity }) => {
      const result = results.get(entity.id);
      const newest = result?.newest === packet;
      return { packet, tenantId, newest, state: newest ? result?.state : undefined };
    });
  }

  /** The work of one batch in its transaction; answers the indexes that were stored. */
  async function write(db: Db, sent: readonly Accepted[], now: number, writing: Promise<unknown>[]): Promise<ReadonlySet<number>> {
    const named = sent.filter(({ packet }) => packet.messageId !== undefined);
    const fresh = named.length > 0 ? await keepReceipts(db, named) : undefined;
    const accepted = fresh ? sent.filter(({ packet }) => packet.messageId === undefined || fresh.has(packet.index)) : sent;
    if (accepted.length === 0) return new Set();

    const groups = byEntity(accepted);
    const latest = await lockLatest(db, new Map([...groups].map(([id, [first]]) => [id, first?.tenantId ?? ''])));
    const index = rules.ingestion();
    const results = new Map<string, Evaluated>();
    const hits: Hit[] = [];
    const notes: Note[] = [];
    for (const [id, group] of groups) {
      const first = group[0];
      if (!first) continue;
      const result = evaluateEntity(
        index,
        first.entity,
        latest.get(id),
        group.map(({ packet }) => packet),
      );
      results.set(id, result);
      hits.push(...result.hits);
      notes.push(...result.notes);
    }
    const maintenance = rules.maintenance();
    const decision: Decision =
      hits.length > 0
        ? decideMatches(hits, await lockOpenMatches(db, hits), (hit) => maintenanceAt(maintenance, hit.entity, hit.packet.timestamp), now)
        : { opened: [], repeated: [], ended: [] };

    // Sent, not awaited: they travel with the commit, and the caller looks at their outcome after it.
    writing.push(storePackets(db, writesOf(accepted, results), now));
    if (hits.length > 0 || notes.length > 0) writing.push(storeMatches(db, decision, notes, now));
    for (const one of writing) one.catch(() => undefined);
    return new Set(accepted.map(({ packet }) => packet.index));
  }

  // Row by row, row-level security would cost as much as the insert itself. Each packet carries the tenant of
  // its entity, which was held against the caller's tenants, so the statements run without it.
  const db = options.database.scoped('all');

  async function store(sent: readonly Accepted[], now: number): Promise<ReadonlySet<number>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const writing: Promise<unknown>[] = [];
        const stored = await db.transaction((tx) => write(tx, sent, now, writing));
        await Promise.all(writing);
        return stored;
      } catch (error) {
        if (attempt === 3 || !isMeeting(error)) throw error;
      }
    }
  }

  async function ingest(ctx: Ctx, items: readonly RawItem[]): Promise<ItemAnswer[]> {
    if (!mayIngest(ctx)) throw forbidden('Packets are sent with a tenant token that may ingest.');
    const now = ctx.now().getTime();
    const parsed = items.map((item, index) => parsePacket(item, index, now));
    const known = await entities.find(new Set(parsed.filter((one) => !isRefusal(one)).map((one) => one.entityId as string)));
    const answers: ItemAnswer[] = [];
    const accepted: Accepted[] = [];
    const seen = new Set<string>();
    for (const one of parsed) {
      const entity = isRefusal(one) ? undefined : known.get(one.entityId);
      const refusal = isRefusal(one) ? one.message : refusalOf(entity, ctx.tenants);
      answers.push({
        index: one.index,
        ...(one.entityId === undefined ? {} : { entityId: one.entityId }),
        ...(refusal ? { status: 'refused', message: refusal } : { status: 'duplicate' }),
      });
      if (refusal || isRefusal(one) || !entity) continue;
      if (one.messageId !== undefined) {
        if (seen.has(receiptKey(one))) continue;
        seen.add(receiptKey(one));
      }
      accepted.push({ packet: one, entity, tenantId: entity.tenantId });
    }
    if (accepted.length === 0) return answers;
    for (const index of await store(accepted, now)) {
      const answer = answers[index];
      if (answer) answer.status = 'stored';
    }
    return answers;
  }

  return {
    ingest,
    ingestBody: async (ctx, body, contentType) => ({ value: await ingest(ctx, parseBody(body, contentType)) }),
    rules,
    entities,
    stop: async () => void (await Promise.all([rules.stop(), entities.stop()])),
  };
}

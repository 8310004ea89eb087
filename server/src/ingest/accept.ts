/** Takes packets in: checks each, stores them, runs the rules, and answers after the commit what happened to each. */
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { itemAnswer } from '@cloudfit/contract/actions/ingest.ts';
import { blockType } from '@cloudfit/contract/enums.ts';
import { ApiError, forbidden } from '@cloudfit/contract/errors.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { meters } from '../platform/meters.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Database, TenantScope } from '../db/connection.ts';
import { openCompiledRules, type CompiledRules } from '../rules/compiled-rules.ts';
import { openEntities, type Entities, type Entity } from '../rules/entities.ts';
import { inFlights } from './flights.ts';
import { newLatestCache } from './latest-cache.ts';
import { parseBody, type RawItem } from './parse-body.ts';
import type { IncomingPacket } from '../rules/packet.ts';
import { isRefusal, parsePacket } from './parse-packet.ts';
import { receiptKey } from './store.ts';
import { batchWriter, type Accepted } from './write-batch.ts';

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

const smallTextLength = 200;

/**
 * Half of the usual pool of connections, so that reads find some. Small callers travel together, large ones alone: a flight keeps others
 * with the same entities waiting until it has landed.
 */
const flights = { total: 10, perKey: 8, items: 100, patienceMs: 10_000 } as const;

const queueFull = () => new ApiError('Unavailable', 'Too many packets are waiting just now. Please try again.');

function mayIngest(ctx: Ctx): boolean {
  return ctx.actor.kind === 'system' || (ctx.actor.kind === 'token' && ctx.actor.scopes.includes('ingest'));
}

function refusalOf(entity: Entity | undefined, tenants: TenantScope, packet: IncomingPacket): string | undefined {
  // Another tenant's entity is answered like one that does not exist.
  if (!entity || (tenants !== 'all' && !tenants.includes(entity.tenantId))) return 'Nothing that reports has this entityId.';
  if (!entity.enabled) return entity.kind === 'operation' ? 'The device operation is disabled.' : 'The device is disabled.';
  return entity.kind === 'block' ? blockValueProblem(entity, packet.message.Value) : undefined;
}

/** A block shows what its type can show. */
function blockValueProblem(entity: Entity, value: PacketMessage['Value']): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (entity.block?.blockTypeId === blockType.numeric)
    return typeof value === 'number' ? undefined : 'A numeric block takes a number as its Value.';
  return String(value).length <= smallTextLength
    ? undefined
    : `A smallText block takes at most ${smallTextLength} characters as its Value.`;
}

function tally(answers: readonly ItemAnswer[]): void {
  for (const { status } of answers) {
    if (status === 'stored') meters.packetsStored += 1;
    else if (status === 'duplicate') meters.packetsDuplicate += 1;
    else meters.packetsRefused += 1;
  }
}

/** Opens the caches that ingest stands on; one per process. */
export async function openIngest(options: { database: Database; log: Logger }): Promise<Ingest> {
  const [rules, entities] = await Promise.all([openCompiledRules(options), openEntities(options.database)]);
  const write = batchWriter({ rules, latest: newLatestCache() });

  async function take(ctx: Ctx, items: readonly RawItem[]): Promise<ItemAnswer[]> {
    const now = ctx.now().getTime();
    const parsed = items.map((item, index) => parsePacket(item, index, now));
    const known = await entities.find(new Set(parsed.filter((one) => !isRefusal(one)).map((one) => one.entityId as string)));
    const answers: ItemAnswer[] = [];
    const accepted: Accepted[] = [];
    const seen = new Set<string>();
    for (const one of parsed) {
      const entity = isRefusal(one) ? undefined : known.get(one.entityId);
      const refusal = isRefusal(one) ? one.message : refusalOf(entity, ctx.tenants, one);
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
    if (accepted.length === 0) {
      tally(answers);
      return answers;
    }
    for (const { packet } of await write(ctx.db, accepted, { now, hops: ctx.hops ?? 0 })) {
      const answer = answers[packet.index];
      if (answer) answer.status = 'stored';
    }
    tally(answers);
    return answers;
  }

  const keyOf = ({ tenants, hops = 0 }: Ctx): string => `${hops} ${tenants === 'all' ? 'all' : tenants.join(',')}`;
  const together = inFlights({ ...flights, keyOf, refusal: queueFull }, take);

  async function ingest(ctx: Ctx, items: readonly RawItem[]): Promise<ItemAnswer[]> {
    if (!mayIngest(ctx)) throw forbidden('Packets are sent with a tenant token that may ingest.');
    const answers = await together(ctx, items);
    // Its own places, not those in the flight.
    const first = answers[0]?.index ?? 0;
    return first === 0 ? answers : answers.map((answer) => ({ ...answer, index: answer.index - first }));
  }

  return {
    ingest,
    ingestBody: async (ctx, body, contentType) => ({ value: await ingest(ctx, parseBody(body, contentType)) }),
    rules,
    entities,
    stop: async () => void (await Promise.all([rules.stop(), entities.stop()])),
  };
}

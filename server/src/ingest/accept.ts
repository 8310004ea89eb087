/**
 * Accepts packets: `ingestItems` adds the items of a call to a batch, `acceptBatch` checks them, `writeBatch` runs the rules
 * and stores everything in one transaction. The caller gets an answer for each item after the commit.
 */
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { itemAnswer } from '@cloudfit/contract/actions/ingest.ts';
import { blockType } from '@cloudfit/contract/enums.ts';
import { ApiError, forbidden } from '@cloudfit/contract/errors.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { meters } from '../platform/meters.ts';
import { takeTurns } from '../platform/turns.ts';
import { hasScope, type Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { openCompiledRules, type CompiledRules } from '../rules/run/compiled-rules.ts';
import { openEntities, type Entities } from '../rules/run/entities.ts';
import type { Entity } from '../rules/run/entity.ts';
import { addToBatch, newBatcher, type Batcher } from '../platform/batcher.ts';
import { newLatestCache } from './latest-cache.ts';
import { parseBody, type RawItem } from './parse-body.ts';
import type { IncomingPacket } from '../rules/run/packet.ts';
import { isRefusal, parsePacket, type RefusedItem } from './parse-packet.ts';
import type { PacketRefusal } from './refusals.ts';
import { receiptKey } from './store.ts';
import { writeBatch, type BatchWriter } from './write-batch.ts';
import type { AcceptedPacket } from './batch.ts';

/** What happened to one item; answers come in the order of the items. `message` says why an item was refused. */
export type ItemAnswer = z.infer<typeof itemAnswer>;

export interface Ingest {
  /** Accepts items as they were sent. A refused item does not affect the others. Throws only when nothing was stored. */
  ingest(ctx: Ctx, items: readonly RawItem[]): Promise<ItemAnswer[]>;
  /** Accepts the items of a request body: the received bytes, or the value that was parsed from these bytes. */
  ingestBody(ctx: Ctx, body: unknown, contentType: string): Promise<{ value: ItemAnswer[] }>;
  readonly rules: CompiledRules;
  readonly entities: Entities;
  stop(): Promise<void>;
}

const smallTextLength = 200;

/**
 * Ten batches use half of the usual pool of connections, so that reads get connections too. Small requests share a batch. A
 * large request fills a batch of its own: a batch blocks other batches with the same entities until its commit. While a batch runs, the next
 * one waits a moment for more requests, because commits are what limits packets that are sent one at a time.
 */
const batchLimits = { maxRunning: 10, maxRunningPerKey: 8, eager: { batches: 1, lingerMs: 5 }, maxItems: 100, maxWaitMs: 10_000 } as const;

const timedOut = () => new ApiError('Unavailable', 'Too many packets are waiting just now. Please try again.');

/** The dependencies of a batch. */
interface BatchContext {
  database: Pick<Database, 'scoped'>;
  entities: Entities;
  writer: BatchWriter;
}

/** The size of the caches where the process has no setting for it, as in tests. */
const defaultCachedEntities = 10_000;

/** Opens ingest with the caches that it needs: of at most `cachedEntities` entities, and as many latest packets. Called once per process. */
export async function openIngest(options: { database: Database; log: Logger; cachedEntities?: number }): Promise<Ingest> {
  const { cachedEntities = defaultCachedEntities } = options;
  const [rules, entities] = await Promise.all([openCompiledRules(options), openEntities(options.database, cachedEntities)]);
  const context: BatchContext = { database: options.database, entities, writer: { rules, latest: newLatestCache(cachedEntities) } };
  const run = (_first: Ctx, items: readonly SentItem[]) => acceptBatch(context, items);
  const batcher = newBatcher({ ...batchLimits, keyOf: batchKey, mayShare: (one, other) => hopsOf(one) === hopsOf(other), timedOut, run });
  return {
    ingest: (ctx, items) => ingestItems(batcher, ctx, items),
    ingestBody: async (ctx, body, contentType) => ({ value: await ingestItems(batcher, ctx, await parseBody(body, contentType)) }),
    rules,
    entities,
    stop: async () => void (await Promise.all([rules.stop(), entities.stop()])),
  };
}

/** An item with its sender, whose tenants it may name, and, for an agent, whose device alone. */
interface SentItem {
  item: RawItem;
  sender: Ctx;
}

const hopsOf = ({ hops = 0 }: Ctx): number => hops;
const tenantsOf = ({ tenants }: Ctx): string => (tenants === 'all' ? tenants : tenants.join(','));

/** Callers of the same tenants wait in one queue. Those of other tenants share their batches, unless the number of hops differs. */
const batchKey = (ctx: Ctx): string => `${hopsOf(ctx)} ${tenantsOf(ctx)}`;

async function ingestItems(batcher: Batcher<Ctx, SentItem, ItemAnswer>, ctx: Ctx, items: readonly RawItem[]): Promise<ItemAnswer[]> {
  if (!mayIngest(ctx)) throw forbidden('Packets are sent with a tenant token that may ingest.');
  const answers = await addToBatch(
    batcher,
    ctx,
    items.map((item) => ({ item, sender: ctx })),
  );
  // A batch numbers the items of all its calls; the caller gets numbers that begin at 0.
  const first = answers[0]?.index ?? 0;
  return first === 0 ? answers : answers.map((answer) => ({ ...answer, index: answer.index - first }));
}

function mayIngest(ctx: Ctx): boolean {
  return ctx.actor.kind === 'system' || hasScope(ctx, 'ingest');
}

/** Checks the items of a batch, writes those that pass, and returns what happened to each item. */
async function acceptBatch({ database, entities, writer }: BatchContext, items: readonly SentItem[]): Promise<ItemAnswer[]> {
  const [first] = items;
  if (!first) return [];
  const now = first.sender.now().getTime();
  const turn = takeTurns();
  const parsed: (IncomingPacket | RefusedItem)[] = [];
  for (const [index, { item }] of items.entries()) {
    parsed.push(parsePacket(item, index, now));
    await turn();
  }
  const entityById = await entities.find(new Set(parsed.filter((item) => !isRefusal(item)).map((packet) => packet.entityId as string)));
  const { answers, accepted } = checkItems(parsed, entityById, items);
  if (accepted.length > 0)
    for (const { packet } of await writeBatch(writer, dbOf(database, items, accepted), accepted, { now, hops: hopsOf(first.sender) })) {
      const answer = answers[packet.index];
      if (answer) answer.status = 'stored';
    }
  tally(answers);
  return answers;
}

/**
 * The database in the scope of a batch: that of its senders if all have the same, else the tenants of the accepted packets alone. So
 * row-level security holds for what a batch reads and writes, whoever shares it.
 */
function dbOf(database: Pick<Database, 'scoped'>, items: readonly SentItem[], accepted: readonly AcceptedPacket[]): Db {
  const [first] = items;
  const tenants = first && tenantsOf(first.sender);
  if (first && items.every(({ sender }) => sender === first.sender || tenantsOf(sender) === tenants)) return first.sender.db;
  return database.scoped([...new Set(accepted.map(({ tenantId }) => tenantId))].toSorted());
}

/**
 * Checks items against their entities. The answer of a valid item is `duplicate` until the item is stored. A repeated message
 * id within the batch is written once.
 */
function checkItems(
  parsed: readonly (IncomingPacket | RefusedItem)[],
  entityById: ReadonlyMap<string, Entity>,
  sent: readonly SentItem[],
): { answers: ItemAnswer[]; accepted: AcceptedPacket[] } {
  const answers: ItemAnswer[] = [];
  const accepted: AcceptedPacket[] = [];
  const receiptKeys = new Set<string>();
  for (const item of parsed) {
    const entity = isRefusal(item) ? undefined : entityById.get(item.entityId);
    const refusal = isRefusal(item) ? item.refusal : refusalOf(entity, sent[item.index]?.sender, item);
    answers.push({
      index: item.index,
      ...(item.entityId === undefined ? {} : { entityId: item.entityId }),
      ...(refusal ? { status: 'refused', ...refusal } : { status: 'duplicate' }),
    });
    if (refusal || isRefusal(item) || !entity) continue;
    if (item.messageId !== undefined) {
      const key = receiptKey(item);
      if (receiptKeys.has(key)) continue;
      receiptKeys.add(key);
    }
    accepted.push({ packet: item, entity, tenantId: entity.tenantId });
  }
  return { answers, accepted };
}

function refusalOf(entity: Entity | undefined, sender: Ctx | undefined, packet: IncomingPacket): PacketRefusal | undefined {
  // An entity of another tenant gets the same answer as an unknown entity.
  if (!entity || !sender || (sender.tenants !== 'all' && !sender.tenants.includes(entity.tenantId)))
    return {
      code: 'UnknownEntity',
      message: 'Unknown entity. Send the id of a device or device operation, or the entityId of a block, of this tenant.',
    };
  if (sender.actor.kind === 'device' && entity.device?.id !== sender.actor.id)
    return {
      code: 'OtherDevice',
      message: 'This entity belongs to another device. A device reports for itself and for its own operations.',
    };
  if (entity.tenantDisabled) return { code: 'TenantDisabled', message: 'The tenant is disabled.' };
  if (!entity.enabled)
    return {
      code: 'EntityDisabled',
      message: entity.kind === 'operation' ? 'The device operation is disabled.' : 'The device is disabled.',
    };
  const problem = entity.kind === 'block' ? blockValueProblem(entity, packet.message.Value) : undefined;
  return problem === undefined ? undefined : { code: 'InvalidBlockValue', message: problem };
}

/** The problem of a value for the type of its block; undefined when there is none. */
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

/**
 * Accepts packets: `ingestItems` adds the items of a call to a batch, `acceptBatch` checks them, `writeBatch` runs the rules
 * and stores everything in one transaction. The caller gets an answer for each item after the commit.
 */
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { itemAnswer } from '@cloudfit/contract/actions/ingest.ts';
import { ApiError, forbidden } from '@cloudfit/contract/errors.ts';
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
import { refusalByEntity } from './refusal-by-entity.ts';
import { refusals, type PacketRefusal } from './refusals.ts';
import { publishPackets } from './stream/publish.ts';
import type { PacketStream } from './stream/stream.ts';
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
  /** What writes packets, for those that come from a stream. */
  readonly writer: BatchWriter;
  stop(): Promise<void>;
}

/**
 * Ten batches use half of the usual pool of connections, so that reads get connections too. Small requests share a batch. A
 * large request fills a batch of its own: a batch blocks other batches with the same entities until its commit. While a batch runs, the next
 * one waits a moment for more requests, because commits are what limits packets that are sent one at a time.
 */
const batchLimits = {
  maxRunning: 10,
  maxRunningPerKey: 8,
  eager: { batches: 1, lingerMs: 20, gatherMs: 3 },
  maxItems: 100,
  maxWaitMs: 10_000,
} as const;

/** How long packets for a stream wait for unknown entities to be read. A database that stalls holds up only packets of these. */
const lookupMs = 1_500;

const timedOut = () => new ApiError('Unavailable', 'Too many packets are waiting just now. Please try again.');

/** The dependencies of a batch. */
interface BatchContext {
  database: Pick<Database, 'scoped'>;
  entities: Entities;
  writer: BatchWriter;
  /** Where accepted packets wait until they are written; without one they are written at once. */
  stream: PacketStream | undefined;
}

/** The size of the caches where the process has no setting for it, as in tests. */
const defaultCachedEntities = 10_000;

/**
 * Opens ingest with the caches that it needs: of at most `cachedEntities` entities, and as many latest packets. Called once per process. With a
 * `stream`, accepted packets go there instead of into the database.
 */
export async function openIngest(options: {
  database: Database;
  log: Logger;
  cachedEntities?: number;
  stream?: PacketStream | undefined;
}): Promise<Ingest> {
  const { cachedEntities = defaultCachedEntities, stream } = options;
  const [rules, entities] = await Promise.all([openCompiledRules(options), openEntities(options.database, cachedEntities)]);
  const writer: BatchWriter = { rules, latest: newLatestCache(cachedEntities) };
  const context: BatchContext = { database: options.database, entities, writer, stream };
  const run = (_first: Ctx, items: readonly SentItem[]) => acceptBatch(context, items);
  const batcher = newBatcher({ ...batchLimits, keyOf: batchKey, mayShare: (one, other) => hopsOf(one) === hopsOf(other), timedOut, run });
  return {
    ingest: (ctx, items) => ingestItems(batcher, ctx, items),
    ingestBody: async (ctx, body, contentType) => ({ value: await ingestItems(batcher, ctx, await parseBody(body, contentType)) }),
    rules,
    entities,
    writer,
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

/** What happened to an item; an error when it could not be taken although others were, so that its whole request fails. */
type ItemOutcome = ItemAnswer | ApiError;

async function ingestItems(batcher: Batcher<Ctx, SentItem, ItemOutcome>, ctx: Ctx, items: readonly RawItem[]): Promise<ItemAnswer[]> {
  if (!mayIngest(ctx)) throw forbidden('Packets are sent with a tenant token that may ingest.');
  const outcomes = await addToBatch(
    batcher,
    ctx,
    items.map((item) => ({ item, sender: ctx })),
  );
  const answers = outcomes.map((outcome) => {
    if (outcome instanceof ApiError) throw outcome;
    return outcome;
  });
  // A batch numbers the items of all its calls; the caller gets numbers that begin at 0.
  const first = answers[0]?.index ?? 0;
  return first === 0 ? answers : answers.map((answer) => ({ ...answer, index: answer.index - first }));
}

function mayIngest(ctx: Ctx): boolean {
  return ctx.actor.kind === 'system' || hasScope(ctx, 'ingest');
}

/** Checks the items of a batch, writes those that pass, and returns what happened to each item. */
async function acceptBatch({ database, entities, writer, stream }: BatchContext, items: readonly SentItem[]): Promise<ItemOutcome[]> {
  const [first] = items;
  if (!first) return [];
  const now = first.sender.now().getTime();
  const turn = takeTurns();
  const parsed: (IncomingPacket | RefusedItem)[] = [];
  for (const [index, { item }] of items.entries()) {
    parsed.push(parsePacket(item, index, now));
    await turn();
  }
  const ids = new Set(parsed.filter((item) => !isRefusal(item)).map((packet) => packet.entityId as string));
  const entityById = await entities.find(ids, stream && lookupMs);
  const { answers, accepted, repeated } = checkItems(parsed, entityById, items, stream !== undefined);
  const receipt = { now, received: now, hops: hopsOf(first.sender) };
  if (stream && accepted.length > 0) return acceptedBy(stream, items, { answers, accepted }, receipt);
  const outcomes: ItemOutcome[] = answers;
  if (accepted.length > 0) {
    const { stored, failed } = await writeBatch(writer, dbOf(database, items, accepted), accepted, receipt);
    for (const { packet } of stored) {
      const answer = answers[packet.index];
      if (answer) answer.status = 'stored';
    }
    if (failed) {
      // Nothing is stored of a packet whose first sending has failed, so its repetition is no duplicate.
      const keys = new Set(failed.packets.map(({ packet }) => receiptKey(packet)));
      const again = repeated.filter((packet) => keys.has(receiptKey(packet)));
      const errors = new Map([...failed.packets.map(({ packet }) => packet), ...again].map((packet) => [packet.index, failed.error]));
      tellFailures(outcomes, items, stored, errors);
    }
  }
  tally(outcomes);
  return outcomes;
}

/**
 * Tells senders which items failed, by their indexes. A request of which nothing was stored that its repetition would double fails as a whole, so
 * that its sender repeats it. Of any other the sender learns which items to send again.
 */
function tellFailures(
  outcomes: ItemOutcome[],
  items: readonly SentItem[],
  stored: readonly AcceptedPacket[],
  errors: ReadonlyMap<number, ApiError>,
): void {
  const partly = new Set(stored.filter(({ packet }) => packet.messageId === undefined).map(({ packet }) => items[packet.index]?.sender));
  for (const [index, error] of errors) {
    const answer = outcomes[index];
    if (!partly.has(items[index]?.sender) || !answer || answer instanceof ApiError) outcomes[index] = error;
    else outcomes[index] = { ...answer, status: 'refused', ...refusals.notStored };
  }
}

/** Publishes the accepted packets of a batch. A packet is `stored` when the stream has it on its disk. */
async function acceptedBy(
  stream: PacketStream,
  items: readonly SentItem[],
  { answers, accepted }: { answers: ItemAnswer[]; accepted: readonly AcceptedPacket[] },
  receipt: { now: number; hops: number },
): Promise<ItemOutcome[]> {
  const packets = accepted.flatMap((packet) => {
    const { sender } = items[packet.packet.index] ?? {};
    return sender ? [{ ...packet, sender }] : [];
  });
  const outcomes: ItemOutcome[] = answers;
  const stored: AcceptedPacket[] = [];
  const errors = new Map<number, ApiError>();
  for (const [one, outcome] of await publishPackets(stream, packets, receipt)) {
    const answer = answers[one.packet.index];
    if (outcome instanceof ApiError) errors.set(one.packet.index, outcome);
    else if (outcome && answer) {
      answer.status = 'stored';
      stored.push(one);
    }
  }
  tellFailures(outcomes, items, stored, errors);
  for (const outcome of outcomes) {
    if (outcome instanceof ApiError || outcome.status === 'duplicate') continue;
    if (outcome.status === 'stored') meters.packetsAccepted += 1;
    else meters.packetsRefused += 1;
  }
  return outcomes;
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
 * id within the batch is written once; with `perRequest` within a request, where others may fail alone.
 */
function checkItems(
  parsed: readonly (IncomingPacket | RefusedItem)[],
  entityById: ReadonlyMap<string, Entity>,
  sent: readonly SentItem[],
  perRequest: boolean,
): { answers: ItemAnswer[]; accepted: AcceptedPacket[]; repeated: IncomingPacket[] } {
  const answers: ItemAnswer[] = [];
  const accepted: AcceptedPacket[] = [];
  const repeated: IncomingPacket[] = [];
  const receiptKeys = new Set<string>();
  let request = sent[0]?.sender;
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
      const sender = sent[item.index]?.sender;
      if (perRequest && sender !== request) receiptKeys.clear();
      request = sender;
      const key = receiptKey(item);
      if (receiptKeys.has(key)) {
        repeated.push(item);
        continue;
      }
      receiptKeys.add(key);
    }
    accepted.push({ packet: item, entity, tenantId: entity.tenantId });
  }
  return { answers, accepted, repeated };
}

function refusalOf(entity: Entity | undefined, sender: Ctx | undefined, packet: IncomingPacket): PacketRefusal | undefined {
  // An entity of another tenant gets the same answer as an unknown entity.
  if (!entity || !sender || (sender.tenants !== 'all' && !sender.tenants.includes(entity.tenantId))) return refusals.unknownEntity;
  if (sender.actor.kind === 'device' && entity.device?.id !== sender.actor.id)
    return {
      code: 'OtherDevice',
      message: 'This entity belongs to another device. A device reports for itself and for its own operations.',
    };
  return refusalByEntity(entity, packet.message);
}

function tally(outcomes: readonly ItemOutcome[]): void {
  for (const outcome of outcomes) {
    if (outcome instanceof ApiError) continue;
    const { status } = outcome;
    if (status === 'stored') meters.packetsStored += 1;
    else if (status === 'duplicate') meters.packetsDuplicate += 1;
    else meters.packetsRefused += 1;
  }
}

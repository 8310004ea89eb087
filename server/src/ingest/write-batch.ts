/** Runs the rules on a batch of packets and stores the packets with everything that follows from them, in one transaction. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Db } from '../db/db.ts';
import type { CompiledRules } from '../rules/run/compiled-rules.ts';
import { countParts, storeParts } from '../rules/run/count-many.ts';
import { isCorrelatedBy } from '../rules/run/correlated.ts';
import { decideMatches, type Decision } from '../rules/run/decide-matches.ts';
import type { UsualAt } from '../rules/run/baselines/usual-values.ts';
import type { EntityEvaluation, LatestPacketState } from '../rules/run/evaluate-entity.ts';
import { evaluateEntity, latestAfter } from '../rules/run/evaluate-packets.ts';
import type { LatestCache } from './latest-cache.ts';
import { inMaintenance, maintenanceOf } from '../rules/run/maintenance/maintenance.ts';
import { announceSilenceHits } from '../rules/run/silence/announce.ts';
import { noteUnexpected } from '../rules/run/maintenance/unexpected.ts';
import { readLatest } from '../rules/run/latest.ts';
import { timed } from '../rules/run/order/packet-times.ts';
import { withRewinds } from './rewinds.ts';
import { evaluateDependents } from './evaluate-dependents.ts';
import { changedClocks, noteClocks } from './note-clocks.ts';
import { noteHosts, reportedHosts } from './note-hosts.ts';
import { conflictCodes, storeCurrent, storeReceipts, storePackets, storePacketsThen, type PacketToStore } from './store.ts';
import { lockOpenMatches, storeMatches } from '../rules/run/store-matches.ts';
import type { AcceptedPacket, BatchEvaluation, LatestOf } from './batch.ts';

interface Receipt {
  now: number;
  /** When the packets were received: before `now` when they have waited in a stream. */
  received: number;
  /** Through how many rules and actions the cause of the packets has passed (see `Ctx`). */
  hops: number;
  /** What is written in the same transaction. */
  along?: (tx: Db) => Promise<void>;
}

export interface BatchWriter {
  rules: CompiledRules;
  latest: LatestCache;
}

/** What became of a batch; packets in neither list are duplicates. */
interface BatchOutcome {
  stored: AcceptedPacket[];
  /** Packets that could not be stored after others were. */
  failed?: { packets: readonly AcceptedPacket[]; error: ApiError };
}

const noDecision: Decision = { opened: [], repeated: [], ended: [], revived: [] };

const lockTimedOut = '55P03';

/** SQLSTATEs after which another attempt may succeed: our two conflicts, deadlocks and lock time-outs. */
const conflicts = new Set<unknown>([conflictCodes.latest, conflictCodes.receipt, '40P01', lockTimedOut]);
const maxAttempts = 5;

/** The number of attempts without locks while other processes write the same entities; a conflict is rare, since each reads first. */
const attemptsWithoutLock = 2;

/**
 * Writes a batch. The first attempt relies on the cache of latest packets; while other processes write the same entities it reads them first,
 * and only the packets of entities that one of them has written in between are tried again. The last attempts read under lock.
 * A batch of several tenants fails on a lock that it waited for in vain, so that its caller can write each tenant's packets separately.
 */
export function writeBatch(writer: BatchWriter, db: Db, sent: readonly AcceptedPacket[], receipt: Receipt): Promise<BatchOutcome> {
  const { latest } = writer;
  const ids = [...new Set(sent.map(({ entity }) => entity.id))];
  return latest.exclusive(ids, async () => {
    let isResent = false;
    let left = sent;
    const stored: AcceptedPacket[] = [];
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (attempt > (isResent ? 1 : attemptsWithoutLock)) {
          latest.forget(ids);
          stored.push(...(await writeUnderLock(writer, db, left, receipt)));
          return { stored };
        }
        const stale = await writeFromCache(writer, db, left, receipt);
        for (const packet of left) if (!stale.has(packet.entity.id)) stored.push(packet);
        if (stale.size === 0) return { stored };
        latest.noteSharing();
        left = left.filter(({ entity }) => stale.has(entity.id));
      } catch (error) {
        const code = codeOf(error);
        // The cache may be wrong about which packets are the latest.
        if (code === conflictCodes.latest) latest.noteSharing();
        else latest.forget(ids);
        // Only `writeUnderLock` finds out which message ids were stored before.
        isResent ||= code === conflictCodes.receipt;
        const isLocked = code === lockTimedOut && sent.some(({ tenantId }) => tenantId !== sent[0]?.tenantId);
        if (attempt < maxAttempts && !isLocked && conflicts.has(code)) continue;
        if (stored.length === 0) throw error;
        // The caller tries again what fails as a whole, which would store the others twice.
        return { stored, failed: { packets: left, error: error instanceof ApiError ? error : unexpected(error) } };
      }
    }
  });
}

const unexpected = (cause: unknown): ApiError =>
  Object.assign(new ApiError('InternalError', 'Something went wrong on the server.'), { cause });

function codeOf(error: unknown): unknown {
  return error instanceof ApiError ? (error.cause as { code?: unknown } | undefined)?.code : undefined;
}

function byEntity(accepted: readonly AcceptedPacket[]): Map<string, AcceptedPacket[]> {
  const groups = new Map<string, AcceptedPacket[]>();
  for (const one of accepted) {
    const group = groups.get(one.entity.id);
    if (group) group.push(one);
    else groups.set(one.entity.id, [one]);
  }
  return groups;
}

/**
 * Evaluates with the cached latest packets. A batch without hits, notes and sums is written in one round trip. The database
 * refuses the write when the cache is out of date. While other processes write the same entities, the latest packets are read in the transaction
 * of the write, which leaves out the entities that another process has written in between; these are returned.
 */
async function writeFromCache(
  writer: BatchWriter,
  db: Db,
  sent: readonly AcceptedPacket[],
  receipt: Receipt,
): Promise<ReadonlySet<string>> {
  if (!writer.latest.isShared()) return evaluateAndWrite(writer, db, sent, receipt, storeAll);
  return db.transaction((tx) => evaluateAndWrite(writer, tx, sent, receipt, storeCurrent));
}

/** The entities that a write has left out, where it leaves out none. */
const noneStale: ReadonlySet<string> = new Set();
const storeAll: typeof storeCurrent = async (...plain) => (await storePackets(...plain), noneStale);

async function evaluateAndWrite(
  { rules, latest }: BatchWriter,
  db: Db,
  sent: readonly AcceptedPacket[],
  receipt: Receipt,
  storePlain: typeof storeCurrent,
): Promise<ReadonlySet<string>> {
  const groups = byEntity(sent);
  const before = await readUnknown(latest, db, [...groups.keys()]);
  const rewound = await withRewinds(db, groups, before);
  const latestOf: LatestOf = (id) => rewound.get(id);
  const evaluation = await evaluateAll(rules, db, groups, latestOf);
  if (rules.dependent().size > 0) await evaluateDependents(db, rules, groups, latestOf, evaluation, receipt.now);
  const rows = rowsOf(sent, evaluation.results, latestOf);
  const receipts = sent.some(({ packet }) => packet.messageId !== undefined);
  const clocks = changedClocks(groups, evaluation, latestOf);
  const hosts = reportedHosts(groups);
  let stale = noneStale;
  if (evaluation.hits.length + evaluation.notes.length + evaluation.parts.length + clocks.length + hosts.length === 0 && !receipt.along)
    stale = await storePlain(db, rows, receipt.received, receipts);
  else
    await db.transaction(async (tx) => {
      await storeBatch(rules, tx, rows, evaluation, receipt, receipts);
      await noteClocks(tx, clocks);
      await noteHosts(tx, hosts);
      await receipt.along?.(tx);
    });
  for (const [id, result] of evaluation.results)
    if (!stale.has(id)) latest.set(id, latestAfter(before.get(id), result) ?? before.get(id) ?? null);
  return stale;
}

/**
 * Returns the latest packets: the cached ones, and those that are read because the cache lacks them. While other processes write the same
 * entities all are read, and a cached one is used where it is still the latest, since it knows more about packets out of order.
 */
async function readUnknown(cache: LatestCache, db: Db, ids: readonly string[]): Promise<Map<string, LatestPacketState | null | undefined>> {
  const states = new Map(ids.map((id) => [id, cache.get(id)]));
  const unknown = cache.isShared() ? ids : ids.filter((id) => states.get(id) === undefined);
  if (unknown.length === 0) return states;
  const stored = await readLatest(db, unknown, false);
  for (const id of unknown) {
    const [cached, latest] = [states.get(id), stored.get(id)];
    const isLatest = cached && cached.packetId === latest?.packetId && (cached.revision ?? 0) === latest.revision;
    if (!isLatest) states.set(id, latest ?? null);
  }
  return states;
}

/**
 * Stores the message ids first, which shows the duplicates, and reads the latest packets under lock. Does not use the cache,
 * which may be out of date.
 */
async function writeUnderLock(
  { rules }: BatchWriter,
  db: Db,
  sent: readonly AcceptedPacket[],
  receipt: Receipt,
): Promise<readonly AcceptedPacket[]> {
  return db.transaction(async (tx) => {
    const withMessageId = sent.filter(({ packet }) => packet.messageId !== undefined);
    const fresh = withMessageId.length > 0 ? await storeReceipts(tx, withMessageId) : undefined;
    const accepted = fresh ? sent.filter(({ packet }) => packet.messageId === undefined || fresh.has(packet.index)) : sent;
    await receipt.along?.(tx);
    if (accepted.length === 0) return accepted;
    const groups = byEntity(accepted);
    const locked = await readLatest(tx, [...groups.keys()], true);
    const rewound = await withRewinds(tx, groups, locked);
    const latestOf: LatestOf = (id) => rewound.get(id);
    const evaluation = await evaluateAll(rules, tx, groups, latestOf);
    if (rules.dependent().size > 0) await evaluateDependents(tx, rules, groups, latestOf, evaluation, receipt.now);
    await storeBatch(rules, tx, rowsOf(accepted, evaluation.results, latestOf), evaluation, receipt, false);
    await noteClocks(tx, changedClocks(groups, evaluation, latestOf));
    await noteHosts(tx, reportedHosts(groups));
    return accepted;
  });
}

function evaluateAll(
  rules: CompiledRules,
  db: Db,
  groups: ReadonlyMap<string, readonly AcceptedPacket[]>,
  latestOf: LatestOf,
): Promise<BatchEvaluation> {
  return rules.usual.evaluate(db, rules.ingestion(), (usualAt) => evaluateBatch(rules, groups, latestOf, usualAt));
}

function evaluateBatch(
  rules: CompiledRules,
  groups: ReadonlyMap<string, readonly AcceptedPacket[]>,
  latestOf: LatestOf,
  usualAt: UsualAt | undefined,
): BatchEvaluation {
  const counting = rules.aggregation();
  const evaluation: BatchEvaluation = {
    results: new Map(),
    hits: [],
    notes: [],
    parts:
      counting.size > 0
        ? countParts(
            counting,
            [...groups].flatMap(([id, group]) => timedOf(group, latestOf(id))),
          )
        : [],
  };
  const [index, dependent] = [rules.ingestion(), rules.dependent()];
  const keepMemoryOf = { get: (id: string, tenantId?: string) => index.get(id, tenantId) ?? dependent.get(id, tenantId) };
  const options = { ...(dependent.size > 0 ? { keepMemoryOf } : {}), usualAt, gaps: rules.gaps() };
  for (const [id, group] of groups) {
    const first = group[0];
    if (!first) continue;
    const result = evaluateEntity(
      index,
      first.entity,
      latestOf(id) ?? undefined,
      group.map(({ packet }) => packet),
      options,
    );
    evaluation.results.set(id, result);
    if (result.hits.length > 0) evaluation.hits.push(...result.hits);
    if (result.notes.length > 0) evaluation.notes.push(...result.notes);
  }
  return evaluation;
}

/** Returns packets of one entity at the times at which rules evaluate them. */
function timedOf(
  group: readonly AcceptedPacket[],
  latest: LatestPacketState | null | undefined,
): Pick<AcceptedPacket, 'packet' | 'entity'>[] {
  const [first] = group;
  if (!first) return [];
  const { packets } = timed(
    latest ?? undefined,
    group.map(({ packet }) => packet),
  );
  return packets.map(({ packet }) => ({ packet, entity: first.entity }));
}

function rowsOf(accepted: readonly AcceptedPacket[], results: ReadonlyMap<string, EntityEvaluation>, latestOf: LatestOf): PacketToStore[] {
  /** The entities without a newest packet, of which another one stores the memory. */
  const revised = new Set<string>();
  return accepted.map(({ packet, tenantId, entity }) => {
    const result = results.get(entity.id);
    const newest = result?.newest === packet;
    const revises = result?.newest === undefined && result?.state !== undefined && !revised.has(entity.id);
    if (revises) revised.add(entity.id);
    const latest = latestOf(entity.id);
    return {
      packet,
      tenantId,
      newest,
      builtOn: latest?.packetId ?? null,
      revision: latest?.revision ?? 0,
      evaluated: result?.times?.get(packet) ?? null,
      state: newest || revises ? result?.state : undefined,
    };
  });
}

/** Decides about matches and writes everything that follows from a batch, in its transaction. */
async function storeBatch(
  rules: CompiledRules,
  tx: Db,
  rows: readonly PacketToStore[],
  { hits, notes, parts }: BatchEvaluation,
  { now, received, hops }: Receipt,
  receipts: boolean,
): Promise<void> {
  const maintenance = maintenanceOf(rules);
  let decision = noDecision;
  if (hits.length > 0) {
    // Writes all latest packets before it locks open matches: two batches that lock both in different order can deadlock.
    const open = await storePacketsThen(tx, rows, received, { receipts, next: () => lockOpenMatches(tx, hits, now, hops) });
    decision = decideMatches(hits, open, (hit) => inMaintenance(maintenance, hit, now), now);
  } else await storePackets(tx, rows, received, receipts);
  await storeParts(tx, parts);
  await announceSilenceHits(tx, hits);
  await storeMatches(tx, decision, notes, now, { isCorrelated: isCorrelatedBy(rules.correlation()), hops, brake: rules.brake });
  if (decision.opened.length > 0) await noteUnexpected(tx, decision.opened, maintenance);
}

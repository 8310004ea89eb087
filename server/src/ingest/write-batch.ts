/** Runs the rules on a batch and stores all that follows from it, or nothing. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Db } from '../db/connection.ts';
import type { CompiledRules } from '../rules/compiled-rules.ts';
import { countParts, storeParts, type CountPart } from '../rules/count-many.ts';
import { isCorrelatedBy } from '../rules/correlated.ts';
import { decideMatches, type Decision } from '../rules/decide-matches.ts';
import type { Entity } from '../rules/entities.ts';
import { evaluateEntity, type Evaluated, type RuleHit, type Latest, type EvaluationNote } from '../rules/evaluate-entity.ts';
import type { LatestCache } from './latest-cache.ts';
import { maintenanceAt } from '../rules/maintenance.ts';
import type { IncomingPacket } from '../rules/packet.ts';
import { readLatest } from '../rules/latest.ts';
import { keepReceipts, metOver, storePackets, type StoredPacket } from './store.ts';
import { lockOpenMatches, storeMatches } from '../rules/store-matches.ts';

/** A checked packet and who sent it. */
export interface Accepted {
  packet: IncomingPacket;
  entity: Entity;
  tenantId: string;
}

/** When a batch came, and how far it is from what began its chain, see `Ctx`. */
interface Receipt {
  now: number;
  hops: number;
}

interface BatchEvaluation {
  results: Map<string, Evaluated>;
  hits: RuleHit[];
  notes: EvaluationNote[];
  /** For rules that count packets of many entities. */
  parts: readonly CountPart[];
}

type LatestOf = (id: string) => Latest | null | undefined;

const noDecision: Decision = { opened: [], repeated: [], ended: [] };

/** Deadlocks, lock time-outs and lost races besides our own. */
const meetings = new Set<unknown>([metOver.latest, metOver.receipt, '40P01', '55P03']);
const attempts = 5;

function codeOf(error: unknown): unknown {
  return error instanceof ApiError ? (error.cause as { code?: unknown } | undefined)?.code : undefined;
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

export function batchWriter(options: { rules: CompiledRules; latest: LatestCache }) {
  const { rules, latest } = options;

  function evaluateAll(groups: ReadonlyMap<string, readonly Accepted[]>, latestOf: LatestOf): BatchEvaluation {
    const counting = rules.aggregation();
    const evaluation: BatchEvaluation = {
      results: new Map(),
      hits: [],
      notes: [],
      parts: counting.size > 0 ? countParts(counting, [...groups.values()].flat()) : [],
    };
    const index = rules.ingestion();
    for (const [id, group] of groups) {
      const first = group[0];
      if (!first) continue;
      const result = evaluateEntity(
        index,
        first.entity,
        latestOf(id) ?? undefined,
        group.map(({ packet }) => packet),
      );
      evaluation.results.set(id, result);
      if (result.hits.length > 0) evaluation.hits.push(...result.hits);
      if (result.notes.length > 0) evaluation.notes.push(...result.notes);
    }
    return evaluation;
  }

  function rowsOf(accepted: readonly Accepted[], results: ReadonlyMap<string, Evaluated>, latestOf: LatestOf): StoredPacket[] {
    return accepted.map(({ packet, tenantId, entity }) => {
      const result = results.get(entity.id);
      const newest = result?.newest === packet;
      return { packet, tenantId, newest, builtOn: latestOf(entity.id)?.packetId ?? null, state: newest ? result?.state : undefined };
    });
  }

  /** The writes of a batch in its transaction; they travel with the commit. */
  async function send(
    tx: Db,
    rows: readonly StoredPacket[],
    { hits, notes, parts }: BatchEvaluation,
    { now, hops }: Receipt,
    receipts: boolean,
  ): Promise<void> {
    const maintenance = rules.maintenance();
    const decision =
      hits.length > 0
        ? decideMatches(hits, await lockOpenMatches(tx, hits), (hit) => maintenanceAt(maintenance, hit.entity, hit.packet.timestamp), now)
        : noDecision;
    await storePackets(tx, rows, now, receipts);
    await storeParts(tx, parts);
    await storeMatches(tx, decision, notes, now, { isCorrelated: isCorrelatedBy(rules.correlation()), hops });
  }

  /** In one flight, on what is remembered: right unless somebody else was quicker, which the database tells. */
  async function writeAtOnce(
    db: Db,
    groups: ReadonlyMap<string, readonly Accepted[]>,
    sent: readonly Accepted[],
    received: Receipt,
  ): Promise<readonly Accepted[]> {
    const unknown = [...groups.keys()].filter((id) => latest.get(id) === undefined);
    if (unknown.length > 0) {
      const latestById = await readLatest(db, unknown, false);
      for (const id of unknown) latest.set(id, latestById.get(id) ?? null);
    }
    // Not from the cache again: it may have made room for others meanwhile.
    const before = new Map([...groups.keys()].map((id) => [id, latest.get(id)]));
    const latestOf: LatestOf = (id) => before.get(id);
    const evaluation = evaluateAll(groups, latestOf);
    const rows = rowsOf(sent, evaluation.results, latestOf);
    const receipts = sent.some(({ packet }) => packet.messageId !== undefined);
    if (evaluation.hits.length === 0 && evaluation.notes.length === 0 && evaluation.parts.length === 0)
      await storePackets(db, rows, received.now, receipts);
    else await db.transaction((tx) => send(tx, rows, evaluation, received, receipts));
    for (const [id, { newest, state }] of evaluation.results) {
      if (newest) latest.set(id, { timestamp: newest.timestamp, packetId: newest.packetId, state: state ?? before.get(id)?.state ?? {} });
    }
    return sent;
  }

  /** Under lock, after the senders' ids are known to be new. What it stores is not remembered: somebody else writes here too. */
  async function writeUnderLock(db: Db, sent: readonly Accepted[], received: Receipt): Promise<readonly Accepted[]> {
    return db.transaction(async (tx) => {
      const named = sent.filter(({ packet }) => packet.messageId !== undefined);
      const fresh = named.length > 0 ? await keepReceipts(tx, named) : undefined;
      const accepted = fresh ? sent.filter(({ packet }) => packet.messageId === undefined || fresh.has(packet.index)) : sent;
      if (accepted.length === 0) return accepted;
      const groups = byEntity(accepted);
      const locked = await readLatest(tx, [...groups.keys()], true);
      const latestOf: LatestOf = (id) => locked.get(id);
      const evaluation = evaluateAll(groups, latestOf);
      await send(tx, rowsOf(accepted, evaluation.results, latestOf), evaluation, received, false);
      return accepted;
    });
  }

  /** Answers those that were stored; the others were stored before. */
  return function write(db: Db, sent: readonly Accepted[], received: Receipt): Promise<readonly Accepted[]> {
    const groups = byEntity(sent);
    const ids = [...groups.keys()];
    return latest.exclusive(ids, async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          if (attempt === 1 && !latest.isContested(ids)) return await writeAtOnce(db, groups, sent, received);
          latest.forget(ids);
          return await writeUnderLock(db, sent, received);
        } catch (error) {
          const code = codeOf(error);
          // Nobody knows now which packet is the latest.
          latest.forget(ids);
          if (code === metOver.latest) latest.contest(ids);
          if (attempt === attempts || !meetings.has(code)) throw error;
        }
      }
    });
  };
}

/**
 * Sweeps of silence: every few seconds the entities that are due are evaluated, and the matches of those that have reported again end.
 * What is due is in memory; the process that takes over a share of the tenants reads everything of these once.
 */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { Gap } from '@cloudfit/contract/rules/facts.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../../db/db.ts';
import { currentTime } from '../../../platform/clock.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { readBeatTimes, usualBeatMs } from '../beats.ts';
import type { CompiledRules } from '../compiled-rules.ts';
import { matchKey, type OpenMatch } from '../decide-matches.ts';
import type { Entities } from '../entities.ts';
import type { Entity } from '../entity.ts';
import type { EvaluationNote } from '../evaluate-entity.ts';
import { withoutQuiet } from '../evaluate-subjects.ts';
import type { IngestRule } from '../ingest-rule.ts';
import { recentGaps } from '../pulse.ts';
import { dependenciesOf, levelsOf, readStates } from '../rule-states.ts';
import { lookAtSilence, quietMsOf, silenceSweepMs, type SilenceLook } from '../silence.ts';
import { endSilence, storeStill, type SilenceHit } from '../silence-ends.ts';
import { readOpenMatches } from '../store-matches.ts';
import {
  noteSilent,
  readLatestOf,
  readLatestPage,
  readNeverReported,
  readReturned,
  rulesByTenant,
  type SilenceRow,
  type LatestPlace,
  type SilenceRules,
} from './reads.ts';
import { SilenceWatch } from './watch.ts';

export interface SilenceCaches {
  rules: CompiledRules;
  entities: Entities;
}

/** How many entities are read and evaluated at a time, and how many latest packets are locked. */
const atOnce = 2_000;
const lockedAtOnce = 500;

interface SilenceLevel {
  watch: SilenceWatch;
  /** The rules at the last sweep; undefined if all entities are to be read. */
  index: RuleIndex<IngestRule> | undefined;
  tenants: Map<string, SilenceRules>;
  /** Entities that reported, as long as they have a match that their report may still end. */
  returned: Set<string>;
  /** The last entity that was read without being due. */
  checked: LatestPlace | undefined;
}

interface Sweep {
  db: Db;
  caches: SilenceCaches;
  now: number;
  gaps: readonly Gap[];
}

/** The part of a sweep that concerns one level of rules. */
interface LevelSweep extends Sweep {
  level: SilenceLevel;
  index: RuleIndex<IngestRule>;
}

interface Look extends SilenceLook {
  row: SilenceRow;
}

/** Evaluates these entities, with the usual time between the packets of those for which it decides: after an outage. */
async function lookAt({ db, caches, now, gaps, index }: LevelSweep, rows: readonly SilenceRow[], notes: EvaluationNote[]): Promise<Look[]> {
  const existing = await caches.entities.find(rows.map((row) => row.entity_id));
  const enabled = rows.flatMap((row) => {
    const entity = existing.get(row.entity_id);
    return entity?.enabled ? [{ row, entity }] : [];
  });
  const depends = dependenciesOf(index.all());
  const matchingAt =
    depends.length > 0
      ? await readStates(
          db,
          depends,
          enabled.map(({ entity }) => entity),
          now,
        )
      : undefined;
  const around = { gaps, matchingAt };
  const look = (row: SilenceRow, entity: Entity, beatMs: number | undefined, into: EvaluationNote[]) =>
    lookAtSilence(index, entity, { ...row, beatMs }, around, now, into);
  const last = Math.max(0, ...gaps.map(({ until }) => until));
  const turn = takeTurns();
  const open: typeof enabled = [];
  for (const one of enabled) {
    const { row, entity } = one;
    if (row.at < last && look(row, entity, 0, []).hits.length > look(row, entity, Infinity, []).hits.length) open.push(one);
    await turn();
  }
  const times = await readBeatTimes(
    db,
    open.map(({ row }) => ({ id: row.entity_id, at: row.at })),
  );
  const looks: Look[] = [];
  for (const { row, entity } of enabled) {
    const beatMs = times.size > 0 ? usualBeatMs(times.get(row.entity_id) ?? []) : undefined;
    looks.push({ row, ...look(row, entity, beatMs, notes) });
    await turn();
  }
  return looks;
}

/**
 * Evaluates the silence of these entities, stores what follows, and notes when each is due again. Returns the rules that silence
 * satisfies, by their keys of matches.
 */
async function evaluateRows(sweep: LevelSweep, rows: readonly SilenceRow[]): Promise<Map<string, string>> {
  const { db, caches, now, level } = sweep;
  const ripe: SilenceRow[] = [];
  for (const row of rows) {
    const tenant = level.tenants.get(row.tenant_id);
    const limitMs = row.packet_id === null ? tenant?.neverMs : tenant?.ms;
    if (limitMs === undefined || limitMs === Infinity) level.watch.delete(row.entity_id);
    else if (row.at + limitMs < now) ripe.push(row);
    else level.watch.put(row.entity_id, { tenantId: row.tenant_id, ...latestOf(row) }, row.at + limitMs + 1);
  }
  if (ripe.length === 0) return new Map();
  const notes: EvaluationNote[] = [];
  const looks = await lookAt(sweep, ripe, notes);
  const evaluated = new Set<string>();
  const noted = await noteAll(db, looks);
  const fresh: SilenceHit[] = [];
  for (const { row, hits } of looks) {
    evaluated.add(row.entity_id);
    const before = level.watch.get(row.entity_id);
    const next = before?.latest?.packetId === row.packet_id ? before.next : undefined;
    for (const hit of hits) if ((next?.get(hit.rule.ruleId) ?? 0) <= now) fresh.push({ hit, packetId: row.packet_id });
  }
  const freshHits = fresh.map(({ hit }) => hit);
  const open = freshHits.length > 0 ? await readOpenMatches(db, freshHits, now) : new Map<string, OpenMatch>();
  const counting = new Set(withoutQuiet(freshHits, open, quietMsOf));
  const stored = await storeStill(
    db,
    caches.rules,
    fresh.filter(({ hit }) => counting.has(hit)),
    notes,
    { quietMs: quietMsOf },
  );
  const silent = new Map<string, string>();
  for (const { row, hits, due } of looks) {
    const isKnown = row.isNoted || noted.has(row.entity_id);
    const before = level.watch.get(row.entity_id)?.next;
    const next = new Map<string, number>();
    for (const { rule } of hits) {
      const key = matchKey(rule.ruleId, row.entity_id);
      silent.set(key, row.entity_id);
      const match = stored.get(key) ?? open.get(key);
      const at = match ? Math.min(match.lastMatch + quietMsOf(rule.rule), match.expires) : (before?.get(rule.ruleId) ?? 0);
      next.set(rule.ruleId, at > now ? at : now + silenceSweepMs);
    }
    const tenantId = row.tenant_id;
    level.watch.put(
      row.entity_id,
      isKnown ? { tenantId, ...latestOf({ ...row, isNoted: true }), next } : { tenantId },
      Math.min(due, hits.length > 0 && !isKnown ? now + silenceSweepMs : Infinity, ...next.values()),
    );
  }
  for (const row of ripe) if (!evaluated.has(row.entity_id)) level.watch.delete(row.entity_id);
  return silent;
}

const latestOf = ({ isNoted, packet_id: packetId, at, memory }: SilenceRow) => (isNoted ? { latest: { packetId, at, memory } } : {});

/** Notes which entities are silent, so that their next packets are announced, and returns those of which it is true. */
async function noteAll(db: Db, looks: readonly Look[]): Promise<Set<string>> {
  const unnoted = looks.filter(({ row, hits }) => !row.isNoted && hits.length > 0).map(({ row }) => row);
  const noted = new Set<string>();
  for (const rows of portions(unnoted, lockedAtOnce)) for (const id of await noteSilent(db, rows)) noted.add(id);
  return noted;
}

const isSame = (a: readonly CompiledRule[], b: readonly CompiledRule[] | undefined): boolean =>
  b !== undefined && a.length === b.length && a.every((rule, i) => rule === b[i]);

/** The sweeps of one share of the tenants. */
export class SilenceShare {
  readonly #owns: (tenantId: string) => boolean;
  readonly #checkedAtOnce: number;
  readonly #levels: SilenceLevel[] = [];
  /** Entities that have changed, or may have reported; `all` if it is not known which. */
  #touched: Set<string> | 'all' = new Set();

  /** `checkedAtOnce`: how many entities each sweep reads although they are not due, in turn, so that nothing stays wrong for ever. */
  constructor(owns: (tenantId: string) => boolean, checkedAtOnce = 0) {
    this.#owns = owns;
    this.#checkedAtOnce = checkedAtOnce;
  }

  touch(ids: Iterable<string> | 'all'): void {
    if (ids === 'all') this.#touched = 'all';
    else if (this.#touched !== 'all') for (const id of ids) this.#touched.add(id);
  }

  /** Runs one sweep and stores its consequences. Rules that depend on other rules run after the matches of these are stored. */
  async run(sweep: Sweep): Promise<void> {
    const touched = this.#touched;
    this.#touched = new Set();
    for (const [i, index] of levelsOf(sweep.caches.rules.silence()).entries()) {
      const level = (this.#levels[i] ??= {
        watch: new SilenceWatch(),
        index: undefined,
        tenants: new Map(),
        returned: new Set(),
        checked: undefined,
      });
      if (touched === 'all') level.index = undefined;
      await this.#runLevel({ ...sweep, level, index }, touched === 'all' ? [] : touched);
    }
    this.#levels.length = levelsOf(sweep.caches.rules.silence()).length;
  }

  async #runLevel(sweep: LevelSweep, touched: Iterable<string>): Promise<void> {
    const { db, level, index, now } = sweep;
    const unread = level.index === index ? [] : this.#takeRules(level, index);
    const { tenants } = level;
    if (tenants.size === 0) {
      level.returned.clear();
      return;
    }
    for (const id of touched) level.returned.add(id);
    if (unread.length > 0)
      for (const id of await readReturned(
        db,
        unread.flatMap((tenant) => (tenants.get(tenant)?.rules ?? []).map((rule) => rule.ruleId)),
      ))
        level.returned.add(id);
    const silent = new Map<string, string>();
    const reportedAgain = new Set<string>();
    const evaluate = async (rows: readonly SilenceRow[]): Promise<void> => {
      for (const [key, id] of await evaluateRows(sweep, rows))
        if (level.returned.has(id)) {
          silent.set(key, id);
          if (level.watch.get(id)?.latest) reportedAgain.add(id);
        }
    };
    const remembered: SilenceRow[] = [];
    const unknown = new Set(level.returned);
    for (const id of level.watch.takeDue(now)) {
      const watched = level.watch.get(id);
      if (!watched?.latest) unknown.add(id);
      else if (!unknown.has(id)) remembered.push(rowOf(id, watched.tenantId, watched.latest));
    }
    for (const rows of portions(remembered)) await evaluate(rows);
    for (const ids of portions([...unknown])) await evaluate(await this.#read(sweep, ids));
    await this.#readAll(sweep, unread, evaluate);
    if (unread.length === 0 && this.#checkedAtOnce > 0) await this.#check(sweep, evaluate);
    const ruleIds = [...tenants.values()].flatMap(({ rules }) => rules.map((rule) => rule.ruleId));
    const remaining = await endSilence(db, sweep.caches, index, {
      ruleIds,
      ids: [...level.returned],
      silent: new Set(silent.keys()),
      owns: (id) => tenants.has(id),
    });
    level.returned = new Set(remaining.filter((id) => !reportedAgain.has(id)));
  }

  /** Takes the present rules, and returns the tenants whose entities are all to be read because of them. */
  #takeRules(level: SilenceLevel, index: RuleIndex<IngestRule>): string[] {
    const before = level.index ? level.tenants : new Map<string, SilenceRules>();
    for (const id of level.tenants.keys()) if (!index.ofTenant(id)[Symbol.iterator]().next().value) level.watch.deleteTenant(id);
    level.tenants = rulesByTenant(index, this.#owns);
    level.index = index;
    return [...level.tenants].flatMap(([id, { rules }]) => (isSame(rules, before.get(id)?.rules) ? [] : [id]));
  }

  /** Reads these entities; forgets those that no rule of the level concerns. */
  async #read({ db, level }: LevelSweep, ids: readonly string[]): Promise<SilenceRow[]> {
    const rows = await readLatestOf(db, level.tenants, ids);
    const reported = new Set(rows.map((row) => row.entity_id));
    const others = ids.filter((id) => !reported.has(id));
    for (const id of others) level.watch.delete(id);
    const watching = tenantsOfNever(level);
    return others.length > 0 && watching.length > 0 ? [...rows, ...(await readNeverReported(db, watching, others))] : rows;
  }

  /** Reads all entities of these tenants, whose rules have changed or which the process has taken over. */
  async #readAll(
    { db, level }: LevelSweep,
    tenantIds: readonly string[],
    evaluate: (rows: readonly SilenceRow[]) => Promise<void>,
  ): Promise<void> {
    if (tenantIds.length === 0) return;
    let after: LatestPlace | undefined;
    for (;;) {
      const rows = await readLatestPage(db, level.tenants, tenantIds, after, atOnce);
      await evaluate(rows);
      if (rows.length < atOnce) break;
      after = pageOf(rows);
    }
    const watching = new Set(tenantsOfNever(level));
    const never = tenantIds.filter((id) => watching.has(id));
    if (never.length > 0) for (const rows of portions(await readNeverReported(db, never, null))) await evaluate(rows);
  }

  /** Reads the next entities that are not due: what was announced to nobody, as by an earlier version, is found by this. */
  async #check({ db, level }: LevelSweep, evaluate: (rows: readonly SilenceRow[]) => Promise<void>): Promise<void> {
    const rows = await readLatestPage(db, level.tenants, [...level.tenants.keys()], level.checked, this.#checkedAtOnce);
    level.checked = rows.length < this.#checkedAtOnce ? undefined : pageOf(rows);
    const others = rows.filter((row) => !level.returned.has(row.entity_id));
    for (const row of others) {
      const watched = level.watch.get(row.entity_id);
      if (watched) level.watch.put(row.entity_id, { tenantId: watched.tenantId }, Infinity);
      if (!row.isNoted) level.returned.add(row.entity_id);
    }
    await evaluate(others);
    const watching = level.checked ? [] : tenantsOfNever(level);
    if (watching.length > 0) for (const never of portions(await readNeverReported(db, watching, null))) await evaluate(never);
  }
}

const rowOf = (
  id: string,
  tenantId: string,
  { packetId, at, memory }: { packetId: string | null; at: number; memory: SilenceRow['memory'] },
): SilenceRow => ({
  entity_id: id,
  tenant_id: tenantId,
  packet_id: packetId,
  at,
  memory,
  isNoted: true,
});

const tenantsOfNever = ({ tenants }: SilenceLevel): string[] =>
  [...tenants].flatMap(([id, { neverMs }]) => (neverMs < Infinity ? [id] : []));

function pageOf(rows: readonly SilenceRow[]): LatestPlace | undefined {
  const last = rows.at(-1);
  return last && { tenantId: last.tenant_id, entityId: last.entity_id };
}

function* portions<T>(items: readonly T[], size = atOnce): Generator<T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}

/** Looks at the silence of all entities, by what the database knows alone: what sweeps must find by what is due. */
export async function evaluateSilenceOfAll(db: Db, caches: SilenceCaches): Promise<void> {
  await new SilenceShare(() => true).run({ db, caches, now: currentTime(), gaps: await recentGaps(db) });
}

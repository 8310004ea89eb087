/**
 * The usual values of metrics, in memory, for rules that compare packets with a baseline. A value is read once per entity,
 * metric, baseline and hour; the values of the next hour are read ten minutes before that hour begins.
 */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { hourMs } from '@cloudfit/contract/durations.ts';
import { hoursBefore, usualOf } from '@cloudfit/contract/rules/baselines/baseline.ts';
import { type RuleEntity, type RuleEvent, type UsualValue } from '@cloudfit/contract/rules/facts.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Baseline } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../../../db/db.ts';
import type { IngestRule } from '../ingest-rule.ts';
import { readHours, type EntityMetric } from './read-hours.ts';

/** Returns the usual values of an entity's metrics at a time. */
export type UsualAt = (entity: RuleEntity, at: number) => NonNullable<RuleEvent['usual']>;

/** A request for the usual value of a metric in the hour that begins at `hour`. */
interface UsualRequest extends EntityMetric {
  baseline: Baseline;
  hour: number;
}

type MissingValues = Map<string, UsualRequest>;

/**
 * The maximum number of values in memory, about 100 MB. Beyond it, the oldest values are dropped and read again when needed.
 */
const maxKept = 200_000;
const readAtOnce = 500;
const prefetchMs = 50 * 60_000;

const keyOf = ({ tenantId, entityId, metric, baseline: { Weeks, Hour }, hour }: UsualRequest): string =>
  `${tenantId} ${entityId} ${hour} ${Weeks} ${Hour} ${metric}`;

export const hourOf = (at: number): number => Math.floor(at / hourMs) * hourMs;

/** Whether a rule compares with a baseline. */
export const usesBaseline = ({ conditions }: CompiledRule): boolean => conditions.some(({ operand }) => operand.baseline !== undefined);

const uses = new WeakMap<RuleIndex<IngestRule>, boolean>();

/** Whether any rule of the index compares with a baseline. */
export function usesBaselines(index: RuleIndex<IngestRule>): boolean {
  let any = uses.get(index);
  if (any === undefined) uses.set(index, (any = [...index.all()].some(usesBaseline)));
  return any;
}

type UsualOf = NonNullable<RuleEvent['usual']>;

/**
 * Caches the values for one packet, because several rules need the same value. Searching a short list is faster than building a
 * key.
 */
function oncePerMetric(find: UsualOf): UsualOf {
  let comparisons: { metric: string; baseline: Baseline; usual: UsualValue }[] | undefined;
  return (metric, baseline) => {
    const before = comparisons?.find(
      (comparison) =>
        comparison.metric === metric && comparison.baseline.Weeks === baseline.Weeks && comparison.baseline.Hour === baseline.Hour,
    );
    if (before) return before.usual;
    const usual = find(metric, baseline);
    if (usual) (comparisons ??= []).push({ metric, baseline, usual });
    return usual;
  };
}

export class UsualValues {
  readonly #known = new Map<string, { request: UsualRequest; usual: UsualValue }>();
  readonly #db: Db;
  readonly #max: number;
  #prefetched = 0;
  #prefetching: Promise<void> | undefined;

  /** `db` sees all tenants. */
  constructor(db: Db, max = maxKept) {
    this.#db = db;
    this.#max = max;
  }

  /** Runs an evaluation; if values were missing, reads these values and runs the evaluation again. */
  async evaluate<T>(db: Db, rules: RuleIndex<IngestRule>, run: (usualAt: UsualAt | undefined) => T): Promise<T> {
    if (!usesBaselines(rules)) return run(undefined);
    this.#prefetchInTime(Date.now());
    const answers = new Map<string, UsualValue>();
    for (;;) {
      const missing: MissingValues = new Map();
      const result = run((entity, at) =>
        oncePerMetric((metric, baseline) => this.#find({ entity, at, metric, baseline }, answers, missing)),
      );
      if (missing.size === 0) return result;
      for (const [key, usual] of await this.#read(db, missing)) answers.set(key, usual);
    }
  }

  /** The number of values in memory. */
  get size(): number {
    return this.#known.size;
  }

  #find(
    { entity, at, metric, baseline }: { entity: RuleEntity; at: number; metric: string; baseline: Baseline },
    answers: ReadonlyMap<string, UsualValue>,
    missing: MissingValues,
  ): UsualValue | undefined {
    const request = { tenantId: entity.tenantId, entityId: entity.id, metric, baseline, hour: hourOf(at) };
    const key = keyOf(request);
    const usual = this.#known.get(key)?.usual ?? answers.get(key);
    if (!usual) missing.set(key, request);
    return usual;
  }

  async #read(db: Db, missing: MissingValues): Promise<Map<string, UsualValue>> {
    const read = new Map<string, UsualValue>();
    const all = [...missing];
    for (let i = 0; i < all.length; i += readAtOnce) {
      const some = all.slice(i, i + readAtOnce);
      const hours = new Set(some.flatMap(([, { hour, baseline }]) => hoursBefore(hour, baseline)));
      const rows = await readHours(
        db,
        some.map(([, request]) => request),
        [...hours],
      );
      const byMetric = Map.groupBy(rows, ({ n }) => n);
      for (const [n, [key, request]] of some.entries()) {
        const byHour = new Map(byMetric.get(n)?.map((row) => [row.hour, row]));
        const usual = usualOf(request.hour, request.baseline, (hour) => byHour.get(hour));
        read.set(key, usual);
        this.#known.set(key, { request, usual });
      }
    }
    for (const key of this.#known.keys()) {
      if (this.#known.size <= this.#max) break;
      this.#known.delete(key);
    }
    return read;
  }

  #prefetchInTime(now: number): void {
    if (now % hourMs < prefetchMs || this.#prefetched === hourOf(now)) return;
    this.#prefetched = hourOf(now);
    // Without the prefetch, the values are read when packets need them.
    this.#prefetching = this.prefetch(now).catch(() => undefined);
  }

  /** Reads, for the next hour, the values that packets of this hour needed, and drops earlier hours. */
  async prefetch(now: number): Promise<void> {
    const hour = hourOf(now);
    const missing: MissingValues = new Map();
    for (const [key, { request }] of this.#known) {
      if (request.hour < hour) this.#known.delete(key);
      if (request.hour !== hour) continue;
      const next = { ...request, hour: hour + hourMs };
      missing.set(keyOf(next), next);
    }
    await this.#read(this.#db, missing);
  }

  async stop(): Promise<void> {
    await this.#prefetching;
  }
}

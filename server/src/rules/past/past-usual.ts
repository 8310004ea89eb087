/** The usual values of metrics throughout a past period, for backtests and explanations. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { hourMs } from '@cloudfit/contract/durations.ts';
import { baselineOf, hoursBefore, isEnough, usualOf, type HourReadings } from '@cloudfit/contract/rules/baselines/baseline.ts';
import { type RuleEntity, type UsualValue } from '@cloudfit/contract/rules/facts.ts';
import type { Baseline } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../../db/db.ts';
import { readHours } from '../run/baselines/read-hours.ts';
import { hourOf, type UsualAt } from '../run/baselines/usual-values.ts';

interface BaselineNeed {
  metric: string;
  baseline: Baseline;
}

/** Returns the metrics that the rules compare with baselines, each with its baseline, without repetition. */
export function baselinesOf(rules: Iterable<CompiledRule>): BaselineNeed[] {
  const needs = new Map<string, BaselineNeed>();
  for (const { conditions } of rules)
    for (const { operand, source, field } of conditions) {
      if (!operand.baseline) continue;
      const need = { metric: field, baseline: baselineOf(source) };
      needs.set(JSON.stringify(need), need);
    }
  return [...needs.values()];
}

/** The readings of a metric by hour, as three numbers per hour: count, sum and squares. */
class Hours {
  readonly #from: number;
  readonly #numbers: Float64Array;

  constructor(from: number, to: number) {
    this.#from = from;
    this.#numbers = new Float64Array(3 * ((to - from) / hourMs + 1));
  }

  set(hour: number, { count, sum, squares }: HourReadings): void {
    this.#numbers.set([count, sum, squares], (3 * (hour - this.#from)) / hourMs);
  }

  get(hour: number): HourReadings | undefined {
    if (hour < this.#from) return undefined;
    const at = (3 * (hour - this.#from)) / hourMs;
    const [count = 0, sum = 0, squares = 0] = this.#numbers.subarray(at, at + 3);
    return { count, sum, squares };
  }
}

export interface PastUsual {
  usualAt: UsualAt;
  /** The numbers of entities that had too little history at some time, and that had enough at some time. */
  counts: () => { few: number; enough: number };
}

/** Returns the start of the first hour that is read. */
const firstHour = (needs: readonly BaselineNeed[], from: number): number =>
  Math.min(hourOf(from), ...needs.flatMap(({ baseline }) => hoursBefore(from, baseline)));

/** The maximum number of hours in memory, over all entities and metrics: about 50 MB. */
const maxHours = 2_000_000;

/** The maximum number of entities whose hours, before and in a period, are kept in memory. */
export function maxEntities(needs: readonly BaselineNeed[], { from, to }: { from: number; to: number }): number {
  const metrics = new Set(needs.map(({ metric }) => metric)).size;
  return Math.max(1, Math.floor((maxHours * hourMs) / ((to - firstHour(needs, from)) * Math.max(1, metrics))));
}

const entitiesAtOnce = 100;

export async function readPastUsual(
  db: Db,
  needs: readonly BaselineNeed[],
  entities: readonly RuleEntity[],
  { from, to }: { from: number; to: number },
): Promise<PastUsual> {
  const [first, last] = [firstHour(needs, from), hourOf(to)];
  const names = [...new Set(needs.map(({ metric }) => metric))];
  const hoursOf = new Map<string, Hours>();
  for (let i = 0; i < entities.length; i += entitiesAtOnce) {
    const metrics = entities
      .slice(i, i + entitiesAtOnce)
      .flatMap(({ id, tenantId }) => names.map((metric) => ({ tenantId, entityId: id, metric })));
    for (const row of await readHours(db, metrics, { from: first, to: last })) {
      const one = metrics[row.n];
      if (!one || row.hour < first || row.hour > last) continue;
      const key = `${one.entityId} ${one.metric}`;
      let hours = hoursOf.get(key);
      if (!hours) hoursOf.set(key, (hours = new Hours(first, last)));
      hours.set(row.hour, row);
    }
  }
  // Packets come in order of time, so that the latest value of an entity is nearly always that of its next packet too.
  const latest = new Map<string, { hour: number; usual: UsualValue }>();
  const [few, enough] = [new Set<string>(), new Set<string>()];
  return {
    counts: () => ({ few: few.size, enough: enough.size }),
    usualAt:
      ({ id }, at) =>
      (metric, baseline) => {
        const key = `${id} ${baseline.Weeks} ${baseline.Hour} ${metric}`;
        const hour = hourOf(at);
        let answer = latest.get(key);
        if (answer?.hour !== hour) {
          const hours = hoursOf.get(`${id} ${metric}`);
          answer = { hour, usual: usualOf(at, baseline, (before) => hours?.get(before)) };
          latest.set(key, answer);
          (isEnough(answer.usual, baseline) ? enough : few).add(id);
        }
        return answer.usual;
      },
  };
}

/** Runs one rule, and the one in force beside it, over what is on record. Reads only. */
import { backtestLimits, type BacktestResult } from '@cloudfit/contract/actions/backtest.ts';
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { allHold, inScope } from '@cloudfit/contract/rules/observe.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../../db/connection.ts';
import type { IngestRule } from '../compiled-rules.ts';
import type { Entities, Entity } from '../entities.ts';
import { newFold } from './fold.ts';
import { readBefore, readHistory } from './read-history.ts';
import type { Period } from './tally.ts';

const hourMs = 3_600_000;
const longestWarmUpMs = 24 * hourMs;

export interface Backtest {
  draft: CompiledRule<IngestRule>;
  inForce: CompiledRule<IngestRule> | undefined;
  maintenance: RuleIndex<IngestRule>;
  entities: Entities;
  period: Period;
  entityIds: readonly string[] | undefined;
  tenantId: string;
  /** False ends it. `progress` is 0 to 1. */
  goOn: (progress: number, packets: number) => Promise<boolean>;
}

/** What was open and remembered as the period began comes from before it. */
function warmUpMs(rules: readonly CompiledRule<IngestRule>[]): number {
  const patterns = rules.flatMap(({ rule }) =>
    rule.conditions.map(({ OccurrencePattern: one }) => (one && 'Seconds' in one ? one.Seconds * 1_000 : 0)),
  );
  return Math.min(longestWarmUpMs, Math.max(hourMs, ...patterns, ...rules.map(({ rule }) => 2 * rule.lifetimeMs)));
}

/** Whether any packet of the entity could concern the rule. */
function concerns(rule: CompiledRule, entity: Entity): boolean {
  const event = { entity, packet: { timestamp: 0, message: {} } };
  return inScope(rule, event) && rule.groups.some((group) => allHold(group.gates, event));
}

async function entitiesOf(
  db: Db,
  { entityIds, tenantId, entities, draft, inForce }: Backtest,
): Promise<{ found: Entity[]; more: boolean }> {
  const ids = entityIds
    ? [...entityIds]
    : (
        await db.query<{ id: string }>({
          text: 'select entity_id as id from latest_packet where tenant_id = $1 order by 1 limit $2',
          values: [tenantId, 10 * backtestLimits.entities],
        })
      ).map((row) => row.id);
  const known = [...(await entities.find(ids)).values()].filter(
    (entity) => entity.tenantId === tenantId && [draft, inForce].some((rule) => rule && concerns(rule, entity)),
  );
  return { found: known.slice(0, backtestLimits.entities), more: known.length > backtestLimits.entities };
}

const breathe = () => new Promise((resolve) => setImmediate(resolve));

/** `db` sees the tenant alone. Undefined when it was stopped. */
export async function runBacktest(db: Db, backtest: Backtest): Promise<BacktestResult | undefined> {
  const { draft, inForce, maintenance, period, goOn } = backtest;
  const { found, more } = await entitiesOf(db, backtest);
  const byId = new Map(found.map((entity) => [entity.id, entity]));
  const ids = [...byId.keys()].toSorted();
  const start = period.from - warmUpMs(inForce ? [draft, inForce] : [draft]);
  const fold = newFold({ draft, inForce, maintenance }, period);
  let packets = 0;
  for (const packet of await readBefore(db, ids, start)) {
    const entity = byId.get(packet.entityId);
    if (entity) fold.take(entity, [packet]);
  }
  for await (const piece of readHistory(db, ids, { from: start, to: period.to })) {
    let since = 0;
    for (const [id, own] of piece.packets) {
      const entity = byId.get(id);
      if (entity) fold.take(entity, own);
      // Others want the processor too.
      if ((since += own.length) < 1_000) continue;
      since = 0;
      await breathe();
    }
    packets += piece.count;
    if (!(await goOn(Math.min(1, (piece.until - start) / (period.to - start)), packets))) return undefined;
  }
  return {
    ...fold.finish(),
    notes: [
      'Entities and maintenance rules were taken as they are now.',
      ...(more ? [`Only ${backtestLimits.entities} entities were looked at.`] : []),
    ],
  };
}

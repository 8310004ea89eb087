/** An entity is in maintenance while a maintenance rule's time window holds and its conditions select the entity. */
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate } from '@cloudfit/contract/rules/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import type { RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Db } from '../db/connection.ts';
import type { Periodic } from '../jobs/schedule.ts';
import type { IngestRule } from './compiled-rules.ts';
import type { Entities, Entity } from './entities.ts';

const noMessage = {};

// A failing rule suppresses nothing, because an extra alert is better than a lost one.
function holds(rule: CompiledRule, event: RuleEvent): boolean {
  try {
    return evaluate(rule, event, undefined).outcome === 'hit';
  } catch {
    return false;
  }
}

/** Whether a maintenance rule holds for the entity at that time. */
export function maintenanceAt(rules: RuleIndex<IngestRule>, entity: Entity, at: number): boolean {
  if (rules.size === 0) return false;
  const event = { entity, packet: { timestamp: at, message: noMessage } };
  return rules.candidates(event).some((rule) => holds(rule, event));
}

interface OpenMatchRow {
  rule_match_id: string;
  subject_id: string;
  in_maintenance: boolean;
}

/** Updates `inMaintenance` of open matches when windows of maintenance rules begin and end. */
export function maintenanceWork(ingest: { rules: { maintenance(): RuleIndex<IngestRule> }; entities: Entities }): Periodic {
  async function run(db: Db): Promise<void> {
    const rules = ingest.rules.maintenance();
    const open = await db.query<OpenMatchRow>({
      name: 'maintenance-open',
      text: 'select rule_match_id, subject_id, in_maintenance from rule_match where closed is null and (in_maintenance or $1)',
      values: [rules.size > 0],
    });
    if (open.length === 0) return;
    const entities = await ingest.entities.find(new Set(open.map((match) => match.subject_id)));
    const now = Date.now();
    const wrong = open.filter((match) => {
      const entity = entities.get(match.subject_id);
      return match.in_maintenance !== (entity !== undefined && maintenanceAt(rules, entity, now));
    });
    if (wrong.length === 0) return;
    await db.query({
      name: 'maintenance-turn',
      text: `with turned as (
  update rule_match set in_maintenance = not in_maintenance, modified = now(), version = version + 1
  from unnest($1::uuid[], $2::boolean[]) as w (id, before) where rule_match_id = w.id and closed is null and in_maintenance = w.before
  returning tenant_id, rule_match_id, correlation_id
)
insert into change (tenant_id, verb, entity, entity_id, correlation_id)
select tenant_id, 'update', 'ruleMatches', rule_match_id::text, correlation_id from turned`,
      values: [wrong.map((match) => match.rule_match_id), wrong.map((match) => match.in_maintenance)],
    });
  }
  return { name: 'maintenance', everyMs: 5_000, run };
}

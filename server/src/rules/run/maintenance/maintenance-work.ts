/**
 * Follows maintenance over time: marks open matches when a maintenance begins and ends, and runs their held actions after its
 * end.
 */
import { runHeldActions } from '../../../automation/held-actions.ts';
import type { Db } from '../../../db/db.ts';
import { workUnitOfSubject } from '../../../features/work-units/subject.ts';
import type { Periodic } from '../../../jobs/schedule.ts';
import type { CompiledRules } from '../compiled-rules.ts';
import { readSubscriptions, subscriptionEntity } from '../count-many.ts';
import type { Entities } from '../entities.ts';
import type { Entity } from '../entity.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { changed } from '../../../db/changed.ts';
import { isHeldAt, maintenanceOf } from './maintenance.ts';
import { inForce } from '../rollout.ts';
import { currentTime } from '../../../platform/clock.ts';

interface WatchedRow {
  rule_match_id: string;
  tenant_id: string;
  rule_id: string;
  subject_id: string;
  in_maintenance: boolean;
  is_open: boolean;
  is_held: boolean;
}

const watched = `select rule_match_id, tenant_id, rule_id, subject_id, in_maintenance, closed is null as is_open, held_since is not null and held_until is null as is_held
from rule_match where closed is null and in_maintenance
union all select rule_match_id, tenant_id, rule_id, subject_id, in_maintenance, true, held_since is not null and held_until is null
from rule_match where closed is null and not in_maintenance and $1
union all select rule_match_id, tenant_id, rule_id, subject_id, in_maintenance, closed is null, true
from rule_match where held_since is not null and held_until is null and not (closed is null and (in_maintenance or $1)) order by rule_match_id`;

const turn = `with turned as (
  update rule_match set in_maintenance = not in_maintenance, modified = now(), version = version + 1
  from unnest($1::uuid[], $2::boolean[]) as w (id, before) where rule_match_id = w.id and closed is null and in_maintenance = w.before
  returning tenant_id, rule_match_id, correlation_id
)
${changed(ruleMatches, 'update', 'turned')}`;

/** The subjects of matches: entities, subscriptions and work units. */
async function subjectsOf(db: Db, entities: Entities, rows: readonly WatchedRow[]): Promise<ReadonlyMap<string, Entity>> {
  const subjects = new Map(await entities.find(new Set(rows.map((row) => row.subject_id))));
  const others = rows.filter((row) => !subjects.has(row.subject_id));
  if (others.length === 0) return subjects;
  for (const row of await readSubscriptions(db, [...new Set(others.map((item) => item.tenant_id))]))
    subjects.set(row.subscription_id, subscriptionEntity(row));
  for (const { subject_id: id, tenant_id: tenantId } of others)
    if (workUnitOfSubject(id) !== undefined) subjects.set(id, { id, kind: 'workUnit', tenantId, name: '', enabled: true });
  return subjects;
}

const heldAtOnce = 100;

/** Updates `inMaintenance` of open matches when a maintenance begins and ends, and runs the held actions after its end. */
export function maintenanceWork(ingest: {
  rules: Pick<CompiledRules, 'maintenance' | 'windows' | 'ingestion' | 'dependent'>;
  entities: Entities;
}): Periodic {
  async function run(db: Db): Promise<void> {
    const by = maintenanceOf(ingest.rules);
    const isAny = by.rules.size > 0 || by.windows.isAnyAt(currentTime());
    const rows = await db.query<WatchedRow>({ name: 'maintenance-watched', text: watched, values: [isAny] });
    if (rows.length === 0) return;
    const subjects = await subjectsOf(db, ingest.entities, rows);
    const now = currentTime();
    const [rules, dependent] = [ingest.rules.ingestion(), ingest.rules.dependent()];
    const holdsFor = ({ subject_id, rule_id, tenant_id }: WatchedRow): boolean => {
      const subject = subjects.get(subject_id);
      if (!subject) return false;
      const rule = rules.get(rule_id, tenant_id) ?? dependent.get(rule_id, tenant_id);
      return isHeldAt(by, subject, now, rule_id, rule && inForce(rule, subject));
    };
    const freedRows = rows.filter((row) => row.is_held && !holdsFor(row));
    for (let i = 0; i < freedRows.length; i += heldAtOnce)
      await runHeldActions(
        db,
        freedRows.slice(i, i + heldAtOnce).map((row) => ({ ruleMatchId: row.rule_match_id, hasSubject: subjects.has(row.subject_id) })),
      );
    const turnedRows = rows.filter((row) => row.is_open && !row.is_held && row.in_maintenance !== holdsFor(row));
    if (turnedRows.length > 0)
      await db.query({
        name: 'maintenance-turn',
        text: turn,
        values: [turnedRows.map((row) => row.rule_match_id), turnedRows.map((row) => row.in_maintenance)],
      });
  }
  return { name: 'maintenance', everyMs: 5_000, run };
}

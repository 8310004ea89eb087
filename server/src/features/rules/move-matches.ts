/** Lets another rule go on with the open matches of a rule, its open work units and its memory: when copies are joined, and when that is taken back. */
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';

/** Another rule in place of a rule, in one tenant. */
interface RuleSuccession {
  tenantId: string;
  from: string;
  to: string;
}

const successions = 'unnest($1::uuid[], $2::uuid[], $3::uuid[]) as s (tenant_id, from_rule, to_rule)';

// A subject has one open match of a rule: where the other rule has matched already, that one goes on.
const moveMatchesText = `with moved as (
  update rule_match m set rule_id = s.to_rule, modified = now(), version = m.version + 1 from ${successions}
  where m.rule_id = s.from_rule and m.tenant_id = s.tenant_id and m.closed is null
    and not exists (select from rule_match o where o.rule_id = s.to_rule and o.subject_id = m.subject_id and o.closed is null)
  returning m.tenant_id, m.rule_match_id
)
${changed(ruleMatches, 'update', 'moved', '$4')}`;

// Groups of a storm or a silence have a scope of their own.
const moveGroupsText = `update match_group g set rule_id = s.to_rule, scope_id = case when g.scope_id = s.from_rule then s.to_rule else g.scope_id end,
  unit_scope = case when g.unit_scope = s.from_rule then s.to_rule else g.unit_scope end
from ${successions} where g.rule_id = s.from_rule and g.tenant_id = s.tenant_id and g.ended is null`;

const moveLatestUnitsText = `update rule_unit u set rule_id = s.to_rule, modified = now() from ${successions} where u.rule_id = s.from_rule and u.tenant_id = s.tenant_id
  and not exists (select from rule_unit o where o.rule_id = s.to_rule and o.subject_id = u.subject_id and o.phase = u.phase)`;

const moveUnitsText = `with moved as (
  update work_unit w set rule_id = s.to_rule, modified = now(), version = w.version + 1 from ${successions}
  where w.rule_id = s.from_rule and w.tenant_id = s.tenant_id and w.state_id not in ('Resolved', 'Closed', 'Canceled')
  returning w.tenant_id, w.work_unit_id
)
${changed(workUnits, 'update', 'moved', '$4')}`;

// The memory of an entity names rules by their ids, also those that stand for recovery conditions. The new revision tells processes that
// their copies of it are out of date.
const memorySuccessions = `unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[]) as s (tenant_id, from_rule, to_rule, from_recovery, to_recovery)`;
const isConcerned = (state: string) => `(strpos(${state}::text, s.from_rule) > 0 or strpos(${state}::text, s.from_recovery) > 0)`;
const movedState = (state: string) => `replace(replace(${state}::text, s.from_rule, s.to_rule), s.from_recovery, s.to_recovery)::jsonb`;

const moveMemoryText = `with concerned as materialized (
  select l.entity_id, s.* from latest_packet l join ${memorySuccessions} on l.tenant_id = s.tenant_id and ${isConcerned('l.rule_state')}
  order by l.entity_id for update of l
)
update latest_packet l set rule_state = ${movedState('l.rule_state')}, revision = l.revision + 1 from concerned s where l.entity_id = s.entity_id`;

const moveSubjectMemoryText = `with concerned as materialized (
  select m.subject_id, s.* from rule_memory m join ${memorySuccessions} on m.tenant_id = s.tenant_id and ${isConcerned('m.state')}
  order by m.subject_id for update of m
)
update rule_memory m set state = ${movedState('m.state')} from concerned s where m.subject_id = s.subject_id`;

/** Call it in the transaction that changes the rules. */
export async function moveMatches(ctx: Ctx, of: readonly RuleSuccession[]): Promise<void> {
  if (of.length === 0) return;
  const values = [of.map(({ tenantId }) => tenantId), of.map(({ from }) => from), of.map(({ to }) => to)];
  await ctx.db.query({ name: 'move-matches', text: moveMatchesText, values: [...values, ctx.correlationId] });
  await ctx.db.query({ name: 'move-match-groups', text: moveGroupsText, values });
  await ctx.db.query({ name: 'move-latest-units', text: moveLatestUnitsText, values });
  await ctx.db.query({ name: 'move-rule-units', text: moveUnitsText, values: [...values, ctx.correlationId] });
  const recoveries = [of.map(({ from }) => uuidV5(from, 'recovery')), of.map(({ to }) => uuidV5(to, 'recovery'))];
  await ctx.db.query({ name: 'move-memory', text: moveMemoryText, values: [...values, ...recoveries] });
  await ctx.db.query({ name: 'move-subject-memory', text: moveSubjectMemoryText, values: [...values, ...recoveries] });
}

// A rule that was joined from copies was created in the request that disabled them.
const copiesText = `select distinct c.entity_id::uuid as to, r.tenant_id as "tenantId", made.entity_id::uuid as from
from audit made join audit c on c.correlation_id = made.correlation_id and c.entity = 'rules' and c.verb = 'update' join rule r on r.rule_id = c.entity_id::uuid
where made.entity = 'rules' and made.entity_id = $1::text and made.verb = 'create' and r.tenant_id is not null`;

/** Gives the matches of a rule that goes back to the copies from which it was joined. */
export async function returnMatches(ctx: Ctx, ruleId: string): Promise<void> {
  await moveMatches(ctx, await ctx.db.query<RuleSuccession>({ name: 'joined-copies', text: copiesText, values: [ruleId] }));
}

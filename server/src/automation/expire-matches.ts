/** Closes expired matches and queues their expiration actions once. */
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../db/connection.ts';
import { executionId } from '../executions/execution-id.ts';
import { maxHops } from '../executions/executions.ts';
import { queueMatchChanges } from './match-change.ts';
import type { Periodic } from '../jobs/schedule.ts';
import { queueActions } from './queue-actions.ts';

const atOnce = 500;

interface EndedMatch {
  rule_match_id: string;
  tenant_id: string;
  correlation_id: string;
  in_maintenance: boolean;
  expiration_actions: ActionCall[] | null;
  match_actions: number | null;
  rule_id: string;
  subject_id: string;
  hops: number;
  /** Whether its tenant has rules of type Correlation. */
  correlated: boolean;
}

// A match that a later packet closed needs only its expiration actions here. Each of the two kinds has an index.
const end = `with over as materialized (
  select rule_match_id from rule_match where not completion_processed and expires <= now() order by expires limit ${atOnce} for update skip locked
), closed_before as materialized (
  select rule_match_id from rule_match where not completion_processed and closed is not null and expires > now() limit ${atOnce} for update skip locked
), due as (
  select rule_match_id from over union all select rule_match_id from closed_before
), ended as (
  update rule_match m set closed = coalesce(m.closed, now()), completion_processed = true, modified = now(), version = m.version + 1
  from due where m.rule_match_id = due.rule_match_id
  returning m.rule_match_id, m.rule_id, m.subject_id, m.tenant_id, m.correlation_id, m.in_maintenance, m.hops
), told as (
  insert into change (tenant_id, verb, entity, entity_id, correlation_id)
  select tenant_id, 'update', 'ruleMatches', rule_match_id::text, correlation_id from ended
)
select e.rule_match_id, e.rule_id, e.subject_id, e.tenant_id, e.correlation_id, e.in_maintenance, e.hops, r.expiration_actions,
  jsonb_array_length(r.match_actions) as match_actions, e.tenant_id in (select tenant_id from rule where enabled and rule_type_id = ${ruleTypeId.correlation}) as correlated
from ended e left join rule r on r.rule_id = e.rule_id`;

/** Closes the matches that are due and answers their number. */
export async function expireMatches(db: Db): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await db.transaction(async (tx) => {
      const ended = await tx.query<EndedMatch>({ name: 'match-expire', text: end });
      await queueActions(
        tx,
        ended.map((match) => ({
          ruleMatchId: match.rule_match_id,
          tenantId: match.tenant_id,
          correlationId: match.correlation_id,
          phase: 'expiration',
          calls: match.expiration_actions ?? [],
          suppressed: match.in_maintenance ? 'maintenance' : match.hops >= maxHops ? 'loop' : undefined,
          hops: match.hops,
          follows: match.match_actions ? executionId(match.rule_match_id, 'match', match.match_actions - 1) : undefined,
        })),
      );
      const [first, ...others] = ended.filter((match) => match.correlated);
      if (first)
        await queueMatchChanges(
          tx,
          [first, ...others].map((match) => ({ tenantId: match.tenant_id, ruleId: match.rule_id, subjectId: match.subject_id })),
          { at: Date.now(), hops: Math.max(...ended.map((match) => match.hops)), correlationId: first.correlation_id },
        );
      return ended.length;
    });
    total += count;
    if (count === 0 || count % atOnce > 0) return total;
  }
}

/** Each second, so that no match closes more than a few seconds late. */
export const expiryWork: Periodic = { name: 'expire-matches', everyMs: 1_000, run: async (db) => void (await expireMatches(db)) };

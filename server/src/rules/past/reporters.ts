/** The entities whose recorded packets concern some rules. */
import { backtestLimits } from '@cloudfit/contract/limits.ts';
import type { CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { Sentence } from '@cloudfit/contract/rules/rule-words.ts';
import { selects } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { Db } from '../../db/db.ts';
import type { Entities } from '../run/entities.ts';
import type { Entity } from '../run/entity.ts';

interface ReportersQuery {
  db: Db;
  entities: Pick<Entities, 'find'>;
  tenantId: string;
  rules: readonly CompiledRule[];
  /** The only entities; by default all that have reported. */
  entityIds?: readonly string[] | undefined;
}

/** Returns these entities with notes for people. `others`: ids of entities that may never have reported. */
export async function reportersOf(
  { db, entities, tenantId, rules, entityIds }: ReportersQuery,
  others: Iterable<string> = [],
  max: number = backtestLimits.entities,
): Promise<{ members: Entity[]; notes: Sentence[] }> {
  const reported = entityIds
    ? [...entityIds]
    : (
        await db.query<{ id: string }>({
          text: 'select entity_id as id from latest_packet where tenant_id = $1 order by 1 limit $2',
          values: [tenantId, 10 * backtestLimits.entities],
        })
      ).map((row) => row.id);
  const ids = [...new Set([...reported, ...others])];
  const concerned = [...(await entities.find(ids)).values()].filter(
    (entity) => entity.tenantId === tenantId && rules.some((rule) => selects(rule, entity)),
  );
  const limit = Math.min(max, backtestLimits.entities);
  return {
    members: concerned.slice(0, limit).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    notes: concerned.length > limit ? [({ notes }) => notes.firstEntities(limit)] : [],
  };
}

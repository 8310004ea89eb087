/** Changes of work units from the audit, as rules of type WorkUnit saw them. */
import type { Db } from '../../db/db.ts';
import { iso } from './past-packets.ts';
import { openedByRulesOnUnits, subjectEventOf, type WrittenUnit } from '../run/work-unit-rules.ts';
import type { SubjectEvent } from '../run/evaluate-subjects.ts';

interface UnitChange {
  id: number;
  at: number;
  verb: 'create' | 'update' | 'move';
  after: WrittenUnit | null;
  correlationId: string;
}

const atOnce = 2_000;

const changes = (
  ofUnit: boolean,
) => `select audit_id as id, (extract(epoch from at) * 1000)::float8 as at, verb, after, correlation_id as "correlationId" from audit
where ${ofUnit ? `entity = 'workUnits' and entity_id = $6` : `entity = 'workUnits'`} and tenant_id = $1 and verb in ('create', 'update', 'move')
  and at >= $2::timestamptz and at < $3::timestamptz and audit_id > $4 order by audit_id limit $5`;

interface PastUnitsQuery {
  tenantId: string;
  from: number;
  to: number;
  /** Restricts to one unit. */
  workUnitId?: number;
}

/** Reads changes in the order of their record, in portions. Omits the creation of units that rules on work units opened. */
export async function* readUnitEvents(db: Db, { tenantId, from, to, workUnitId }: PastUnitsQuery): AsyncGenerator<SubjectEvent[]> {
  for (let last = 0; ;) {
    const rows = await db.query<UnitChange>({
      text: changes(workUnitId !== undefined),
      values: [tenantId, iso(from), iso(to), last, atOnce, ...(workUnitId === undefined ? [] : [String(workUnitId)])],
    });
    const createdIds = rows.filter((row) => row.verb === 'create').map((row) => Number(row.after?.workUnitId));
    const openedIds = createdIds.length > 0 ? await openedByRulesOnUnits(db, createdIds) : new Set<number>();
    yield rows.flatMap(({ at, verb, after, correlationId }) => {
      const id = Number(after?.workUnitId);
      if (!after || (verb === 'create' && openedIds.has(id))) return [];
      return [subjectEventOf({ workUnitId: id, tenantId, at, after, correlationId })];
    });
    const end = rows.at(-1);
    if (!end || rows.length < atOnce) return;
    last = end.id;
  }
}

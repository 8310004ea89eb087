/** Stores what a receiver has made for a work unit, such as a ticket, as the reference of the unit. */
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import type { QueuedExecution } from '../execution.ts';

// The first reference stays: a second ticket is a mistake of whoever set up the action, and later steps go on with the first one.
// A statement and no edit of the engine, because an edit could be refused after the ticket is made; so it is no event of the protocol,
// and an action for OnChange that makes tickets makes no second one.
const store = `with stored as (
  update work_unit set reference_id = $3, reference_url = coalesce($4, reference_url), modified = now(), modified_by = 'Automation', version = version + 1
  where work_unit_id = $1 and tenant_id = $2 and coalesce(reference_id, '') = '' returning tenant_id, work_unit_id
), noted as (
  insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, history_url, field, old_value, new_value, created_by, correlation_id)
  select work_unit_id, tenant_id, 'Reference ID: ' || $3::text, 'FieldChange', $4, 'referenceId', null, $3, 'Automation', $5::uuid from stored
)
${changed(workUnits, 'update', 'stored', '$5')}`;

export async function storeReference(
  db: Db,
  { workUnitId, match, tenantId, correlationId }: QueuedExecution,
  { id, url }: { id: string; url: string | undefined },
): Promise<void> {
  const unit = workUnitId ?? match?.workUnitId ?? undefined;
  if (unit === undefined) return;
  await db.query({ name: 'store-reference', text: store, values: [unit, tenantId, id, url ?? null, correlationId] });
}

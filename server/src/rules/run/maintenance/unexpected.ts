/**
 * Writes a note on an approved change for each match that it did not expect on its devices, in the transaction of the match.
 */
import type { Db } from '../../../db/db.ts';
import type { NewMatch } from '../decide-matches.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { changed } from '../../../db/changed.ts';
import type { Maintenance } from './maintenance.ts';

/** The maximum number of notes on a change at once. In a storm, one more note has the number of the other matches. */
const notedAtOnce = 20;

interface UnexpectedNote {
  work_unit_id: number;
  tenant_id: string;
  detail: string;
  correlation_id: string;
}

/** Writes the notes about new matches. Call it in the transaction that opens the matches. */
export async function noteUnexpected(db: Db, newMatches: readonly NewMatch[], { windows }: Maintenance): Promise<void> {
  if (windows.size === 0) return;
  const byChange = new Map<number, UnexpectedNote[]>();
  for (const { hit, suppressed } of newMatches) {
    if (suppressed !== undefined) continue;
    for (const window of windows.concerning(hit.entity, hit.packet.timestamp)) {
      if (!window.isChange || window.workUnitId === null) continue;
      const { device, name, id } = hit.entity;
      const of = device && device.id !== id ? `${name} on ${device.name}` : name;
      const note: UnexpectedNote = {
        work_unit_id: window.workUnitId,
        tenant_id: hit.entity.tenantId,
        detail: `Unexpected during change #${window.publicWorkUnitId}: ${hit.rule.rule.name} matched ${of}.`,
        correlation_id: hit.packet.packetId,
      };
      const notes = byChange.get(window.workUnitId);
      if (notes) notes.push(note);
      else byChange.set(window.workUnitId, [note]);
    }
  }
  if (byChange.size === 0) return;
  const written = [...byChange.values()].flatMap((notes) => {
    const more = notes.length - notedAtOnce;
    const [first] = notes;
    if (more <= 0 || !first) return notes;
    return [...notes.slice(0, notedAtOnce), { ...first, detail: `${more} more matches of the same moment were unexpected too.` }];
  });
  await db.query({
    name: 'unexpected-notes',
    text: `with noted as (insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, created_by, correlation_id)
select n.work_unit_id, n.tenant_id, n.detail, 'WorkUnitEvent', 'Automation', n.correlation_id
from jsonb_to_recordset($1::jsonb) as n (work_unit_id bigint, tenant_id uuid, detail text, correlation_id uuid)
join work_unit w on w.work_unit_id = n.work_unit_id and w.tenant_id = n.tenant_id returning tenant_id, work_unit_note_id, correlation_id)
${changed(workUnitNotes, 'create', 'noted')}`,
    values: [JSON.stringify(written)],
  });
}

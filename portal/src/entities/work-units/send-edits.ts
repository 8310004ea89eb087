import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { changeRows, type ChangeOfRow } from '../../api/row-calls.ts';
import { reasonsOf, type UnitEdit } from './unit-edits.ts';

interface SentEdits {
  saved: readonly { edit: UnitEdit; row: Row<typeof workUnits> | undefined }[];
  /** Why the server refused units, by id. */
  refused: ReadonlyMap<number, string>;
}

/** Sends the edits of one request. When units are refused, sends the others again without them. */
export async function sendEdits(
  edits: readonly UnitEdit[],
  changeOf: (edit: UnitEdit) => ChangeOfRow<typeof workUnits>,
): Promise<SentEdits> {
  const refused = new Map<number, string>();
  let rest = edits;
  while (rest.length > 0) {
    try {
      const rows = await changeRows(workUnits, rest.map(changeOf));
      return { saved: rest.map((edit, at) => ({ edit, row: rows[at] })), refused };
    } catch (error) {
      const reasons = reasonsOf(error);
      const left = rest.filter(({ id }) => !reasons.has(id));
      if (left.length === rest.length) throw error;
      for (const [id, reason] of reasons) refused.set(id, reason);
      rest = left;
    }
  }
  return { saved: [], refused };
}

/** Whom the changes and notes of a work unit concern. */
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { mentionsIn } from '@cloudfit/contract/notes.ts';
import type { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { Ctx } from '../../../context/ctx.ts';
import type { RowChange } from '../../../resources/served.ts';
import type { HistoryEntry } from '../feed/history.ts';
import { hasStarted, type WorkUnitRow } from '../state.rules.ts';
import { tellInbox, type UnitNews } from './tell.ts';

/** Fields whose changes the watchers are told of. */
const watchedFields: ReadonlySet<string> = new Set(['stateId', 'severityId', 'approved1By', 'approved2By']);

/** Returns the approvers who are asked by the change: newly named, or asked again because their approval was cleared. */
function askedApprovers({ before, after, changed }: RowChange<WorkUnitRow>): string[] {
  if (after.workUnitTypeId !== workUnitType.changeRequest || hasStarted(after)) return [];
  return ([1, 2] as const).flatMap((slot) => {
    const name = after[`approver${slot}`];
    const isAsked =
      changed.includes(`approver${slot}`) ||
      changed.includes('workUnitTypeId') ||
      (before !== null && before[`approved${slot}By`] !== null && after[`approved${slot}By`] === null);
    return name && isAsked && after[`approved${slot}By`] === null ? [name] : [];
  });
}

/** Rows before changes that follow from a message of which the followers are told anyway. */
export const followsFromNews = new WeakSet<object>();

/** Tells of a change of a unit in its transaction. `entries`: what the feed says of it. */
export async function tellOfChange(ctx: Ctx, change: RowChange<WorkUnitRow>, entries: readonly HistoryEntry[]): Promise<void> {
  const { before, after, changed } = change;
  const watched = entries.filter(({ field }) => field !== undefined && watchedFields.has(field));
  const news: UnitNews = {
    assigned: changed.includes('assignedTo') ? after.assignedTo : null,
    group: changed.includes('assignmentGroup') ? after.assignmentGroup : null,
    approvers: askedApprovers(change),
    ...(watched.length > 0 && !(before && followsFromNews.has(before))
      ? { followers: 'Watched', detail: watched.map(({ detail }) => detail).join(' ') }
      : {}),
  };
  await tellInbox(ctx, after.workUnitId, news);
}

/** Tells of a note in its transaction: the people whom it mentions, then the followers of the unit. */
export async function tellOfNote(ctx: Ctx, { workUnitId, workUnitNoteId, detail }: Row<typeof workUnitNotes>): Promise<void> {
  await tellInbox(ctx, workUnitId, { cause: `note ${workUnitNoteId}`, detail, mentioned: mentionsIn(detail), followers: 'Watched' });
}

/** Makes a unit of a note, or of an action in it; both units are linked. */
import { reviewTexts as t } from '@cloudfit/contract/messages/incident-review.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { createRow } from '../../../api/row-calls.ts';
import { refresh } from '../../../calls/command.ts';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { toast } from '../../../components/toasts.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const longestTitle = workUnits.fields.title.max ?? 200;

/** The first line of a text as a title: without marks of lists, quotes and headings. */
function titleOf(text: string): string {
  const line = text.split('\n').find((part) => /[\p{L}\p{N}]/u.test(part)) ?? '';
  return line.replace(/^[\s>#*+-]*(?:\[[ x]\]\s*)?/i, '').slice(0, longestTitle);
}

/** Asks for the title, and creates an incident of the same tenant and severity. `open` shows it. */
export async function unitFromNote(unit: PanelWorkUnit, text: string, open: (workUnitId: number) => void): Promise<void> {
  const { workUnitId, publicWorkUnitId, tenantId, severityId } = unit;
  const proposed = titleOf(text);
  const answer = await confirm({
    title: t.newTitle,
    text: t.newText(proposed),
    yes: en.common.create,
    no: en.common.cancel,
    inputLabel: t.newTitleLabel,
    inputOptional: proposed !== '',
    inputMax: longestTitle,
  });
  if (!answer.yes) return;
  try {
    const created = await createRow(workUnits, {
      workUnitId: -1,
      tenantId,
      severityId,
      workUnitTypeId: workUnitType.incident,
      title: answer.input || proposed,
      description: `${text}\n\n${t.from(publicWorkUnitId)}`,
    });
    toast.success(t.created(created.publicWorkUnitId), { action: { label: en.common.open, run: () => open(created.workUnitId) } });
    await createRow(workUnitRelations, { workUnitId, referenceId: String(created.workUnitId), referenceType: 'WorkUnit' }).catch(
      (error: unknown) => toastFailure(error, t.linkFailed),
    );
  } catch (error) {
    console.warn(error);
    toastFailure(error, t.newFailed);
  } finally {
    await refresh([workUnits.name]);
  }
}

/** Rules of the portal for work units: states, patches and messages of a refused save. */
import type { PatchOperation } from '../../api/row-calls.ts';
import { workUnitStates, type WorkUnitState } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { workUnitClocks } from '@cloudfit/contract/resources/service-levels.ts';
import type { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { RequestFailed } from '../../api/client.ts';
import { isConflict } from '../../entities/work-units/unit-edits.ts';
import type { FormValues } from '../../rows/row.ts';

export type PanelWorkUnit = Row<typeof workUnits> & {
  tenant?: { tenantId: string; name: string } | null;
  workUnitType?: { workUnitTypeId: number; name: string } | null;
  protocol?: { protocolId: string; name: string } | null;
  rule?: { ruleId: string; name: string; color: string | null } | null;
  relations?: readonly Row<typeof workUnitRelations>[];
  clocks?: readonly Row<typeof workUnitClocks>[];
};

/**
 * Returns the states to offer (WU-098..100): New for an unsaved unit; New, Acknowledged or Canceled for a New unit; else all.
 */
export function nextStates(saved: WorkUnitState | undefined): readonly WorkUnitState[] {
  if (saved === undefined) return ['New'];
  return saved === 'New' ? ['New', 'Acknowledged', 'Canceled'] : workUnitStates;
}

/** A patch with one test and one replacement per changed field, so that it never overwrites somebody else's change unnoticed. */
export function patchOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  changed: readonly string[],
): PatchOperation[] {
  return changed.flatMap((name): PatchOperation[] => [
    { op: 'test', path: `/${name}`, value: before[name] ?? null },
    { op: 'replace', path: `/${name}`, value: after[name] ?? null },
  ]);
}

/** The message of a failed save (ERR-051..055). */
export function saveFailureText(error: unknown): string {
  const t = en.workUnits;
  if (!(error instanceof RequestFailed)) return t.unknownError;
  if (isConflict(error)) return t.conflict;
  if (error.status >= 500) return t.serverError;
  if (error.status < 400) return t.unknownError;
  const messages = error.details.map((detail) => detail.message).filter(Boolean);
  return messages.length > 0 ? `${messages.join(' ')} ${t.refreshAndRetry}` : t.invalidInput;
}

/** The planned finish must not be before the planned start. */
export function checkPlan(values: FormValues<typeof workUnits>): { plannedFinishTime?: string } {
  const { plannedStartTime: start, plannedFinishTime: finish } = values;
  return typeof start === 'string' && typeof finish === 'string' && start && finish && new Date(finish) < new Date(start)
    ? { plannedFinishTime: en.workUnits.finishBeforeStart }
    : {};
}

/** What a person may do to a work unit in the portal: states, patches, and what a refused save says. */
import { workUnitStates, type WorkUnitState } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { RequestFailed } from '../../api/client.ts';

export type WorkUnit = Row<typeof workUnits> & {
  tenant?: { tenantId: string; name: string } | null;
  workUnitType?: { workUnitTypeId: number; name: string } | null;
  protocol?: { protocolId: string; name: string } | null;
  relations?: readonly Row<typeof workUnitRelations>[];
};

/** WU-098..100: unsaved only New; from New to New, Acknowledged or Canceled; otherwise to any. */
export function nextStates(saved: WorkUnitState | undefined): readonly WorkUnitState[] {
  if (saved === undefined) return ['New'];
  return saved === 'New' ? ['New', 'Acknowledged', 'Canceled'] : workUnitStates;
}

export interface PatchOperation {
  op: 'test' | 'replace';
  path: string;
  value: unknown;
}

/** Each changed field as a test of what it was and its new value: somebody else's change of the same field is never overwritten unseen. */
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

export function isConflict(error: unknown): boolean {
  return error instanceof RequestFailed && error.message.includes(en.workUnits.conflictTest);
}

/** ERR-051..055. */
export function saveFailureText(error: unknown): string {
  const t = en.workUnits;
  if (!(error instanceof RequestFailed)) return t.unknownError;
  if (isConflict(error)) return t.conflict;
  if (error.status >= 500) return t.serverError;
  if (error.status < 400) return t.unknownError;
  const messages = error.details.map((detail) => detail.message).filter(Boolean);
  return messages.length > 0 ? `${messages.join(' ')} ${t.refreshAndRetry}` : t.invalidInput;
}

/** Planned finish not before planned start. */
export function checkPlan(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const [start, finish] = [values['plannedStartTime'], values['plannedFinishTime']];
  return typeof start === 'string' && typeof finish === 'string' && start && finish && new Date(finish) < new Date(start)
    ? { plannedFinishTime: en.workUnits.finishBeforeStart }
    : {};
}

/** A sign-in email as a name to read: `mara.okafor@x.example` is Mara Okafor. */
export function personName(value: string): string {
  if (!value.includes('@')) return value;
  const local = value.slice(0, value.indexOf('@'));
  return local
    .split(/[._-]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

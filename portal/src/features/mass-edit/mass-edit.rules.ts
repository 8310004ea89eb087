/** Which fields a mass edit may change, its errors, and its requests. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import type { Field } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { RequestFailed } from '../../api/client.ts';
import { isConflict, type UnitEdit } from '../../entities/work-units/unit-edits.ts';
import { fieldProblem } from '../../forms/form-model.ts';

export const massFields = [
  'title',
  'stateId',
  'severityId',
  'description',
  'referenceUrl',
  'implementationPlan',
  'rollbackPlan',
  'affectedResources',
  'securityConsiderations',
  'userImpact',
  'costImpact',
  'environment',
  'expectedCFSAlerts',
  'stakeHolderFullName',
  'stakeHolderPhoneNumber',
  'stakeHolderEmailAddress',
  'effort',
  'resolution',
] as const;
export type MassField = (typeof massFields)[number];

/** Fields that a mass edit may not empty (MASS-004..010). Others may be emptied (MASS-011), or get their default. */
const restoredFields: readonly MassField[] = [
  'title',
  'implementationPlan',
  'rollbackPlan',
  'affectedResources',
  'environment',
  'expectedCFSAlerts',
  'resolution',
];

/** The first values of fields. They also replace an empty value (MASS-013, MASS-014). */
const defaults: Partial<Record<MassField, unknown>> = { stateId: 'New', severityId: 'Sev0' };

export const unitFields = ['workUnitId', 'publicWorkUnitId', 'workUnitTypeId', 'tenantId', 'holdReason', ...massFields] as const;
export type MassEditUnit = ExpandedRow<typeof workUnits, 'workUnitType', (typeof unitFields)[number]>;

/** One field being edited; `name` is empty until it is chosen. */
export interface PreviewLine {
  id: number;
  name: MassField | '';
  value: unknown;
}

type MassEditValues = Partial<Record<MassField, unknown>>;

export function massField(name: MassField): Field {
  return workUnits.fields[name];
}

export const isKept = (name: MassField) => restoredFields.includes(name);
export const firstValue = (name: MassField): unknown => defaults[name] ?? null;

const isEmpty = (value: unknown) => value === null || value === undefined || (typeof value === 'string' && value.trim() === '');

/** The error of each line, by its id. */
export function lineProblems(lines: readonly PreviewLine[]): ReadonlyMap<number, string> {
  const faultById = new Map<number, string>();
  for (const [at, { id, name, value }] of lines.entries()) {
    if (name === '') faultById.set(id, t.fieldRequired);
    else if (lines.slice(0, at).some((before) => before.name === name)) faultById.set(id, t.duplicate);
    else if (isEmpty(value)) {
      if (isKept(name)) faultById.set(id, en.form.requiredNamed(massField(name).label));
    } else {
      const problem = fieldProblem(massField(name), value);
      if (problem) faultById.set(id, problem);
    }
  }
  return faultById;
}

export function valuesOf(lines: readonly PreviewLine[]): MassEditValues {
  return Object.fromEntries(
    lines.flatMap(({ name, value }) => (name === '' ? [] : [[name, isEmpty(value) ? (defaults[name] ?? null) : value]])),
  );
}

/**
 * Returns the changed fields of each unit with their previous values, by which the server refuses units that somebody else has
 * changed. Units that already have the new values are left out.
 */
export function editsOf(units: readonly MassEditUnit[], values: MassEditValues): UnitEdit[] {
  return units.flatMap((unit) => {
    const changed = (Object.keys(values) as MassField[]).filter((name) => (unit[name] ?? null) !== (values[name] ?? null));
    if (changed.length === 0) return [];
    // What a unit on hold waited for ends with that state, and an undo brings both back.
    const { holdReason } = unit;
    const isOver = holdReason && changed.includes('stateId');
    return [
      {
        id: unit.workUnitId,
        number: unit.publicWorkUnitId,
        tenantId: unit.tenantId,
        previousState: { ...Object.fromEntries(changed.map((name) => [name, unit[name] ?? null])), ...(isOver ? { holdReason } : {}) },
        newState: { ...Object.fromEntries(changed.map((name) => [name, values[name] ?? null])), ...(isOver ? { holdReason: null } : {}) },
      },
    ];
  });
}

/** Returns the message of a failed mass edit (ERR-056..060). */
export function failureOf(error: unknown): string {
  if (!(error instanceof RequestFailed)) return t.unknownError;
  if (isConflict(error)) return t.conflict;
  if (error.status >= 500) return t.serverError;
  if (error.status < 400) return t.unknownError;
  const messages = [...new Set(error.details.map((detail) => detail.message).filter(Boolean))];
  return messages.length > 0 ? `${messages.slice(0, 3).join(' ')} ${t.refreshAndRetry}` : t.invalidInput;
}

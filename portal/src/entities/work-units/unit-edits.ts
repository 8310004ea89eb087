/** Changes of work units that are sent together: their requests, their undo, and why the server refused them. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import type { Field, FieldName, Row } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { RequestFailed } from '../../api/client.ts';
import type { ChangeOfRow } from '../../api/row-calls.ts';

type EditedValues = { [K in FieldName<typeof workUnits>]?: unknown };

export interface UnitEdit {
  id: number;
  /** The public number of the work unit, for messages. */
  number: number;
  /** The type of the unit, where the edits may be of units of several types. */
  typeId?: number;
  tenantId?: string;
  previousState: EditedValues;
  newState: EditedValues;
}

/** Returns the edit with the values that the server stored, which may differ from the sent values. */
export function asStored(edit: UnitEdit, row: Row<typeof workUnits> | undefined): UnitEdit {
  return {
    ...edit,
    newState: Object.fromEntries(Object.keys(edit.newState).map((name) => [name, row?.[name as keyof Row<typeof workUnits>] ?? null])),
  };
}

export function bodyOf({ id, previousState, newState }: UnitEdit) {
  return { id, previousState, newState };
}

/**
 * Builds the changes that revert an edit. The server refuses them for a unit of which somebody else has changed an edited
 * field.
 */
export function undoOf({ id, previousState, newState }: UnitEdit): ChangeOfRow<typeof workUnits> {
  return {
    id,
    patch: (Object.keys(newState) as FieldName<typeof workUnits>[]).flatMap((name) => [
      { op: 'test', path: `/${name}`, value: newState[name] ?? null },
      { op: 'replace', path: `/${name}`, value: previousState[name] ?? null },
    ]),
  };
}

const maxRows = 100;
/** Maximum length of a request body in characters: well below the server's limit, even if a character needs several bytes. */
const maxText = 250_000;

/** Splits the changes into requests of at most `maxRows` units and `maxText` characters. */
export function chunksOf<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  let size = 0;
  for (const item of items) {
    const itemLength = JSON.stringify(item).length;
    const last = chunks.at(-1);
    if (last && last.length < maxRows && size + itemLength <= maxText) {
      last.push(item);
      size += itemLength;
    } else {
      chunks.push([item]);
      size = itemLength;
    }
  }
  return chunks;
}

/** Splits edits into requests of one type of work units each, because the server refuses several types in one request. */
export function requestsOf(edits: readonly UnitEdit[]): UnitEdit[][] {
  const types = new Set(edits.map(({ typeId }) => typeId));
  return [...types].flatMap((type) => chunksOf(edits.filter(({ typeId }) => typeId === type)));
}

/** Returns why the server refused units, by the id of the unit. The server names targets such as `7/stateId`. */
export function reasonsOf(error: unknown): ReadonlyMap<number, string> {
  const faultById = new Map<number, string>();
  if (!(error instanceof RequestFailed)) return faultById;
  for (const { target = '', message = '', code } of error.details) {
    const [key = '', field = ''] = target.split('/');
    if (!/^\d+$/.test(key)) continue;
    const label = (workUnits.fields as Record<string, Field>)[field]?.label ?? field;
    const text = code === 'TestFailed' && label ? t.changedMeanwhile(label) : message;
    faultById.set(Number(key), [faultById.get(Number(key)), text].filter(Boolean).join(' '));
  }
  return faultById;
}

export function isConflict(error: unknown): boolean {
  return error instanceof RequestFailed && error.message.includes(en.workUnits.conflictTest);
}

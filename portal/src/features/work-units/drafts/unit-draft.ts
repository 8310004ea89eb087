/** A person's unsaved values of a unit. The tab stores them per person, so that they survive a reload and the end of the session. */
import type { FormValues } from '../../../rows/row.ts';

export interface UnitDraft {
  /** The time of the last keystroke. */
  at: string;
  /** Values of the changed fields before they were changed. */
  base: FormValues;
  values: FormValues;
}

const key = (person: string, id: number) => `cloudfit.draft.workUnits.${id}.${person.toLowerCase()}`;

export function readDraft(person: string, id: number): UnitDraft | undefined {
  const raw = sessionStorage.getItem(key(person, id));
  if (!raw) return undefined;
  try {
    const draft = JSON.parse(raw) as Partial<UnitDraft>;
    return draft.at && draft.base && draft.values ? { at: draft.at, base: draft.base, values: draft.values } : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a draft; without one, removes the stored one. When the storage is full the draft is lost, but typing goes on. */
export function keepDraft(person: string, id: number, draft: UnitDraft | undefined): void {
  try {
    if (draft) sessionStorage.setItem(key(person, id), JSON.stringify(draft));
    else sessionStorage.removeItem(key(person, id));
  } catch (error) {
    console.warn('What was typed could not be kept.', error);
  }
}

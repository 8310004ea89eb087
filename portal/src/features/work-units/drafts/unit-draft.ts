/** What a person typed into a unit and has not saved: kept in this tab, by person, so that it outlives a reload and the end of the session. */
import type { Values } from '../../../rows/row.ts';

export interface UnitDraft {
  /** When it was typed last. */
  at: string;
  /** Values of the changed fields before they were changed. */
  base: Values;
  values: Values;
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

/** Without a draft the one that was kept is dropped. A full store costs the draft, never the typing. */
export function keepDraft(person: string, id: number, draft: UnitDraft | undefined): void {
  try {
    if (draft) sessionStorage.setItem(key(person, id), JSON.stringify(draft));
    else sessionStorage.removeItem(key(person, id));
  } catch (error) {
    console.warn('What was typed could not be kept.', error);
  }
}

/** Unsaved input. The tab stores it per person, so that it survives a reload and the end of the session, but not the tab. */
export interface StoredDraft<T> {
  /** The time of the last change. */
  at: string;
  typed: T;
}

const key = (person: string, name: string) => `cloudfit.draft.${name}.${person.toLowerCase()}`;

/** Returns the stored draft. `isTyped` refuses a draft that an older version of the portal stored in another shape. */
export function readDraft<T>(person: string, name: string, isTyped: (typed: unknown) => typed is T): StoredDraft<T> | undefined {
  const raw = sessionStorage.getItem(key(person, name));
  if (!raw) return undefined;
  try {
    const { at, typed } = JSON.parse(raw) as { at?: unknown; typed?: unknown };
    return typeof at === 'string' && isTyped(typed) ? { at, typed } : undefined;
  } catch {
    return undefined;
  }
}

/** Stores `typed` as the draft; undefined deletes the draft. When the storage is full, only warns in the console. */
export function keepDraft(person: string, name: string, typed: unknown): void {
  try {
    if (typed === undefined) sessionStorage.removeItem(key(person, name));
    else sessionStorage.setItem(key(person, name), JSON.stringify({ at: new Date().toISOString(), typed }));
  } catch (error) {
    console.warn('What was typed could not be kept.', error);
  }
}

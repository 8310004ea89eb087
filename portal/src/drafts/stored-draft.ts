/** Unsaved input. The tab stores it per person, so that it survives a reload and the end of the session, but not the tab. */
export interface StoredDraft<T> {
  /** The time of the last change. */
  at: string;
  typed: T;
}

const key = (person: string, name: string) => `cloudfit.draft.${name}.${person.toLowerCase()}`;

/** `isTyped` refuses what an older version of the portal stored in another shape. */
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

/** Stores a draft; without one, removes the stored one. When the storage is full the draft is lost, but typing goes on. */
export function keepDraft(person: string, name: string, typed: unknown): void {
  try {
    if (typed === undefined) sessionStorage.removeItem(key(person, name));
    else sessionStorage.setItem(key(person, name), JSON.stringify({ at: new Date().toISOString(), typed }));
  } catch (error) {
    console.warn('What was typed could not be kept.', error);
  }
}

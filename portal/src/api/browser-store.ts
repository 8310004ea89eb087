/** Values stored in this browser only: components subscribe to them, and all open tabs stay in sync. */
import { useSyncExternalStore } from 'react';

export interface BrowserStore<T> {
  key: string;
  get: () => T;
  set: (value: T) => void;
  use: () => T;
}

/** A value stored under `key`. `read` validates the parsed JSON; it gets undefined when no valid JSON is stored. */
export function browserStore<T>(key: string, read: (readText: unknown) => T): BrowserStore<T> {
  const listeners = new Set<() => void>();
  let text: string | null | undefined;
  let value: T;
  const readText = (): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const get = (): T => {
    const now = readText();
    if (text === undefined || now !== text) {
      text = now;
      try {
        value = read(now === null ? undefined : JSON.parse(now));
      } catch {
        value = read(undefined);
      }
    }
    return value;
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  window.addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) tell();
  });
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    key,
    get,
    set: (next) => {
      localStorage.setItem(key, JSON.stringify(next));
      tell();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}

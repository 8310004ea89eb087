/** The title of the page in view: the browser's tab and the header's heading. */
import { useEffect, useSyncExternalStore } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';

let title = '';
const listeners = new Set<() => void>();

export function usePageTitle(header: string) {
  useEffect(() => {
    title = header;
    document.title = en.pageTitle(header);
    for (const listener of listeners) listener();
  }, [header]);
}

export function useCurrentTitle(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => title,
  );
}

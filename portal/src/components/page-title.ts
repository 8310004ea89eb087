/** The title of the page in view: the browser's tab and the header's heading. */
import { useEffect, useSyncExternalStore } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';

interface Page {
  header: string;
  /** Whether the page shows the link to the old screen that it replaces (SHELL-040). */
  hasOldExperience: boolean;
}

let page: Page = { header: '', hasOldExperience: false };
const listeners = new Set<() => void>();
/** The title of what is open in the page; it stays when the page tells its own title, which it does after its parts. */
let openTitle: string | undefined;

/** The number before each title, of what waits for the person. */
let waiting = 0;

function showTitle() {
  const title = en.pageTitle(openTitle ?? page.header);
  document.title = waiting > 0 ? `(${waiting}) ${title}` : title;
}

/** Sets the number before the title of the browser's tab. */
export function setTitleCount(count: number) {
  if (count === waiting) return;
  waiting = count;
  showTitle();
}

export function usePageTitle(header: string, { hasOldExperience = false }: { hasOldExperience?: boolean } = {}) {
  useEffect(() => {
    page = { header, hasOldExperience };
    showTitle();
    for (const listener of listeners) listener();
  }, [header, hasOldExperience]);
}

/** Names what is open in the page, such as the panel of a unit, in the browser's tab while it is open. */
export function useTabTitle(title: string) {
  useEffect(() => {
    openTitle = title;
    showTitle();
    return () => {
      openTitle = undefined;
      showTitle();
    };
  }, [title]);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useCurrentPage(): Page {
  return useSyncExternalStore(subscribe, () => page);
}

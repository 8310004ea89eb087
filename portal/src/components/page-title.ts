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

function showTitle() {
  document.title = en.pageTitle(openTitle ?? page.header);
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

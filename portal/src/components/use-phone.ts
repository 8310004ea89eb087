import { useSyncExternalStore } from 'react';

const query = '(max-width: 767px)';

function subscribe(listener: () => void) {
  const media = window.matchMedia(query);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}

/** Whether the window is as narrow as a phone (below the mobile breakpoint). */
export function usePhone(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}

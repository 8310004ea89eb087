import { useCallback, useState, useSyncExternalStore } from 'react';

export interface DrawerState {
  isOpen: boolean;
  /** Over the page instead of beside it. */
  isTemporary: boolean;
  toggle: () => void;
  close: () => void;
}

function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}

/** Open by default, collapsed below lg (1266), over the page on md and smaller (SHELL-044..047). */
export function useDrawer(): DrawerState {
  const isLarge = useMediaQuery('(min-width: 1266px)');
  const isTemporary = !useMediaQuery('(min-width: 1024px)');
  const [chosen, setChosen] = useState<{ isLarge: boolean; isOpen: boolean }>();
  // What the person chose holds until the window crosses the breakpoint.
  const isOpen = chosen && chosen.isLarge === isLarge ? chosen.isOpen : isLarge;
  const set = (value: boolean) => setChosen({ isLarge, isOpen: value });
  return {
    isOpen,
    isTemporary,
    toggle: () => set(!isOpen),
    close: () => {
      if (isTemporary) set(false);
    },
  };
}

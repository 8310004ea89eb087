import { useState, useSyncExternalStore } from 'react';

export interface DrawerState {
  isOpen: boolean;
  /** Whether the menu lies over the page instead of beside it. */
  isTemporary: boolean;
  /**
   * Whether the person opened or closed the menu. In this case the button that appears takes the focus, because the pressed
   * button disappears.
   */
  isChosen: boolean;
  toggle: () => void;
  close: () => void;
}

/** From lg (1266 px) on, the menu is beside the page. */
const large = '(min-width: 1266px)';

function subscribe(listener: () => void) {
  const media = window.matchMedia(large);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}

/** The state of the menu. Open by default; below lg closed by default, and an open menu lies over the page (SHELL-044..047). */
export function useDrawer(): DrawerState {
  const isLarge = useSyncExternalStore(subscribe, () => window.matchMedia(large).matches);
  const [chosen, setChosen] = useState<{ isLarge: boolean; isOpen: boolean }>();
  // The person's choice holds until the window crosses the breakpoint.
  const isChosen = chosen?.isLarge === isLarge;
  const isOpen = isChosen ? chosen.isOpen : isLarge;
  const set = (value: boolean) => setChosen({ isLarge, isOpen: value });
  return {
    isOpen,
    isTemporary: !isLarge,
    isChosen,
    toggle: () => set(!isOpen),
    close: () => {
      if (!isLarge) set(false);
    },
  };
}

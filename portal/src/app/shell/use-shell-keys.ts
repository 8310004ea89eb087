import { useEffect } from 'react';
import { toggleMode } from '../../theme/mode.ts';
import type { OverlayName } from './overlays.tsx';

const typing = 'input:not([type="checkbox"]), textarea, select, [contenteditable="true"]';

/** Keys that work on every screen, unless somebody types or a dialog is open. */
export function useShellKeys(show: (name: OverlayName) => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if ((event.target instanceof Element && event.target.closest(typing)) || document.querySelector('.MuiModal-root')) return;
      const runs: Record<string, () => void> = {
        '/': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
        c: () => document.querySelector<HTMLElement>('[data-create]')?.click(),
        t: toggleMode,
        '?': () => show('keys'),
      };
      const run = runs[event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [show]);
}

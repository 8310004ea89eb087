import { useEffectEvent, useLayoutEffect } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { usePermissions } from '../../api/lookups.ts';
import { runPageKey } from '../../hooks/page-commands.ts';
import { newId } from '../../hooks/use-panel.ts';
import { toggleMode } from '../../theme/mode.ts';
import { addressOf, homeKey, menu, visibleMenu } from '../navigation.ts';
import { useChosenContext } from './use-chosen-context.ts';
import { typeAhead } from './typed-ahead.ts';
import type { OverlayName } from './use-overlay.ts';

const inputs = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable="true"]';
const isTyping = (target: EventTarget | null) => target instanceof Element && target.closest(inputs) !== null;
const isModalOpen = () => document.querySelector('.MuiModal-root') !== null;
/** The id of the element around the screen. */
export const contentId = 'content';
export const contentElement = () => document.getElementById(contentId);
const isInPalette = (target: EventTarget | null) => target instanceof Element && target.closest('.palette') !== null;
/** Whether the focus is on the page itself, or on the element around the screen. */
const isAtStart = (target: EventTarget | null) => target === document.body || target === contentElement();
/** The longest time between `g` and the letter of the screen. */
const sequenceMs = 1_500;

/** Returns a function that opens the screen of a letter. It returns false when the person sees no screen with this letter. */
function useGoTo() {
  const { tenantId } = useChosenContext();
  const { data: permissions } = usePermissions();
  const navigate = useNavigate();
  return (letter: string): boolean => {
    const items = visibleMenu(menu, permissions ?? new Set()).flatMap((group) => group.items);
    const item = items.find((item) => item.key === letter);
    const to = letter === homeKey ? `/${tenantId ?? ''}` : item && addressOf(item, tenantId);
    if (!to) return false;
    void navigate(to);
    return true;
  };
}

/**
 * Handles the keys that work on every screen. Letters do nothing while somebody types, or while a dialog or the form of a new
 * row is open. Ctrl K opens the palette unless a dialog is open, and closes it.
 */
export function useShellKeys(open: OverlayName | null, show: (name: OverlayName) => void, close: () => void) {
  const goTo = useGoTo();
  const [params] = useSearchParams();
  const onPalette = useEffectEvent(() => {
    if (open === 'palette') close();
    else if (!isModalOpen()) show('palette');
  });
  const onLetter = useEffectEvent((key: string): boolean => {
    // What the page offers for its rows comes first.
    if (runPageKey(key)) return true;
    const runs: Record<string, () => void> = {
      '/': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
      c: () => document.querySelector<HTMLElement>('[data-create]')?.click(),
      t: toggleMode,
      '?': () => show('keys'),
      // Focuses the first button of the actions on the selected rows.
      a: () => document.querySelector<HTMLElement>('[data-acts] button:not(:disabled)')?.focus(),
    };
    runs[key]?.();
    return key in runs;
  });
  const onGo = useEffectEvent(goTo);
  // While the form of a new row is open, letters belong to the form, even before its first field has the focus.
  const isCreating = useEffectEvent(() => [...params.values()].includes(newId));
  // Letters that are typed before the palette's code arrives belong to its input and are no shortcuts.
  const isOpening = useEffectEvent(() => open === 'palette');

  // Before the page is painted: a key that is pressed as soon as the page is there counts.
  useLayoutEffect(() => {
    let startedAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      const command = event.ctrlKey || event.metaKey;
      if (event.altKey || event.defaultPrevented) return;
      const firstRow =
        event.key === 'ArrowDown' && isAtStart(event.target) && !isModalOpen() && contentElement()?.querySelector('tr[data-row]');
      if (firstRow instanceof HTMLElement) {
        event.preventDefault();
        firstRow.focus();
        return;
      }
      if (command && !event.shiftKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (!command && isOpening() && event.key.length === 1 && !isInPalette(event.target)) typeAhead(event.key);
      if (command || isTyping(event.target) || isCreating() || isOpening() || isModalOpen()) return;
      const follows = performance.now() - startedAt < sequenceMs;
      startedAt = event.key === 'g' && !follows ? performance.now() : -Infinity;
      if (!follows && onLetter(event.key)) event.preventDefault();
    };
    // Runs before a focused row handles the letter after `g`, such as `x`.
    const onSecondLetter = (event: KeyboardEvent) => {
      if (performance.now() - startedAt >= sequenceMs || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || isCreating() || isOpening() || isModalOpen() || !onGo(event.key)) return;
      startedAt = -Infinity;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener('keydown', onSecondLetter, true);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onSecondLetter, true);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
}

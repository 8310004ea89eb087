import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { useBlocker, type Location } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { confirm } from '../components/overlay/confirm.tsx';
import { pageLeft } from '../components/overlay/floating-props.ts';

interface Guard {
  /** Whether leaving from one address to the other loses the form's changes. */
  blocks: (from: Location, to: Location) => boolean;
  drop: () => void;
}

/** The forms on the page. The router takes one blocker, so all of them share that of `useUnsavedBlocker`. */
const guards = new Set<Guard>();

/**
 * Asks before the page is left while a form that uses `useUnsavedGuard` has unsaved changes; says when it is left or the person goes back, and
 * menus and dialogs over it close. Each frame of the portal uses it once.
 */
export function useUnsavedBlocker() {
  const blocking = useRef<readonly Guard[]>([]);
  const blocker = useBlocker(({ currentLocation: from, nextLocation: to, historyAction }) => {
    blocking.current = [...guards].filter((guard) => guard.blocks(from, to));
    if (blocking.current.length > 0) return true;
    if (historyAction === 'POP' || from.pathname !== to.pathname) document.dispatchEvent(new Event(pageLeft));
    return false;
  });
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    void confirm({ title: en.guard.title, text: en.guard.question, danger: true }).then((answer) => {
      if (!answer.yes) return blocker.reset();
      for (const guard of blocking.current) guard.drop();
      return blocker.proceed();
    });
  }, [blocker]);
}

/**
 * Asks before the person leaves the page, the panel or the tab while a form has unsaved changes. `panel` names the address
 * parameter whose value is the open panel. `onDrop` is called when the changes are saved or discarded.
 */
export function useUnsavedGuard(isDirty: boolean, panel: string, onDrop?: () => void) {
  // The router learns of a new function only after the paint. Without this ref, closing a form just after saving it would ask
  // about unsaved changes.
  const dirty = useRef(isDirty);
  useLayoutEffect(() => {
    dirty.current = isDirty;
  }, [isDirty]);
  const drop = useEffectEvent(() => onDrop?.());
  useLayoutEffect(() => {
    const guard: Guard = {
      blocks: (from, to) => {
        if (!dirty.current) return false;
        if ((to.state as { saved?: boolean } | null)?.saved) {
          drop();
          return false;
        }
        // The session ended: unsaved values stay in the draft.
        if (to.pathname === '/user/login') return false;
        const now = new URLSearchParams(from.search);
        const next = new URLSearchParams(to.search);
        return from.pathname !== to.pathname || now.get(panel) !== next.get(panel);
      },
      drop: () => drop(),
    };
    guards.add(guard);
    return () => void guards.delete(guard);
  }, [panel]);

  useEffect(() => {
    if (!isDirty) return;
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', hold);
    return () => window.removeEventListener('beforeunload', hold);
  }, [isDirty]);
}

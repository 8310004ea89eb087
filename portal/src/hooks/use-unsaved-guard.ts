import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { useBlocker } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { confirm } from '../components/overlay/confirm.tsx';

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
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    if (!dirty.current) return false;
    if ((nextLocation.state as { saved?: boolean } | null)?.saved) {
      onDrop?.();
      return false;
    }
    // The session ended: unsaved values stay in the draft.
    if (nextLocation.pathname === '/user/login') return false;
    const now = new URLSearchParams(currentLocation.search);
    const next = new URLSearchParams(nextLocation.search);
    return currentLocation.pathname !== nextLocation.pathname || now.get(panel) !== next.get(panel);
  });

  const drop = useEffectEvent(() => onDrop?.());
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    void confirm({ title: en.guard.title, text: en.guard.question, danger: true }).then((answer) => {
      if (!answer.yes) return blocker.reset();
      drop();
      return blocker.proceed();
    });
  }, [blocker]);

  useEffect(() => {
    if (!isDirty) return;
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', hold);
    return () => window.removeEventListener('beforeunload', hold);
  }, [isDirty]);
}

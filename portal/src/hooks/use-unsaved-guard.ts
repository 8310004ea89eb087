import { useEffect, useEffectEvent } from 'react';
import { useBlocker } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { confirm } from '../components/overlay/confirm.tsx';

/** Asks before an address is left, or the tab closed, while a form holds unsaved changes. `panel` names the parameter whose value is the open panel; `onDrop` learns that the person gives the changes up. */
export function useUnsavedGuard(isDirty: boolean, panel: string, onDrop?: () => void) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    if (!isDirty || (nextLocation.state as { saved?: boolean } | null)?.saved) return false;
    const now = new URLSearchParams(currentLocation.search);
    const next = new URLSearchParams(nextLocation.search);
    return currentLocation.pathname !== nextLocation.pathname || now.get(panel) !== next.get(panel);
  });

  const drop = useEffectEvent(() => onDrop?.());
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    void confirm({ title: en.guard.title, text: en.guard.question }).then((answer) => {
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

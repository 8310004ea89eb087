import { useEffect, useEffectEvent } from 'react';

/** Runs `work` repeatedly while the page is visible; never while `everyMs` is null. */
export function useInterval(work: () => void, everyMs: number | null): void {
  const run = useEffectEvent(() => {
    if (document.visibilityState === 'visible') work();
  });
  useEffect(() => {
    if (everyMs === null) return;
    const timer = setInterval(run, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

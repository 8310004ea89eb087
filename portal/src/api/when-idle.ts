import { useEffect, useState } from 'react';

/** The longest wait for an idle browser. */
const maxMs = 300;

/** Resolves when the browser is idle; in a browser without `requestIdleCallback` (Safari), after a short delay. */
export const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: maxMs });
    else setTimeout(resolve, 50);
  });

/** Whether the browser has been idle since the component was shown: for what may wait until then. */
export function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    let isHere = true;
    void whenIdle().then(() => isHere && setIdle(true));
    return () => {
      isHere = false;
    };
  }, []);
  return isIdle;
}

/** Opens a panel when what it shows has come, so that it is drawn once, or a moment later without it. */
import { useCallback, useEffect, useRef } from 'react';

/** Nobody sees so short a wait; drawing a panel twice is seen. */
const maxMs = 60;

/** The last one that is to be opened counts, as long as its page is there. What fails to come, the panel itself says. */
export function useOpenWhenLoaded(): (filled: Promise<unknown> | undefined, open: () => void) => void {
  const latest = useRef<object>(undefined);
  useEffect(() => () => void (latest.current = undefined), []);
  return useCallback((filled, open) => {
    const mine = (latest.current = {});
    if (!filled) return open();
    const soon = new Promise((resolve) => setTimeout(resolve, maxMs));
    const show = () => {
      if (latest.current === mine) open();
    };
    void Promise.race([filled, soon]).then(show, show);
  }, []);
}

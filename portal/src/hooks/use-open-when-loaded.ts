/** Opens a panel when its data has loaded, so that it renders once; after a short wait it opens without the data. */
import { useCallback, useEffect, useRef } from 'react';

/** The longest wait for the data. It is not noticeable, unlike a panel that renders twice. */
const maxMs = 60;

/** Opens only the last requested panel, and only while the page is mounted. The panel reports data that fails to load. */
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

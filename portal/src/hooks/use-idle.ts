import { useEffect, useState } from 'react';
import { whenIdle } from '../api/when-idle.ts';

/** Whether the browser has been idle since the component was mounted: for what may load after the page. */
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

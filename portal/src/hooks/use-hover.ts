import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** After this time without a movement, no click is expected any more. */
const restMs = 8_000;

/** Whether the pointer or the keyboard was used in the rows within `restMs`: a click may follow. */
export function useHover(place: RefObject<HTMLElement | null>): boolean {
  const [isThere, setThere] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const leave = useCallback(() => {
    clearTimeout(timer.current);
    setThere(false);
  }, []);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const stay = (event: Event) => {
      if (!(event.target instanceof Element) || !event.target.closest('tbody')) return;
      setThere(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setThere(false), restMs);
    };
    const events = ['pointermove', 'keydown', 'focusin'] as const;
    for (const event of events) element.addEventListener(event, stay, { passive: true });
    element.addEventListener('pointerleave', leave);
    return () => {
      leave();
      for (const event of events) element.removeEventListener(event, stay);
      element.removeEventListener('pointerleave', leave);
    };
  }, [leave, place]);
  return isThere;
}

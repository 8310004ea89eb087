import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** A pointer that rests for this long is not about to click. */
const restMs = 8_000;

/** Whether the pointer is over the rows and about to click, or the keyboard is moving through them. */
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

import { useEffect, useState, type RefObject } from 'react';

/** Whether a scroll container has more columns beyond its end. */
export function useMoreAtEnd(place: RefObject<HTMLElement | null>): boolean {
  const [hasMore, setMore] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const look = () => setMore(element.scrollWidth - element.clientWidth - Math.abs(element.scrollLeft) > 8);
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [place]);
  return hasMore;
}

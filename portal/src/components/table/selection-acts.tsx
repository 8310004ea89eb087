import { useLayoutEffect, useRef, type ReactNode } from 'react';

/**
 * Buttons for the selected rows. They cover the grid's heading, so that nothing moves under the pointer when the first row
 * is selected. The key `a` focuses them. When a focused button disappears, the focus moves to the rows.
 */
export function SelectionActs({ children }: { children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    const element = bar.current;
    return () => {
      const isLost = document.activeElement === document.body || element?.contains(document.activeElement);
      if (hadFocus.current && isLost) element?.parentElement?.querySelector<HTMLElement>('tr[data-row][tabindex="0"]')?.focus();
    };
  }, []);
  return (
    <div
      ref={bar}
      className="selection-acts"
      data-acts
      onFocus={() => {
        hadFocus.current = true;
      }}
      // Without `relatedTarget`, no other element got the focus: the button was disabled while its action ran.
      onBlur={({ relatedTarget }) => {
        hadFocus.current = relatedTarget === null;
      }}
    >
      {children}
    </div>
  );
}

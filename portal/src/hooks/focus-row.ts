/** Whether the focus may move to the row: no element has it, or only a row or the create button. */
const isFree = (active: Element | null) => active === null || active.matches('body, main') || active.closest('[data-create], tr[data-row]');

/** Ends the wait for the row of the previous call. */
let stop = () => {};

/**
 * Focuses a row of a list as soon as the list shows it: at once, or after the list was read again. A key or the pointer ends
 * the wait, because the person has moved on.
 */
export function focusRow(key: string): void {
  stop();
  const focus = () => {
    const row = [...document.querySelectorAll<HTMLElement>('tr[data-row]')].find(({ dataset }) => dataset['row'] === key);
    if (!row) return;
    stop();
    if (!isFree(document.activeElement)) return;
    for (const other of row.parentElement?.querySelectorAll<HTMLElement>('tr[data-row]') ?? []) other.tabIndex = other === row ? 0 : -1;
    row.focus();
  };
  const observer = new MutationObserver(focus);
  stop = () => {
    observer.disconnect();
    document.removeEventListener('keydown', stop, true);
    document.removeEventListener('pointerdown', stop, true);
  };
  document.addEventListener('keydown', stop, true);
  document.addEventListener('pointerdown', stop, true);
  observer.observe(document.body, { childList: true, subtree: true });
  focus();
}

import type { KeyboardEvent } from 'react';

/** Controls that handle the arrow keys themselves. */
const typedInto = 'select, textarea, input:not([type="checkbox"])';

/** Selects all rows of the page; if they are already selected, all rows of the list. Returns false without checkboxes. */
function selectAll(body: HTMLElement): boolean {
  const box = body.closest('table')?.querySelector<HTMLInputElement>('thead .tick input');
  if (!box) return false;
  if (box.checked) document.querySelector<HTMLButtonElement>('[data-select-all]')?.click();
  else box.click();
  return true;
}

/** Arrows, Home and End move between the rows of a table body; Enter opens the row, `x` selects it, Ctrl A selects all rows. */
export function useRowKeys() {
  return (event: KeyboardEvent<HTMLTableSectionElement>) => {
    const row = event.target instanceof Element && !event.target.matches(typedInto) ? event.target.closest('tr') : null;
    if (!row || event.altKey) return;
    const onRow = event.target === row;
    if (event.ctrlKey || event.metaKey) {
      if (onRow && event.key === 'a' && selectAll(event.currentTarget)) event.preventDefault();
      return;
    }
    const rows = [...event.currentTarget.querySelectorAll<HTMLTableRowElement>('tr[data-row]')];
    const at = rows.indexOf(row);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, ...(onRow ? { j: at + 1, k: at - 1, Home: 0, End: rows.length - 1 } : {}) }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const next = rows[Math.min(rows.length - 1, Math.max(0, to))];
      for (const each of rows) each.tabIndex = each === next ? 0 : -1;
      next?.focus();
      return;
    }
    if (!onRow) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      row.click();
    } else if (event.key === 'x' || event.key === ' ') {
      event.preventDefault();
      row.querySelector<HTMLInputElement>('td.tick input')?.click();
    }
  };
}

import type { ReactNode } from 'react';
import { limits } from '@cloudfit/contract/limits.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { IconButton } from '../button.tsx';
import { listCountText } from '../count.ts';

/** The page sizes that grids offer (GRID, LIM-003). */
export const pageSizes: readonly number[] = [10, 25, 50, 100];
/** The only other page size that the address may have. */
const largestPage = 500;

export function isPageSize(rows: number): boolean {
  return pageSizes.includes(rows) || rows === largestPage;
}

interface PagerProps {
  /** The name that distinguishes this pager from another one on the page. */
  label?: string;
  /** Zero-based. */
  page: number;
  rows: number;
  count: number | undefined;
  sizes?: readonly number[];
  onPage: (page: number) => void;
  onRows: (rows: number) => void;
  /** Content at the left. */
  children?: ReactNode;
}

export function Pager({ label = en.grid.rowsPerPage, page, rows, count, sizes = pageSizes, onPage, onRows, children }: PagerProps) {
  const total = count ?? 0;
  const last = Math.max(0, Math.min(Math.ceil(total / rows) - 1, Math.floor(limits.skipMax / rows)));
  const range = total === 0 ? en.grid.noRange : en.grid.range(page * rows + 1, Math.min(total, (page + 1) * rows), listCountText(total));
  return (
    <nav className="pager" aria-label={label}>
      {children}
      <span className="grow" />
      <label className="per-page">
        {en.grid.rowsPerPage}
        <select className="input" value={rows} onChange={(event) => onRows(Number(event.target.value))}>
          {(sizes.includes(rows) ? sizes : [...sizes, rows]).map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
      <span className="num" aria-live="polite">
        {count === undefined ? '' : range}
      </span>
      <span className="row" style={{ gap: 2 }}>
        <IconButton small icon="left" label={en.grid.previous} disabled={page === 0} onClick={() => onPage(page - 1)} />
        <IconButton small icon="right" label={en.grid.next} disabled={page >= last} onClick={() => onPage(page + 1)} />
      </span>
    </nav>
  );
}

/** Exports all rows of a list with its visible columns; shows the progress, can be cancelled. The server records the export. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { gridTexts } from '@cloudfit/contract/messages/grid.en.ts';
import { exportOf } from '../api/row-calls.ts';
import type { ListQuery } from '@cloudfit/contract/query/query-string.ts';
import { toast } from '../components/toasts.tsx';
import type { TableColumn } from '../components/table/table-column.ts';
import { exportRows, type ExportSource } from './export-rows.ts';
import { countText, listCountText } from '../components/count.ts';

/** The maximum number of rows of an export (LIM-004). */
const maxRows = 1_000;
interface ExportProgress {
  done: number;
  all: number;
}

/** Reads the rows of a response that has one line per row, and reports the number of lines while the response arrives. */
async function readRows<T>(answer: Response, onRows: (rows: number) => void): Promise<readonly T[]> {
  let text = '';
  if (answer.body)
    for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
      text += part;
      onRows(text.split('\n').length - 1);
    }
  return (JSON.parse(text) as { value: T[] }).value;
}

export function useExportAll(view: ExportSource) {
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = useCallback(
    async <T>(columns: readonly TableColumn<T>[], { filter, orderBy, expand }: ListQuery, count: number) => {
      const control = new AbortController();
      const all = Math.min(count, maxRows);
      running.current = control;
      setProgress({ done: 0, all });
      try {
        const answer = await exportOf(view.resource, { filter, orderBy, expand, top: maxRows }, control.signal);
        const rows = await readRows<T>(answer, (done) => setProgress({ done, all }));
        await exportRows(view, columns, rows, control.signal);
        if (count > maxRows) toast.info(gridTexts.exportCapped(countText(maxRows), listCountText(count)));
      } catch (error) {
        // A failed export is only logged (ERR-062).
        if (!control.signal.aborted) console.warn(error);
      }
      if (running.current === control) setProgress(null);
    },
    [view],
  );
  const stop = useCallback(() => {
    running.current?.abort();
    setProgress(null);
  }, []);
  return { progress, start, stop };
}

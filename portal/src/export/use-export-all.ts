/** Exports all rows of a list as the server's CSV, with progress and cancelling. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { gridTexts } from '@cloudfit/contract/messages/grid.en.ts';
import { call } from '../api/client.ts';
import { queryString, type ListQuery } from '@cloudfit/contract/query/query-string.ts';
import { toast } from '../components/toasts.tsx';
import { saveFile } from '../components/save-file.ts';
import { relationOf } from '../rows/row.ts';
import type { Exported } from './export-page.ts';
import { countText, listCountText } from '../components/count.ts';

/** LIM-004. */
const maxRows = 1_000;
interface ExportProgress {
  done: number;
  all: number;
}

/** The same rows in the same order, in the visible columns; a reference is exported by name. */
export function exportQuery(view: Exported, columns: readonly { id: string }[], { filter, orderBy }: ListQuery): ListQuery {
  const { resource } = view;
  const names = columns.map((column) => column.id).filter((id) => resource.fields[id]);
  const relations = new Map(names.map((name) => [name, resource.fields[name]?.ref ? relationOf(resource, name) : undefined]));
  return {
    filter,
    orderBy,
    select: names.filter((name) => !relations.get(name)),
    expand: [...relations.values()].filter((name) => name !== undefined),
    top: maxRows,
  };
}

/** Counts lines while the file arrives: a line break outside quotes ends a row. */
async function readCsv(answer: Response, onRows: (rows: number) => void): Promise<string> {
  if (!answer.body) return answer.text();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
    onRows(Math.max(0, text.split('"\r\n').length - 2));
  }
}

export function useExportAll(view: Exported) {
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = useCallback(
    async (columns: readonly { id: string }[], query: ListQuery, count: number) => {
      const control = new AbortController();
      const all = Math.min(count, maxRows);
      running.current = control;
      setProgress({ done: 0, all });
      try {
        const path = `/v1/${view.resource.name}/Export()${queryString(exportQuery(view, columns, query))}`;
        const answer = await call(path, { signal: control.signal, quiet: true, accept: 'text/csv' });
        const text = await readCsv(answer, (done) => setProgress({ done, all }));
        // The byte order mark tells Excel that this is UTF-8.
        saveFile(view.exportFile ?? `${view.resource.name.toLowerCase()}.csv`, `\uFEFF${text}`);
        if (count > maxRows) toast.info(gridTexts.exportCapped(countText(maxRows), listCountText(count)));
      } catch (error) {
        // ERR-062: only logged.
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

import { csvText, saveFile } from './csv.ts';
import type { Exported, ViewColumn } from './view.ts';

/** Writes the rows on the screen, in the columns on the screen, to a CSV file. */
export function exportPage<T>(view: Exported, columns: readonly ViewColumn<T>[], rows: readonly T[]) {
  const written = columns.filter((column) => column.text);
  saveFile(
    view.exportFile ?? `${view.resource.name.toLowerCase()}.csv`,
    csvText(
      written.map((column) => column.header),
      rows.map((row) => written.map((column) => column.text?.(row) ?? '')),
    ),
  );
}

import { csvText, saveFile } from './csv.ts';
import type { View, ViewColumn } from './view.ts';
import type { AnyRow } from './row.ts';

/** Writes the rows on the screen, in the columns on the screen, to a CSV file. */
export function exportPage(view: View, columns: readonly ViewColumn<AnyRow>[], rows: readonly AnyRow[]) {
  const written = columns.filter((column) => column.text);
  saveFile(
    view.exportFile ?? `${view.resource.name.toLowerCase()}.csv`,
    csvText(
      written.map((column) => column.header),
      rows.map((row) => written.map((column) => column.text?.(row) ?? '')),
    ),
  );
}

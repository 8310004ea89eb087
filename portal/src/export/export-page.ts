import { csvText, saveFile } from './csv.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { TableColumn } from '../components/table/table-column.ts';

/** What the file of an export holds, and its name where it is not that of the resource. */
export interface Exported {
  resource: Resource;
  exportFile?: string;
}

/** Writes the rows on the screen, in the columns on the screen, to a CSV file. */
export function exportPage<T>(view: Exported, columns: readonly TableColumn<T>[], rows: readonly T[]) {
  const written = columns.filter((column) => column.text);
  saveFile(
    view.exportFile ?? `${view.resource.name.toLowerCase()}.csv`,
    csvText(
      written.map((column) => column.header),
      rows.map((row) => written.map((column) => column.text?.(row) ?? '')),
    ),
  );
}

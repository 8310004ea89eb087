import { saveFile } from '../components/save-file.ts';
import { csvText } from './csv.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { TableColumn } from '../components/table/table-column.ts';

/** The content of an export file, and its name where it differs from the resource's. */
export interface Exported {
  resource: Resource;
  exportFile?: string;
}

/** Exports the rows and columns on the screen to a CSV file. */
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

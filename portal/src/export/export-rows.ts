/** Rows as a CSV file, with the columns of the list and their texts. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import { namesArrived } from '../api/people-names.ts';
import { saveFile } from '../components/save-file.ts';
import type { TableColumn } from '../components/table/table-column.ts';
import { csvText } from './csv.ts';

/** The content of an export file, and its name where it differs from the resource's. */
export interface Exported {
  resource: Resource;
  exportFile?: string;
}

/** Saves the rows, after reading what the texts of their columns need. */
export async function exportRows<T>(view: Exported, columns: readonly TableColumn<T>[], rows: readonly T[], signal?: AbortSignal) {
  const all = await Promise.all(
    columns.map(async ({ header, text, texts }) => {
      const write = texts ? await texts(rows) : text;
      return write ? [{ header, write }] : [];
    }),
  );
  const written = all.flat();
  const lines = () => rows.map((row) => written.map(({ write }) => write(row)));
  // The first call requests the names of people that no screen has shown.
  lines();
  await namesArrived();
  if (signal?.aborted) return;
  const header = written.map((column) => column.header);
  saveFile(view.exportFile ?? `${view.resource.name.toLowerCase()}.csv`, csvText(header, lines()));
}

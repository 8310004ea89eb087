/** Saves rows as a CSV file, with the headings and the texts of the list's columns. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import { namesArrived } from '../api/people-names.ts';
import { saveCsv } from '../components/save-file.ts';
import type { TableColumn } from '../components/table/table-column.ts';
import { csvText } from './csv.ts';

/** The resource of an export, and the name of the file if it is not derived from the name of the resource. */
export interface ExportSource {
  resource: Resource;
  exportFile?: string;
}

/** Saves the rows as a file, after reading the data that the texts of the columns need. */
export async function exportRows<T>(view: ExportSource, columns: readonly TableColumn<T>[], rows: readonly T[], signal?: AbortSignal) {
  const all = await Promise.all(
    columns.map(async ({ header, text, texts }) => {
      const write = texts ? await texts(rows) : text;
      return write ? [{ header, write }] : [];
    }),
  );
  const written = all.flat();
  const lines = () => rows.map((row) => written.map(({ write }) => write(row)));
  // This call of `lines` only requests the names of people that no screen has shown yet.
  lines();
  await namesArrived();
  if (signal?.aborted) return;
  const header = written.map((column) => column.header);
  saveCsv(view.exportFile ?? `${view.resource.name.toLowerCase()}.csv`, csvText(header, lines()));
}

/** Lines of a file as cells by column. */
import type { CsvTable } from './read-table.ts';

export interface MappedLine {
  line: number;
  /** The cells as they are in the file. */
  cells: readonly string[];
  /** By column; of a column that several headings are, one text below the other. */
  values: ReadonlyMap<string, string>;
  /** Whether the line has more cells than there are headings, as after a delimiter in a text that is not quoted. */
  isLonger: boolean;
}

export function mapLines({ headings, lines }: CsvTable, columns: readonly (string | null)[]): MappedLine[] {
  return lines.map(({ line, cells }) => {
    const values = new Map<string, string>();
    for (const [at, column] of columns.entries()) {
      const cell = cells[at] ?? '';
      if (column === null || cell === '') continue;
      const before = values.get(column);
      values.set(column, before === undefined ? cell : `${before}\n\u0000${cell}`);
    }
    return { line, cells, values, isLonger: cells.slice(headings.length).some((cell) => cell !== '') };
  });
}

/** The cells of a column that several headings are. */
export const cellsOf = (value: string | undefined): string[] => (value === undefined ? [] : value.split('\n\u0000'));

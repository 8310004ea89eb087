import type { ReactNode } from 'react';

/** The head of a table of texts: a heading for each column. Lists of rows have those of `DataTable`. */
export function ColumnHeads({ names }: { names: readonly ReactNode[] }) {
  return (
    <thead>
      <tr>
        {names.map((name, at) => (
          <th key={at} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

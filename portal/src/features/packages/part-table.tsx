/** A table of parts of a package: its rows, or the reason why there are none. */
import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText } from '../../api/client.ts';
import { DataTable } from '../../components/table/data-table.tsx';
import { ErrorState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import './packages.css';

interface PartTableProps<T> {
  label: string;
  columns: readonly TableColumn<T>[];
  /** Undefined while the rows load. */
  rows: readonly T[] | undefined;
  rowKey: (row: T) => string;
  rowName: (row: T) => string;
  error: Error | null;
  onRetry: () => void;
  none: ReactNode;
}

export function PartTable<T extends object>({ label, columns, rows, rowKey, rowName, error, onRetry, none }: PartTableProps<T>) {
  if (error && !rows) return <ErrorState title={en.failure.list} text={failureText(error)} onRetry={onRetry} />;
  if (rows?.length === 0) return none;
  return (
    <div className="part-table">
      <DataTable label={label} columns={columns} rows={rows ?? []} rowKey={rowKey} rowName={rowName} skeletonRows={rows ? 0 : 4} />
    </div>
  );
}

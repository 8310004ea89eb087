/** The catalog of operations for a device. Choosing one opens the form of a new device operation. */
import { useState } from 'react';
import { frequencyTypes, labelOf } from '@cloudfit/contract/enums.ts';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { useAvailableOperations, type Operation } from './use-device-operations.ts';

const t = operationTexts.add;

const frequenciesOf = (operation: Operation) => operation.frequencyDefinitions.map((value) => labelOf(frequencyTypes, value)).join(', ');

const columnsOf = (add: (operation: Operation) => void): readonly TableColumn<Operation>[] => [
  {
    id: 'name',
    header: t.name,
    width: 170,
    grow: true,
    tone: 'strong',
    cell: (row) => (
      <span className="catalog-name" title={row.description ?? row.name}>
        <span className="ellipsis">{row.name}</span>
        <small className="ellipsis">{frequenciesOf(row)}</small>
      </span>
    ),
  },
  { id: 'package', header: t.package, width: 130, below: 'sm', tone: 'soft', cell: (row) => row.package?.name ?? en.common.none },
  {
    id: 'actions',
    header: en.common.actions,
    width: 150,
    align: 'end',
    cell: (row) => (
      <Button small icon="plus" aria-label={t.actionOf(row.name)} onClick={() => add(row)}>
        {t.action}
      </Button>
    ),
  },
];

interface AddOperationPanelProps {
  device: { tenantId: string; operatingSystemId: number };
  onAdd: (operationId: string) => void;
  onClose: () => void;
}

export function AddOperationPanel({ device, onAdd, onClose }: AddOperationPanelProps) {
  const mayView = useMay()('Packages', 'view');
  const [find, setFind] = useState('');
  const { data, error, refetch } = useAvailableOperations(device, mayView);
  const searchText = find.trim().toLowerCase();
  const rows = (data ?? []).filter(({ name, package: of }) => `${name} ${of?.name ?? ''}`.toLowerCase().includes(searchText));
  return (
    <SidePanel title={t.title} onClose={onClose} footer={<Button onClick={onClose}>{en.common.close}</Button>}>
      <div className="body">
        {!mayView ? (
          <EmptyState icon="lock" title={en.auth.deniedTitle} text={t.forbidden} />
        ) : error && !data ? (
          <ErrorState title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />
        ) : data?.length === 0 ? (
          <EmptyState icon="packages" title={t.none} text={t.noneText} />
        ) : (
          <>
            <p className="muted">{t.text}</p>
            <div className="operations-bar">
              <input
                className="input"
                type="search"
                aria-label={t.find}
                placeholder={t.find}
                autoComplete="off"
                value={find}
                onChange={(event) => setFind(event.target.value)}
              />
            </div>
            <div className="operations-grid">
              <DataTable
                label={t.title}
                columns={columnsOf((operation) => onAdd(operation.operationId))}
                rows={rows}
                rowKey={(row) => row.operationId}
                rowName={(row) => row.name}
                skeletonRows={data ? 0 : 4}
              />
              {data && rows.length === 0 && <EmptyState small title={t.noMatch} />}
            </div>
          </>
        )}
      </div>
    </SidePanel>
  );
}

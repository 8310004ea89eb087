/** The operations of a package, and their parameters. */
import { useSearchParams } from 'react-router';
import { frequencyTypes, labelOf, operationTypes } from '@cloudfit/contract/enums.ts';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { EmptyState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { panelPrefix } from '../../hooks/use-panel.ts';
import { ParametersDialog } from './parameters-dialog.tsx';
import { PartTable } from './part-table.tsx';
import { useOperations, type PackageOperation } from './use-package.ts';

const t = packageTexts.operations;
const param = `${panelPrefix}parameters`;

const frequenciesOf = (operation: PackageOperation) =>
  operation.frequencyDefinitions.map((value) => labelOf(frequencyTypes, value)).join(', ');

function columnsOf(open: (id: string) => void): readonly TableColumn<PackageOperation>[] {
  return [
    {
      id: 'name',
      header: packageTexts.parameter.name,
      width: 150,
      grow: true,
      tone: 'strong',
      cell: (row) => <span title={row.description ?? ''}>{row.name}</span>,
    },
    { id: 'type', header: t.type, width: 112, below: 'md', cell: (row) => labelOf(operationTypes, row.operationTypeId) },
    { id: 'frequencies', header: t.frequencies, width: 170, below: 'sm', tone: 'soft', cell: frequenciesOf },
    { id: 'interval', header: t.interval, width: 112, below: 'md', cell: (row) => <span className="num">{row.defaultInterval}</span> },
    {
      id: 'parameters',
      header: t.parameters,
      width: 118,
      cell: (row) => (
        <button
          type="button"
          className="link"
          aria-label={`${t.count(row.parameterDefinitions.length)}, ${t.parametersOf(row.name)}`}
          onClick={() => open(row.operationId)}
        >
          {t.count(row.parameterDefinitions.length)}
        </button>
      ),
    },
  ];
}

export function OperationsTab({ row }: { row: { packageId: string } }) {
  const { data, error, refetch } = useOperations(row.packageId);
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const show = (id?: string) =>
    setAddress(
      (now) => {
        if (id) now.set(param, id);
        else now.delete(param);
        return undefined;
      },
      { now: true },
    );
  const shown = data?.operations.find((operation) => operation.operationId === params.get(param));
  return (
    <>
      <PartTable
        label={t.label}
        columns={columnsOf(show)}
        rows={data?.operations}
        rowKey={(operation) => operation.operationId}
        rowName={(operation) => operation.name}
        error={error}
        onRetry={() => void refetch()}
        none={<EmptyState icon="actions" title={t.none} text={t.noneText} />}
      />
      {shown && <ParametersDialog operation={shown.name} definitions={shown.parameterDefinitions} onClose={() => show()} />}
    </>
  );
}

/** The work units that a communication is about (COMM-017, COMM-018). */
import { Link } from 'react-router';
import { communicationsEn } from '@cloudfit/contract/messages/communications.en.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { IconButton } from '../../components/button.tsx';
import { SeverityChip } from '../../components/chips.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import type { CommunicationRow, LinkedUnit } from './communication.rules.ts';
import { LinkInput } from './link-input.tsx';
import { unlink, useLink, useLinkedUnits } from './use-steps.ts';

const t = communicationsEn.workUnits;

function columnsOf(unlink: ((unit: LinkedUnit) => void) | undefined): readonly TableColumn<LinkedUnit>[] {
  return [
    { id: 'id', header: t.id, width: 72, tone: 'soft', cell: (unit) => <span className="num">{unit.publicWorkUnitId}</span> },
    {
      id: 'title',
      header: workUnits.fields.title.label,
      width: 200,
      grow: true,
      tone: 'strong',
      cell: (unit) => <Link to={`/workunitsv2?workUnitId=${unit.workUnitId}`}>{unit.title}</Link>,
    },
    {
      id: 'severity',
      header: workUnits.fields.severityId.label,
      width: 92,
      below: 'sm',
      cell: (unit) => <SeverityChip value={unit.severityId} />,
    },
    { id: 'state', header: workUnits.fields.stateId.label, width: 116, below: 'md', cell: (unit) => choiceText(unit.stateId) },
    ...(unlink
      ? [
          {
            id: 'actions',
            header: en.common.actions,
            width: 72,
            align: 'end' as const,
            cell: (unit: LinkedUnit) => <IconButton small icon="close" label={t.unlink(unit.title)} onClick={() => unlink(unit)} />,
          },
        ]
      : []),
  ];
}

export function LinkedUnits({ communication }: { communication: CommunicationRow }) {
  const id = communication.workUnitCommunicationId;
  const may = useMay();
  const maySee = may('WorkUnits', 'view');
  const mayEdit = may('WorkUnitCommunications', 'edit');
  const list = useLinkedUnits(id, maySee);
  const link = useLink(id);
  if (!maySee) return <EmptyState small icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText} />;
  if (list.error && !list.data)
    return <ErrorState small title={t.failed} text={failureText(list.error)} onRetry={() => void list.refetch()} />;
  const units = list.data ?? [];
  return (
    <>
      {mayEdit && (
        <LinkInput
          tenantId={communication.tenantId}
          linked={units.map((unit) => unit.workUnitId)}
          busy={link.isBusy}
          onChoose={(unit) => void link.run(unit)}
        />
      )}
      <section className="form-section" aria-label={t.title}>
        <h3>{t.title}</h3>
        <div className="panel-grid">
          <DataTable
            label={t.title}
            columns={columnsOf(mayEdit ? (unit) => void unlink({ id, unit }) : undefined)}
            rows={units}
            rowKey={(unit) => String(unit.workUnitId)}
            rowName={(unit) => unit.title}
            skeletonRows={list.data ? 0 : 2}
          />
          {list.data && units.length === 0 && <EmptyState small title={t.none} />}
        </div>
      </section>
    </>
  );
}

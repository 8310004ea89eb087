/** Completed and next steps, visible to customers or internal (COMM-015, COMM-016). */
import { useState, type ReactNode } from 'react';
import { communicationsEn } from '@cloudfit/contract/messages/communications.en.ts';
import { workUnitCommunicationActivities } from '@cloudfit/contract/resources/work-unit-communication-activities.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { failureText } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { changeRow, removeRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import { IconButton } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import type { CommunicationStep } from './communication.rules.ts';
import { StepForm } from './step-form.tsx';
import { useSteps } from './use-steps.ts';

const t = communicationsEn.steps;

interface StepTools {
  mayEdit: boolean;
  mayDelete: boolean;
  edit: (step: CommunicationStep) => void;
  complete: (step: CommunicationStep, done: boolean) => void;
  remove: (step: CommunicationStep) => void;
}

function columnsOf(isPast: boolean, tools: StepTools): readonly TableColumn<CommunicationStep>[] {
  const { mayEdit, mayDelete } = tools;
  const tick: TableColumn<CommunicationStep> = {
    id: 'done',
    header: t.done,
    width: 62,
    cell: (step) => (
      <input
        type="checkbox"
        aria-label={t.complete(step.details)}
        checked={step.isComplete}
        disabled={!mayEdit}
        onChange={(event) => tools.complete(step, event.target.checked)}
      />
    ),
  };
  const buttons: TableColumn<CommunicationStep> = {
    id: 'actions',
    header: en.common.actions,
    width: 84,
    align: 'end',
    cell: (step) => (
      <span className="row-actions">
        {mayEdit && <IconButton small icon="edit" label={t.edit(step.details)} title={en.common.edit} onClick={() => tools.edit(step)} />}
        {mayDelete && (
          <IconButton small icon="trash" label={t.remove(step.details)} title={en.common.delete} onClick={() => tools.remove(step)} />
        )}
      </span>
    ),
  };
  return [
    tick,
    {
      id: 'details',
      header: t.details,
      width: 200,
      grow: true,
      tone: 'strong',
      cell: (step) => <span className="step-text">{step.details}</span>,
    },
    {
      id: 'audience',
      header: t.audience,
      width: 96,
      below: 'sm',
      cell: (step) => (step.isCustomerFacing ? <Chip tone="info">{t.customer}</Chip> : <Chip>{t.internal}</Chip>),
    },
    {
      id: 'at',
      header: isPast ? t.completed : t.created,
      width: 104,
      below: 'md',
      tone: 'soft',
      cell: (step) => <RelativeTime value={isPast ? (step.completed ?? step.created) : step.created} />,
    },
    ...(mayEdit || mayDelete ? [buttons] : []),
  ];
}

function Grid({ title, empty, columns, steps, loading }: StepGridProps) {
  return (
    <section className="form-section" aria-label={title}>
      <h3>{title}</h3>
      <div className="panel-grid">
        <DataTable
          label={title}
          columns={columns}
          rows={steps}
          rowKey={(step) => String(step.workUnitCommunicationActivityId)}
          rowName={(step) => step.details}
          skeletonRows={loading ? 2 : 0}
        />
        {!loading && steps.length === 0 && <EmptyState small title={empty} />}
      </div>
    </section>
  );
}

interface StepGridProps {
  title: string;
  empty: string;
  columns: readonly TableColumn<CommunicationStep>[];
  steps: readonly CommunicationStep[];
  loading: boolean;
}

const refreshes = [workUnitCommunicationActivities.name];

const complete = command(
  ({ step, isComplete }: { step: CommunicationStep; isComplete: boolean }) =>
    changeRow(workUnitCommunicationActivities, String(step.workUnitCommunicationActivityId), { isComplete }),
  { failed: t.saveFailed, refreshes },
);

const remove = command(
  (step: CommunicationStep) => removeRow(workUnitCommunicationActivities, String(step.workUnitCommunicationActivityId)),
  {
    confirm: () => ({ title: t.removeTitle, text: t.removeQuestion, yes: en.common.delete, danger: true }),
    failed: t.removeFailed,
    refreshes,
  },
);

export function Steps({ communicationId }: { communicationId: number }): ReactNode {
  const list = useSteps(communicationId);
  const may = useMay();
  const [editing, setEditing] = useState<CommunicationStep>();
  const [mayEdit, mayDelete, mayCreate] = (['edit', 'delete', 'create'] as const).map((verb) => may('WorkUnitCommunications', verb));

  const tools: StepTools = {
    mayEdit: mayEdit === true,
    mayDelete: mayDelete === true,
    edit: setEditing,
    complete: (step, isComplete) => void complete({ step, isComplete }),
    remove: (step) => void remove(step),
  };
  if (list.error && !list.data)
    return <ErrorState small title={t.failed} text={failureText(list.error)} onRetry={() => void list.refetch()} />;
  const steps = list.data?.rows ?? [];
  const loading = list.data === undefined;
  return (
    <>
      {(editing ? mayEdit : mayCreate) && (
        <StepForm
          key={editing?.workUnitCommunicationActivityId ?? 'new'}
          communicationId={communicationId}
          step={editing}
          onDone={() => setEditing(undefined)}
        />
      )}
      <Grid
        title={t.past}
        empty={t.noPast}
        loading={loading}
        columns={columnsOf(true, tools)}
        steps={steps.filter((step) => step.isComplete)}
      />
      <Grid
        title={t.next}
        empty={t.noNext}
        loading={loading}
        columns={columnsOf(false, tools)}
        steps={steps.filter((step) => !step.isComplete)}
      />
    </>
  );
}

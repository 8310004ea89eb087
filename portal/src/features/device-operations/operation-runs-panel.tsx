import { useState } from 'react';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { deviceOperations as resource } from '@cloudfit/contract/resources/device-operations.ts';
import { failureText } from '../../api/client.ts';
import { runOperations } from '@cloudfit/contract/permissions.ts';
import { useHas, useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { Chip, CopyId } from '../../components/chips.tsx';
import { copyText } from '../../components/copy.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { MissingRow } from '../../rows/missing-row.tsx';
import { PersonName } from '../../rows/person-name.tsx';
import { labelOf } from '../../rows/row.ts';
import { useRow } from '../../rows/use-rows.ts';
import type { OfOperationProps } from './operation-logs-panel.tsx';
import { readableOutput } from './readable-output.ts';
import { toneOfRun } from '../../entities/run-status.ts';
import { isOnDemand, isQueued, useRuns, type OperationRun } from './use-device-operations.ts';
import { operationActions } from './use-operation-actions.ts';

const t = operationTexts.runsPanel;

const durationText = (run: OperationRun): string =>
  run.durationMs === null ? en.common.none : t.seconds((run.durationMs / 1_000).toFixed(run.durationMs < 10_000 ? 1 : 0));

const columns: readonly TableColumn<OperationRun>[] = [
  { id: 'started', header: t.started, width: 92, tone: 'soft', cell: (run) => <RelativeTime value={run.started} /> },
  {
    id: 'status',
    header: t.status,
    width: 104,
    cell: (run) => (
      <Chip tone={toneOfRun(run.status)} dot>
        {run.status === 'Running' ? operationTexts.running(run.progress) : run.status}
      </Chip>
    ),
  },
  { id: 'duration', header: t.duration, width: 76, align: 'end', below: 'sm', cell: durationText },
  {
    id: 'requestedBy',
    header: t.requestedBy,
    width: 110,
    below: 'sm',
    tone: 'soft',
    cell: (run) => (run.requestedBy === null ? t.byInterval : <PersonName userName={run.requestedBy} />),
  },
  { id: 'result', header: t.result, width: 120, grow: true, cell: (run) => run.message ?? run.value ?? en.common.none },
];

function RunDetails({ run }: { run: OperationRun }) {
  const { exitCode, message } = run;
  const output = run.output === null ? null : readableOutput(run.output);
  return (
    <div className="run-details">
      <div className="run-details-head">
        <strong>{t.output}</strong>
        {exitCode !== null && <span className="faint">{t.exitCode(exitCode)}</span>}
        <span className="grow" />
        {output !== null && (
          <Button small icon="copy" onClick={() => void copyText(output)}>
            {t.copyOutput}
          </Button>
        )}
      </div>
      {message !== null && <div>{message}</div>}
      {/* A region that scrolls must be reachable by keyboard. */}
      {output === null ? (
        <div className="faint">{t.noOutput}</div>
      ) : (
        <pre className="run-output" tabIndex={0} role="region" aria-label={t.output}>
          {output}
        </pre>
      )}
    </div>
  );
}

/** The latest runs of one operation, and the details of the chosen run. */
export function OperationRunsPanel({ id, listed, onClose }: OfOperationProps) {
  const mayEdit = useMay()(resource.area, 'edit');
  const mayRun = useHas(runOperations) || mayEdit;
  const [chosenId, setChosenId] = useState<string>();
  const { data, error, refetch } = useRow(resource, id, { listed });
  const runs = useRuns(id);
  if (!data) return <MissingRow label={resource.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
  const rows = runs.data?.rows ?? [];
  const chosen = rows.find((run) => run.operationRunId === chosenId) ?? rows[0];
  const current = listed ?? data;
  return (
    <SidePanel
      title={t.titleOf(data.label)}
      onClose={onClose}
      meta={<CopyId id={id} label={labelOf(resource)} />}
      footer={
        <>
          <Button onClick={onClose}>{en.common.close}</Button>
          <span className="grow" />
          {mayRun && isOnDemand(current) && current.enabled && (
            <Button look="primary" icon="actions" disabled={isQueued(current)} onClick={() => void operationActions.enqueue(current)}>
              {t.runAgain}
            </Button>
          )}
        </>
      }
    >
      <div className="body">
        {runs.error && !runs.data ? (
          <ErrorState title={t.failed} text={failureText(runs.error)} onRetry={() => void runs.refetch()} />
        ) : runs.data && rows.length === 0 ? (
          <EmptyState icon="actions" title={t.none} text={t.noneText} />
        ) : (
          <>
            <div className="operations-grid">
              <DataTable
                label={t.list}
                columns={columns}
                rows={rows}
                rowKey={(run) => run.operationRunId}
                rowName={(run) => `${run.status} ${run.started}`}
                openKey={chosen?.operationRunId}
                onOpen={(run) => setChosenId(run.operationRunId)}
                skeletonRows={runs.data ? 0 : 4}
              />
            </div>
            {chosen ? <RunDetails run={chosen} /> : null}
          </>
        )}
      </div>
    </SidePanel>
  );
}

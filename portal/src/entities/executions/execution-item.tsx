/** One execution: its outcome in a line, below it its tries, its values and the answer. */
import { useState } from 'react';
import { outcomeLabel, resultStatus } from '@cloudfit/contract/enums.ts';
import { executionTexts as t } from '@cloudfit/contract/messages/executions.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { Chip, type Tone } from '../../components/chips.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { ReadOnlyField } from '../../components/read-only-field.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useMay } from '../../api/lookups.ts';
import { NextTry } from './next-try.tsx';
import { Tries } from './tries.tsx';
import { TryButtons } from './try-buttons.tsx';
import './execution-item.css';

export type Execution = Row<typeof actionHistories> & { actionDefinition?: { name: string } | null };

/** How long executions are cached (ACT-055). */
export const executionsKeptMs = 5_000;

const tones: Partial<Record<number, Tone>> = {
  [resultStatus.success]: 'ok',
  [resultStatus.failure]: 'danger',
  [resultStatus.enqueueSuccess]: 'info',
  [resultStatus.enqueueFailure]: 'danger',
  [resultStatus.suppressed]: 'warn',
};

/** A queued execution that waits for something is amber. */
function ResultChip({ execution }: { execution: Execution }) {
  const status = execution.resultStatusId;
  return (
    <Chip tone={execution.keptSince || execution.nextTry ? 'warn' : (tones[status] ?? 'plain')} dot>
      {outcomeLabel(execution)}
    </Chip>
  );
}

interface ExecutionItemProps {
  execution: Execution;
  /** Distinguishes it from other executions of the list. */
  title: string;
  open?: boolean;
}

/** The error or the answer, in a line. */
function wordsOf(detail: unknown): string {
  if (detail === null || typeof detail !== 'object') return '';
  const { error, reason, status } = detail as Record<string, unknown>;
  const words = [error, reason].find((part) => typeof part === 'string');
  return [typeof status === 'number' ? String(status) : '', typeof words === 'string' ? words : ''].filter(Boolean).join(' · ');
}

export function ExecutionItem({ execution, title, open = false }: ExecutionItemProps) {
  const words = wordsOf(execution.resultDetail);
  const may = useMay();
  const [isOpen, setIsOpen] = useState(open);
  const { actionHistoryId, nextTry, keptSince, workUnitId } = execution;
  const mayEdit = may('ActionDefinitions', 'edit') || (workUnitId !== null && may('WorkUnits', 'edit'));
  return (
    <details className="execution" open={open} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <ResultChip execution={execution} />
        <b className="ellipsis">{title}</b>
        <span className="grow ellipsis muted" title={words}>
          {words}
        </span>
        {nextTry ? <NextTry at={nextTry} /> : <RelativeTime value={execution.actionProcessed} />}
      </summary>
      {(nextTry || keptSince) && <TryButtons actionHistoryId={actionHistoryId} name={title} nextTry={nextTry} mayEdit={mayEdit} />}
      {isOpen && <Tries actionHistoryId={actionHistoryId} />}
      <JsonBlock label={t.parameters} value={execution.inputParameters} />
      {execution.resultDetail !== null && <JsonBlock label={t.result} value={execution.resultDetail} />}
      <dl className="form-grid facts">
        <ReadOnlyField kind="text" label={t.message} value={execution.messageId} />
        <ReadOnlyField kind="text" label={t.correlation} value={execution.correlationId} />
        {execution.referenceId && <ReadOnlyField kind="text" label={t.reference} value={execution.referenceId} />}
      </dl>
    </details>
  );
}
